package dev.berth.controller.clusterip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.Finding;
import dev.berth.clusterip.Parent;
import dev.berth.clusterip.Usage;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.Wakeups;
import dev.berth.controller.clusterip.NetworkInMemory.Fault;
import dev.berth.kube.Caches;
import dev.berth.kube.Events;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PolicyControlTest {
    private static final Ip IP = Ip.parse("10.0.0.10");

    private final NetworkInMemory network = new NetworkInMemory();
    private final Hands clock = new Hands();
    private final ObjectsInMemory<ServiceCIDRPolicy> policies = new ObjectsInMemory<>();
    private final List<ServiceCIDRPolicy.Status> written = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<Usage> usages = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private final List<Duration> delays = new ArrayList<>();
    private final PolicyControl control = control();
    private long generation;

    private PolicyControl control() {
        return new PolicyControl(
                new Caches(),
                network,
                this::write,
                new Events() {
                    @Override
                    public void normal(About about, String reason, String message) {
                        events.add(reason);
                    }

                    @Override
                    public void warning(About about, String reason, String message) {
                        events.add("warning " + reason);
                    }
                },
                new ClusterAddressMetrics() {
                    @Override
                    public void used(Usage usage) {
                        usages.add(usage);
                    }

                    @Override
                    public void found(List<Finding> findings) {}
                },
                new Backoff(new Random(1)),
                clock,
                (delay, what) -> {
                    delays.add(delay);
                    later.add(what);
                });
    }

    @BeforeEach
    void range() {
        network.put(NetworkInMemory.ready("first", "10.0.0.0/24"));
    }

    private boolean write(ServiceCIDRPolicy policy, ServiceCIDRPolicy.Status status) {
        written.add(status);
        ServiceCIDRPolicy changed = policy(policy.getSpec());
        changed.setStatus(status);
        policies.put(changed);
        return true;
    }

    private ServiceCIDRPolicy policy(ServiceCIDRPolicy.Spec spec) {
        ServiceCIDRPolicy policy = new ServiceCIDRPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withName(ServiceCIDRPolicy.NAME)
                .withUid("uid")
                .withGeneration(generation)
                .build());
        policy.setSpec(spec);
        return policy;
    }

    private void edit(ServiceCIDRPolicy.Spec spec) {
        generation++;
        ServiceCIDRPolicy edited = policy(spec);
        policies.get(null, ServiceCIDRPolicy.NAME).ifPresent(before -> edited.setStatus(before.getStatus()));
        policies.put(edited);
    }

    private static ServiceCIDRPolicy.Spec empty() {
        return new ServiceCIDRPolicy.Spec(null, null, null, null);
    }

    private Next reconcile() {
        return control.reconcile(policies, ServiceCIDRPolicy.NAME);
    }

    private void kept() {
        network.put(new ClusterIp(
                IP, "u", ClusterIp.BERTH, null, Parent.of(new ServiceKey("prod", "dns")), NetworkInMemory.START));
    }

    @Test
    void withoutAPolicy_whatIsKeptIsGivenBack_andThereAreNoFigures() {
        kept();

        assertThat(reconcile()).isEqualTo(Next.ON_EVENT);

        assertThat(network.writes).containsExactly("release 10.0.0.10");
        assertThat(usages).containsExactly(new Usage(List.of(), null, null));
        assertThat(written).isEmpty();
        assertThat(later).isEmpty();
    }

    @Test
    void whatCannotBeGivenBack_isTriedAgain_thoughNobodyTellsOfThePolicyAnyMore() {
        kept();
        network.fault = Fault.REFUSED;
        reconcile();
        assertThat(delays)
                .singleElement()
                .satisfies(delay -> assertThat(delay).isBetween(Duration.ofMillis(4_500), Duration.ofSeconds(5)));

        clock.passSeconds(5);
        later.removeFirst().run();
        assertThat(delays)
                .last()
                .satisfies(delay -> assertThat(delay).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10)));

        network.fault = null;
        clock.passSeconds(10);
        later.removeFirst().run();

        assertThat(network.live(IP)).isEmpty();
        assertThat(later).isEmpty();
    }

    @Test
    void whatCouldNotBeGivenBack_isLeftToANewPolicy() {
        kept();
        network.fault = Fault.UNKNOWN;
        reconcile();
        network.fault = null;
        edit(empty());
        clock.passSeconds(5);

        later.removeFirst().run();
        assertThat(network.writes).containsExactly("release 10.0.0.10");

        reconcile();
        assertThat(network.writes).containsExactly("release 10.0.0.10", "release 10.0.0.10");
    }

    @Test
    void startWithoutAPolicy_givesBackWhatAnEarlierOneLeft() {
        kept();

        new PolicyReconciler(new StartGate(), control, new Wakeups<>("policy")).begin();

        assertThat(network.writes).containsExactly("release 10.0.0.10");
    }
}
