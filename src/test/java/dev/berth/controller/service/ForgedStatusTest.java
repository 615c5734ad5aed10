package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.ExcludedRange;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Quota;
import dev.berth.pool.Selector;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A status that somebody wrote, with all the marks that Berth leaves on a Service that it serves. */
class ForgedStatusTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey OTHER = new ServiceKey("prod", "other");
    private static final ServiceKey WAITER = new ServiceKey("prod", "waiter");
    private static final Ip FORMER = Ip.parse("192.0.2.2");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private final PoolOperator berth = new PoolOperator(cluster, () -> NOW);

    private static SampleService service(ServiceKey key) {
        return SampleService.named(key, "uid-" + key.name()).families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4);
    }

    private static SampleService marked(String... published) {
        return service(WEB)
                .finalizer(WellKnownNames.FINALIZER)
                .ingress(published)
                .conditions(List.of(new Condition(
                        WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.TRUE, "Assigned", "forged", NOW)));
    }

    private void start() {
        berth.hear();
        berth.ledger.rebuild(berth.client.claims());
        berth.control.adopt();
        berth.due.add(WEB);
        berth.due.add(OTHER);
        berth.reconcileDue();
    }

    private ServiceState stored(ServiceKey key) {
        return Objects.requireNonNull(cluster.services.get(key));
    }

    private List<Ip> published() {
        return stored(WEB).publishedAddresses();
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        berth.ledger.checkInvariants();
    }

    @Test
    void addressOutsideOfAllPools_isNeitherClaimedNorPublished() {
        for (String forged : List.of("8.8.8.8", "10.96.0.1", "2001:db8::1")) {
            cluster.put(WEB, marked(forged));

            start();

            assertThat(cluster.claims).doesNotContainKey(Ip.parse(forged));
            assertThat(published()).hasSize(1).doesNotContain(Ip.parse(forged));
        }
    }

    @Test
    void addressOutsideOfAllPools_staysItsOwn_whereAnAddressRecordsIt() {
        Ip stranded = Ip.parse("198.51.100.1");
        cluster.put(WEB, marked(stranded.toString()));
        cluster.putClaim(new Claim(
                stranded, cluster.newUid(), "", ClaimSpec.of("gone", PoolOperator.CLASS, new Owner(WEB, "uid-web"))));

        start();

        assertThat(published()).containsExactly(stranded);
    }

    /** Why a pool does not give it to the Service. */
    private record Closed(String rule, PoolPolicy policy) {}

    @Test
    void addressThatItsPoolDoesNotGiveIt_isNeitherClaimedNorPublished() {
        Selector nobody =
                new Selector(List.of(new Selector.Requirement("closed", Selector.Operator.IN, List.of("to-all"))));
        List<Closed> all = List.of(
                new Closed("autoAssign: false", PoolPolicy.OPEN.withAutoAssign(false)),
                new Closed("namespaceSelector", PoolPolicy.OPEN.withSelectors(nobody, Selector.EVERYTHING)),
                new Closed("serviceSelector", PoolPolicy.OPEN.withSelectors(Selector.EVERYTHING, nobody)),
                new Closed("suspended", PoolPolicy.OPEN.withSuspended(true)),
                new Closed("quota", PoolPolicy.OPEN.withQuota(new Quota(null, Map.of("prod", 0)))));
        for (Closed closed : all) {
            cluster.put(WEB, marked(FORMER.toString()));
            berth.usePool(closed.policy(), "192.0.2.0/30");

            start();

            assertThat(cluster.claims).as(closed.rule()).isEmpty();
            assertThat(published()).as(closed.rule()).isEmpty();
        }
    }

    @Test
    void addressOfAPool_thatIsExcluded_isNotMadeItsOwn() {
        cluster.put(WEB, marked(FORMER.toString()));
        berth.ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", Instant.EPOCH, List.of("192.0.2.2"), List.of(), false, PoolPolicy.OPEN, false)),
                List.of(new ExcludedRange("Node \"a\"", List.of(IpRange.parse("192.0.2.2")), false))));

        start();

        assertThat(cluster.claims).isEmpty();
        assertThat(published()).isEmpty();
    }

    @Test
    void addressThatItMayHave_isItsOwnAgain_whereItsAddressVanished() {
        cluster.put(WEB, marked(FORMER.toString()));

        start();

        assertThat(published()).containsExactly(FORMER);
        assertThat(Objects.requireNonNull(cluster.claims.get(FORMER)).owners())
                .containsExactly(new Owner(WEB, "uid-web"));
    }

    @Test
    void addressThatItMayNotHave_isNobodyElsesWhileItIsPublished_andFreeAfterwards() {
        Selector others =
                new Selector(List.of(new Selector.Requirement("app", Selector.Operator.IN, List.of("other"))));
        berth.usePool(PoolPolicy.OPEN.withSelectors(Selector.EVERYTHING, others), FORMER.toString());
        cluster.put(WEB, marked(FORMER.toString()));
        cluster.put(OTHER, service(OTHER).labels(Map.of("app", "other")));
        berth.hear();
        berth.control.adopt();

        berth.control.reconcile(OTHER);
        assertThat(stored(OTHER).ingress()).isEmpty();
        berth.due.add(WEB);
        berth.reconcileDue();

        assertThat(published()).isEmpty();
        assertThat(stored(OTHER).publishedAddresses()).containsExactly(FORMER);
    }

    @Test
    void addressThatAnotherControllerPublished_isNobodyElses_alsoWithoutMigration() {
        berth.usePool(PoolPolicy.OPEN, FORMER.toString());
        cluster.put(WEB, service(WEB).loadBalancerClass("example.com/theirs").ingress(FORMER.toString()));
        cluster.put(OTHER, service(OTHER));

        start();
        assertThat(stored(OTHER).ingress()).isEmpty();
        cluster.put(WEB, SampleService.from(stored(WEB)).ingress(List.of()));
        berth.due.add(WEB);
        berth.reconcileDue();

        assertThat(stored(OTHER).publishedAddresses()).containsExactly(FORMER);
    }

    /** It stays as it is while its class is gone, and so does what somebody writes into its status. */
    @Test
    void addressThatAServiceWithoutItsClassPublishes_isNobodyElses() {
        Ip own = Ip.parse("192.0.2.1");
        berth.usePool(PoolPolicy.OPEN, "192.0.2.1-192.0.2.2");
        cluster.put(WEB, service(WEB));
        berth.due.add(WEB);
        berth.reconcileDue();
        assertThat(published()).containsExactly(own);
        cluster.put(WEB, SampleService.from(stored(WEB)).ingress(FORMER.toString()));
        berth.withoutClass(() -> {
            berth.due.add(WEB);
            berth.reconcileDue();
        });
        cluster.put(OTHER, service(OTHER));
        berth.hear();

        berth.control.reconcile(OTHER);

        assertThat(stored(OTHER).ingress()).isEmpty();
    }

    /** All served but the waiter: the one address is held. */
    private void oneAddress_andAQueue() {
        berth.usePool(PoolPolicy.OPEN, FORMER.toString());
        cluster.put(OTHER, service(OTHER));
        cluster.put(WAITER, service(WAITER));
        berth.due.add(OTHER);
        berth.due.add(WAITER);
        berth.reconcileDue();
    }

    /** The address is free, and the forged Service is the first to be looked at. */
    private void holderGoes_andTheForgedOneIsQuickest() {
        cluster.deleteService(OTHER);
        berth.hear();
        berth.control.reconcile(OTHER);
        berth.control.reconcile(WEB);
        berth.due.add(WEB);
        berth.reconcileDue();
    }

    @Test
    void freeAddress_thatAForgedStatusNames_goesToThoseWhoWait() {
        oneAddress_andAQueue();
        cluster.put(WEB, marked(FORMER.toString()));

        holderGoes_andTheForgedOneIsQuickest();

        assertThat(stored(WAITER).publishedAddresses()).containsExactly(FORMER);
        assertThat(published()).isEmpty();
    }

    /**
     * A limit, see docs/reliability.md: after a start, a Service whose Address was deleted while no Berth ran looks the
     * same, and keeps what it publishes.
     */
    @Test
    void freeAddress_thatAStatusNamesThatWasForgedWhileNoBerthRan_isItsOwn_whoeverWaits() {
        oneAddress_andAQueue();
        Ip added = Ip.parse("192.0.2.3");
        cluster.put(WEB, marked(added.toString()));

        PoolOperator next =
                new PoolOperator(cluster, () -> NOW, new PoolProvider(), PoolPolicy.OPEN, FORMER + "-" + added);
        next.due.add(WAITER);
        next.due.add(WEB);
        next.reconcileDue();

        assertThat(published()).containsExactly(added);
        assertThat(stored(WAITER).ingress()).isEmpty();
    }

    @Test
    void freeAddress_thatAStatusNamedBeforeItWasMarked_isNotKeptForItEither() {
        oneAddress_andAQueue();
        cluster.put(WEB, service(WEB).ingress(FORMER.toString()));
        berth.due.add(WEB);
        berth.reconcileDue();
        cluster.put(WEB, marked(FORMER.toString()));

        holderGoes_andTheForgedOneIsQuickest();

        assertThat(stored(WAITER).publishedAddresses()).containsExactly(FORMER);
        assertThat(published()).isEmpty();
    }

    @Test
    void freeAddress_thatAMarkedStatusNames_isItsOwn_whereNobodyWaits() {
        berth.usePool(PoolPolicy.OPEN, "192.0.2.0/30");
        cluster.put(WEB, marked(FORMER.toString()));
        berth.due.add(WEB);
        berth.reconcileDue();

        assertThat(published()).containsExactly(FORMER);
    }

    @Test
    void addressWhoseAddressObjectAPersonDeletes_isItsServicesAgain_whoeverWaits() {
        oneAddress_andAQueue();
        Claim before = Objects.requireNonNull(cluster.claims.get(FORMER));

        cluster.removeClaim(FORMER);
        berth.hear();
        berth.addresses.vanished(before);
        berth.due.add(WAITER);
        berth.reconcileDue();

        assertThat(stored(OTHER).publishedAddresses()).containsExactly(FORMER);
        assertThat(Objects.requireNonNull(cluster.claims.get(FORMER)).owners())
                .containsExactly(new Owner(OTHER, "uid-other"));
        assertThat(stored(WAITER).ingress()).isEmpty();
    }
}
