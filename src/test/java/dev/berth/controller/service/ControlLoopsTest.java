package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.StartGate;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.Ip;
import dev.berth.kube.Cache;
import dev.berth.kube.Caches;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.loadbalancer.SampleService;
import dev.berth.testing.cluster.Line;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one of the loops tells the others. */
class ControlLoopsTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Optional<Deference> CLOUD = Optional.of(new Deference("Node \"a\""));
    private static final Owner RESERVATION = new Owner(new ServiceKey("prod", "gone"), null);
    private static final String OURS = "berth.dev/controller";

    private final List<LoadBalancerClass> declared =
            new ArrayList<>(List.of(declared("default", "berth.dev/pool", OURS, "Auto")));

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private final SimulatedCluster.Client client = cluster.client();
    private final Ledger ledger = new Ledger();
    private final StartGate gate = new StartGate();
    private final List<ServiceKey> due = new ArrayList<>();
    private Supplier<Optional<Deference>> cloudNode = Optional::empty;
    private final ControlLoops control = control();

    private static LoadBalancerClass declared(String name, String value, String controllerName, String classless) {
        return new KubernetesSerialization()
                .unmarshal("""
                {"metadata": {"name": "%s", "uid": "u-%1$s", "generation": 1, "resourceVersion": "1",
                  "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"loadBalancerClass": "%s", "controllerName": "%s", "provider": "pool", "classless": "%s"}}
                """.formatted(name, value, controllerName, classless), LoadBalancerClass.class);
    }

    private static <T> Cache<T> cache(List<T> all) {
        return new Cache<>() {
            @Override
            public Optional<T> get(@Nullable String namespace, String name) {
                return all.stream().findFirst();
            }

            @Override
            public Stream<T> list() {
                return all.stream();
            }
        };
    }

    private ControlLoops control() {
        Caches caches = new Caches();
        caches.classes(cache(declared));
        return new SampleLoops(client, ledger, gate, () -> Instant.EPOCH)
                .provider(PoolProvider.NAME, new PoolProvider())
                .classes(this::classSet)
                .cloudNode(() -> cloudNode.get())
                .build(
                        new ControlLoops.Judging(
                                caches,
                                OURS,
                                classes -> new KnownProviders(
                                        Map.of(PoolProvider.NAME, new PoolProvider().capabilities()), Map.of()),
                                List::of,
                                (object, status) -> true,
                                (pool, status) -> true),
                        new ControlLoops.Listener() {
                            @Override
                            public void servicesDue(Collection<ServiceKey> services) {
                                due.addAll(services);
                            }

                            @Override
                            public void addressesDue(Collection<Ip> addresses) {}

                            @Override
                            public void classDue(String className) {}

                            @Override
                            public void classChanged() {}

                            @Override
                            public void strandedChanged(Collection<Ip> addresses) {}

                            @Override
                            public void poolsChanged() {}
                        });
    }

    private ClassSet classSet() {
        return control.classes().classSet();
    }

    @AfterEach
    void ledgerIsAsItMustBe() {
        ledger.checkInvariants();
    }

    private void start() {
        cluster.put(WEB, SampleService.named(WEB, "u1"));
        client.relist();
        control.classes().refresh();
        control.adopt();
        gate.open();
        due.clear();
    }

    @Test
    void whatIsKnownAtTheStart_isNoChange_soNoServiceIsReconciledTwiceForIt() {
        start();

        control.clusterStateChanged();

        assertThat(due).isEmpty();
    }

    @Test
    void cloudNodeThatComesAfterTheStart_hasServicesWithoutAClassLookedAt() {
        start();

        cloudNode = () -> CLOUD;
        control.clusterStateChanged();

        assertThat(due).containsExactly(WEB);
    }

    @Test
    void cloudNodeThatIsThereAtTheStart_hasServicesWithoutAClassLookedAt_onceItIsGone() {
        cloudNode = () -> CLOUD;
        start();

        control.clusterStateChanged();
        assertThat(due).isEmpty();

        cloudNode = Optional::empty;
        control.clusterStateChanged();
        assertThat(due).containsOnly(WEB);
    }

    @Test
    void serviceThatWasLeftToAnother_isLookedAtAgain_alsoIfThatWasOverBeforeAnybodyWasNotified() {
        start();
        cloudNode = () -> CLOUD;
        control.services().reconcile(WEB);
        cloudNode = Optional::empty;

        control.clusterStateChanged();

        assertThat(due).containsExactly(WEB);
    }

    /** To release that one was left to the other Berth. */
    @Test
    void serviceWithAnAddressOfAClassThatAnotherBerthServed_isLookedAt_onceThatClassIsOurs() {
        String value = "test.dev/elsewhere";
        declared.add(declared("elsewhere", value, "test.dev/another-berth", "Never"));
        start();
        cluster.put(WEB, SampleService.named(WEB, "u1").loadBalancerClass("berth.dev/pool"));
        client.relist();
        ledger.observe(new Claim(
                Ip.parse("192.0.2.1"), "a1", "1", ClaimSpec.of("edge", value, new Owner(WEB, "u1"), RESERVATION)));

        declared.set(1, declared("elsewhere", value, OURS, "Never"));
        control.classes().refresh();

        assertThat(due).containsExactly(WEB);
    }

    @Test
    void serviceThatIsLeftToAnother_isLookedAtAgain_ifThatEndsMeanwhile() {
        start();
        Iterator<Optional<Deference>> then = Stream.concat(
                        Stream.of(CLOUD), Stream.generate(Optional::<Deference>empty))
                .iterator();
        cloudNode = then::next;

        control.services().reconcile(WEB);

        assertThat(due).contains(WEB);
    }
}
