package dev.berth.app;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Timer;
import dev.berth.controller.Wakeups;
import dev.berth.controller.servicecidr.ClusterAddressMetrics;
import dev.berth.controller.servicecidr.NotServed;
import dev.berth.controller.servicecidr.PolicyControl;
import dev.berth.controller.servicecidr.PolicyReconciler;
import dev.berth.controller.servicecidr.ReservationReconciler;
import dev.berth.controller.servicecidr.ReservationStatuses;
import dev.berth.controller.servicecidr.ServiceCidrControl;
import dev.berth.controller.servicecidr.ServiceCidrReconciler;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.FabricClusterNetwork;
import dev.berth.kube.IpAddresses;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.StatusWriter;
import dev.berth.servicecidr.ClusterIp;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Who is given what of what looks after the cluster's own addresses. */
final class ClusterAddressWiring implements AutoCloseable {
    /** Many addresses may come and go at once, and each look goes over those of a range. */
    private static final Duration SOON = Duration.ofMillis(500);

    /** A range may be nearly full. */
    private static final Duration VERY_SOON = Duration.ofMillis(50);

    private final KubernetesClient client;
    private final LoopParts parts;
    private final StatusWriter statuses;
    private final ReservationStatuses reservationStatuses;
    private final Timer later;
    private final Wakeups<ServiceCIDRPolicy> policyWakeups;
    private final AtomicBoolean willWakePolicy = new AtomicBoolean();
    private final Optional<Ranges> ranges;
    private final PolicyReconciler policies;

    /** What there is only where the API server has the kinds for it. */
    private final class Ranges {
        private final NetworkingVersion version;
        private final Wakeups<HasMetadata> wakeups = new Wakeups<>("service-cidr-wakeups", later);
        private final AtomicBoolean willWake = new AtomicBoolean();
        private final IpAddresses addresses;
        private final ServiceCidrControl serviceCidrs;
        private final PolicyControl policy;

        Ranges(
                NetworkingVersion version,
                ApiBudget budget,
                ServiceCidrControl.Settings settings,
                ClusterAddressMetrics metrics) {
            this.version = version;
            addresses = new IpAddresses(client, version, new IpAddresses.Listener() {
                @Override
                public void taken(ClusterIp now) {
                    changed();
                }

                @Override
                public void released(ClusterIp before) {
                    policy.released(before);
                    changed();
                }
            });
            ClusterNetwork network = new FabricClusterNetwork(client, version, parts.caches(), addresses, budget);
            serviceCidrs =
                    new ServiceCidrControl(settings, version.apiVersion(), network, parts.events(), parts.timing());
            policy = new PolicyControl(
                    parts, version.apiVersion(), network, statuses::write, reservationStatuses, metrics);
        }

        /** An address or a range came, went or changed: what it means for those that are about to go. */
        private void changed() {
            once(willWake, SOON, () -> serviceCidrs.terminating().forEach(name -> wakeups.wake(new ResourceID(name))));
            wakePolicy();
        }

        @SuppressWarnings("unchecked") // What is woken is of the one version that there is.
        <T extends HasMetadata> void register(Controllers controllers, Class<T> kind, Runnable changed) {
            Runnable changedHereToo = () -> {
                changed.run();
                changed();
            };
            controllers.register(
                    new ServiceCidrReconciler<>(
                            parts.caches(), parts.gate(), serviceCidrs, changedHereToo, (Wakeups<T>) wakeups),
                    "servicecidr",
                    InformerConfiguration.builder(kind).buildForController());
        }
    }

    ClusterAddressWiring(
            LoopParts parts,
            KubernetesClient client,
            ApiBudget budget,
            StatusWriter statuses,
            ServiceCidrControl.Settings settings,
            ClusterAddressMetrics metrics) {
        this.parts = parts;
        this.client = client;
        this.statuses = statuses;
        InstantSource clock = parts.timing().clock();
        reservationStatuses = new ReservationStatuses(statuses::write, parts.events(), clock);
        later = parts.timing().later();
        policyWakeups = new Wakeups<>("service-cidr-policy-wakeups", later);
        ranges = NetworkingVersion.of(client).map(version -> new Ranges(version, budget, settings, metrics));
        policies = new PolicyReconciler(
                parts.gate(),
                ranges.<PolicyReconciler.Control>map(served -> served.policy)
                        .orElseGet(() -> new NotServed(parts.caches(), statuses, reservationStatuses, clock, later)),
                policyWakeups);
    }

    /**
     * Has its kinds watched.
     *
     * @param changed notified of every change of a ServiceCIDR
     */
    void register(Controllers controllers, Runnable changed) {
        ranges.ifPresent(served -> served.register(controllers, served.version.serviceCidr(), changed));
        controllers.register(
                policies,
                "servicecidrpolicy",
                InformerConfiguration.builder(ServiceCIDRPolicy.class).buildForController());
        controllers.register(
                new ReservationReconciler(parts.caches(), parts.gate(), this::wakePolicy),
                "clusteripreservation",
                InformerConfiguration.builder(ClusterIPReservation.class).buildForController());
    }

    /** All that is held is known. */
    void begin() {
        policies.begin();
    }

    private void wakePolicy() {
        once(willWakePolicy, VERY_SOON, () -> {
            policyWakeups.wake(new ResourceID(ServiceCIDRPolicy.NAME));
            policies.changed();
        });
    }

    private void once(AtomicBoolean will, Duration delay, Runnable what) {
        if (will.compareAndSet(false, true)) {
            later.after(delay, () -> {
                will.set(false);
                what.run();
            });
        }
    }

    /** Whether what it watches is being watched. */
    boolean isRunning() {
        return ranges.stream().allMatch(served -> served.addresses.isRunning());
    }

    @Override
    public void close() {
        ranges.ifPresent(served -> served.addresses.close());
    }
}
