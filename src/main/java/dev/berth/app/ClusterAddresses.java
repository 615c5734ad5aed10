package dev.berth.app;

import dev.berth.clusterip.ClusterIp;
import dev.berth.controller.Backoff;
import dev.berth.controller.Wakeups;
import dev.berth.controller.clusterip.ServiceCidrControl;
import dev.berth.controller.clusterip.ServiceCidrReconciler;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Events;
import dev.berth.kube.FabricClusterNetwork;
import dev.berth.kube.IpAddresses;
import dev.berth.kube.NetworkingVersion;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Who is given what of what looks after the cluster's own addresses, on a cluster that has the kinds for it. */
final class ClusterAddresses implements AutoCloseable {
    /** Many addresses may come and go at once, and each look goes over those of a range. */
    private static final Duration SOON = Duration.ofMillis(500);

    private final NetworkingVersion version;
    private final Caches caches;
    private final Wakeups<HasMetadata> wakeups = new Wakeups<>("service-cidr-wakeups");
    private final AtomicBoolean willWake = new AtomicBoolean();
    private final IpAddresses addresses;
    private final ServiceCidrControl serviceCidrs;

    ClusterAddresses(
            KubernetesClient client,
            NetworkingVersion version,
            Caches caches,
            ServiceCidrControl.Mode mode,
            Events events,
            Backoff backoff,
            Clock clock) {
        this.version = version;
        this.caches = caches;
        addresses = new IpAddresses(client, version, new IpAddresses.Listener() {
            @Override
            public void taken(ClusterIp now) {
                wakeSoon();
            }

            @Override
            public void released(ClusterIp before) {
                wakeSoon();
            }
        });
        ClusterNetwork network = new FabricClusterNetwork(client, version, caches, addresses);
        serviceCidrs = new ServiceCidrControl(mode, version.apiVersion(), network, events, backoff, clock);
    }

    /**
     * Has its kinds watched.
     *
     * @param changed told of every change of a ServiceCIDR
     */
    void register(Controllers controllers, Runnable changed) {
        register(controllers, version.serviceCidr(), changed);
    }

    @SuppressWarnings("unchecked") // What is woken is of the one version that there is.
    private <T extends HasMetadata> void register(Controllers controllers, Class<T> kind, Runnable changed) {
        controllers.register(
                new ServiceCidrReconciler<>(caches, serviceCidrs, changed, (Wakeups<T>) wakeups),
                "servicecidr",
                InformerConfiguration.builder(kind).buildForController());
    }

    private void wakeSoon() {
        if (willWake.compareAndSet(false, true)) {
            Wiring.later(SOON, () -> {
                willWake.set(false);
                serviceCidrs.terminating().forEach(name -> wakeups.wake(new ResourceID(name)));
            });
        }
    }

    /** Whether what it watches is being watched. */
    boolean isRunning() {
        return addresses.isRunning();
    }

    @Override
    public void close() {
        addresses.close();
    }
}
