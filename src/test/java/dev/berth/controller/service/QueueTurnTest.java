package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who has which place among those that wait. */
class QueueTurnTest {
    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");
    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private PoolOperator berth = new PoolOperator(cluster, () -> clock);

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    @BeforeEach
    void onlyOneAddress() {
        berth.usePool(PoolPolicy.OPEN, "192.0.2.1");
    }

    private static ServiceKey key(String name) {
        return new ServiceKey("prod", name);
    }

    private void reconcile(String name) {
        berth.due.add(key(name));
        berth.reconcileDue();
    }

    private void change(String name, UnaryOperator<SampleService> change) {
        SampleService service = cluster.services.containsKey(key(name))
                ? SampleService.from(Objects.requireNonNull(cluster.services.get(key(name))))
                : SampleService.named(key(name), "uid-" + name)
                        .created(clock)
                        .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4);
        cluster.put(key(name), change.apply(service));
        reconcile(name);
        clock = clock.plusSeconds(10);
    }

    private void create(String... names) {
        for (String name : names) {
            change(name, service -> service);
        }
    }

    private static SampleService waitingSince(SampleService service, Instant since) {
        return service.conditions(List.of(new Condition(
                WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.FALSE, "PoolExhausted", "forged", since)));
    }

    private void delete(String name) {
        cluster.deleteService(key(name));
        reconcile(name);
    }

    private boolean isServed(String name) {
        return !Objects.requireNonNull(cluster.services.get(key(name)))
                .ingress()
                .isEmpty();
    }

    private void restart() {
        berth = new PoolOperator(cluster, () -> clock, new PoolProvider(), PoolPolicy.OPEN, "192.0.2.1");
        cluster.services.keySet().forEach(berth.due::add);
        berth.reconcileDue();
    }

    @Test
    void serviceThatBecomesALoadBalancerLater_waitsFromThenOn() {
        change("old", service -> service.typeLoadBalancer(false));
        create("holder", "waiter");
        change("old", service -> service.typeLoadBalancer(true));

        delete("holder");

        assertThat(isServed("waiter")).isTrue();
    }

    @Test
    void serviceThatComesAfterTheClockWasSetBack_waitsBehindThoseThatWereThere() {
        create("holder", "waiter");
        berth.ahead = Duration.ofHours(-1);
        change("newcomer", service -> service.created(clock.minusSeconds(3600)));

        delete("holder");

        assertThat(isServed("waiter")).isTrue();
    }

    @Test
    void statusThatIsDatedInTheFuture_losesNoPlaceByARestart() {
        create("holder", "waiter");
        cluster.put(
                key("waiter"),
                waitingSince(
                        SampleService.from(Objects.requireNonNull(cluster.services.get(key("waiter")))),
                        clock.plusSeconds(3600)));

        restart();
        create("newcomer");
        delete("holder");

        assertThat(isServed("waiter")).isTrue();
    }

    @Test
    void statusThatIsDated1970_winsNoPlace() {
        create("holder", "waiter");
        change("forged", service -> waitingSince(service, Instant.EPOCH));

        delete("holder");

        assertThat(isServed("waiter")).isTrue();
    }

    @Test
    void statusThatIsDated1970_winsNoPlaceByARestart() {
        create("holder", "waiter", "forged");
        cluster.put(
                key("forged"),
                waitingSince(
                        SampleService.from(Objects.requireNonNull(cluster.services.get(key("forged")))),
                        Instant.EPOCH));

        restart();
        delete("holder");

        assertThat(isServed("waiter")).isTrue();
    }

    @Test
    void placeOutlivesAClassThatIsNotAcceptedForAWhile() {
        create("holder");
        change("first", service -> service.loadBalancerClass(PoolOperator.CLASS));
        create("second");

        berth.withoutClass(() -> reconcile("first"));
        reconcile("first");
        delete("holder");

        assertThat(isServed("first")).isTrue();
    }

    @Test
    void placesOutliveARestart() {
        create("holder", "young");
        change("old", service -> service.created(Instant.EPOCH));

        restart();
        delete("holder");

        assertThat(isServed("young")).isTrue();
    }

    /**
     * A limit, see docs/reliability.md: nothing that the API server vouches for tells when a Service became a load
     * balancer.
     */
    @Test
    void statusOfAnOldService_isBelievedAtAStart_asFarBackAsTheServiceIsOld_andNoFurther() {
        change("old", service -> service.typeLoadBalancer(false));
        create("holder", "waiter", "last");
        change("old", service -> service.typeLoadBalancer(true));
        SampleService old = SampleService.from(Objects.requireNonNull(cluster.services.get(key("old"))));

        cluster.put(key("old"), waitingSince(old, old.build().created().minusSeconds(1)));
        restart();
        delete("holder");
        assertThat(isServed("waiter")).isTrue();

        cluster.put(key("old"), waitingSince(old, old.build().created()));
        restart();
        delete("waiter");
        assertThat(isServed("old")).isTrue();
        assertThat(isServed("last")).isFalse();
    }
}
