package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What another Berth, or a person, does to Addresses of Services that this one serves, or may serve next. */
class AnotherBerthTest {
    private static final String THEIRS = "other.dev/pool";
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey OTHER = new ServiceKey("prod", "other");
    private static final Ip FIRST = Ip.parse("192.0.2.0");

    /** Whether nothing is answered any more. */
    private boolean cutOff;

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            return cutOff ? Fault.UNKNOWN_NOT_DONE : Fault.NONE;
        }

        @Override
        public boolean readFails(String call) {
            return cutOff;
        }
    });
    private final PoolOperator operator = new PoolOperator(cluster, () -> Instant.EPOCH);

    @BeforeEach
    void itHasAClass() {
        operator.useAnotherBerthsClass(THEIRS);
    }

    private void create(String loadBalancerClass) {
        cluster.put(
                WEB,
                SampleService.named(WEB, "uid-web")
                        .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4)
                        .loadBalancerClass(loadBalancerClass));
        operator.hear();
    }

    /** The other Berth claims the first address for the Service. */
    private Claim claimed() {
        Claim claim = cluster.putClaim(
                new Claim(FIRST, cluster.newUid(), "", ClaimSpec.of(null, THEIRS, new Owner(WEB, "uid-web"))));
        operator.hear();
        operator.addresses.reconcile(FIRST);
        return claim;
    }

    private List<Ip> published() {
        return Objects.requireNonNull(cluster.services.get(WEB)).publishedAddresses();
    }

    @Test
    void addressThatAnotherBerthClaimed_isNotPublished_ofAServiceThatIsOursByNow() {
        create(THEIRS);
        Claim theirs = claimed();
        create(PoolOperator.CLASS);

        operator.control.reconcile(WEB);
        operator.reconcileDue();

        assertThat(published()).containsExactly(Ip.parse("192.0.2.1"));
        assertThat(cluster.claims).containsEntry(FIRST, theirs);
    }

    @Test
    void serviceThatAnotherBerthHasReleased_isLookedAt() {
        create(THEIRS);
        Claim theirs = claimed();
        operator.due.clear();

        cluster.removeClaim(FIRST);
        operator.client.relist();
        operator.addresses.vanished(theirs);

        assertThat(operator.due).contains(WEB);
    }

    @Test
    void addressWhoseCreateWasNotAnswered_isNotKept_onceAnotherBerthServesTheClass() {
        create(PoolOperator.CLASS);
        cutOff = true;
        operator.control.reconcile(WEB);
        assertThat(operator.ledger.heldFor(WEB)).isNotEmpty();
        cutOff = false;

        operator.giveItsClassToAnotherBerth();
        operator.control.reconcile(WEB);
        operator.reconcileDue();

        assertThat(operator.ledger.heldFor(WEB)).isEmpty();
        assertThat(published()).isEmpty();
    }

    private void isServed_andItsAddressVanishes() {
        create(PoolOperator.CLASS);
        operator.control.reconcile(WEB);
        operator.hear();
        Claim claim = Objects.requireNonNull(cluster.claims.get(FIRST));
        cluster.removeClaim(FIRST);
        operator.client.relist();
        operator.addresses.vanished(claim);
    }

    @Test
    void publishedAddressWhoseAddressIsGone_isGivenToNobody_onceAnotherBerthServesTheClass() {
        isServed_andItsAddressVanishes();

        operator.giveItsClassToAnotherBerth();
        operator.reconcileDue();

        assertThat(published()).containsExactly(FIRST);
        assertThat(operator.ledger.holding(FIRST)).isPresent();
        assertThat(operator.ledger.heldFor(WEB)).as("what counts for a quota").isEmpty();
    }

    @Test
    void publishedAddressWhoseAddressIsGone_isGivenToNobody_onceItsServiceHasAnotherBerthsClass() {
        isServed_andItsAddressVanishes();

        operator.useAnotherBerthsClass("other.dev/class");
        cluster.put(
                WEB,
                SampleService.from(Objects.requireNonNull(cluster.services.get(WEB)))
                        .loadBalancerClass("other.dev/class"));
        operator.hear();
        operator.control.reconcile(WEB);

        assertThat(operator.ledger.heldFor(WEB)).as("what counts for a quota").isEmpty();
        assertThat(operator.ledger.holding(FIRST)).isPresent();
    }

    @Test
    void addressThatAnotherBerthHasByNow_isReplaced() {
        create(PoolOperator.CLASS);
        operator.control.reconcile(WEB);
        cluster.putClaim(new Claim(
                FIRST,
                Objects.requireNonNull(cluster.claims.get(FIRST)).uid(),
                "",
                ClaimSpec.of(null, THEIRS, new Owner(WEB, "uid-web"))));
        operator.hear();

        operator.control.reconcile(WEB);
        operator.reconcileDue();

        assertThat(published()).containsExactly(Ip.parse("192.0.2.1"));
    }

    @Test
    void addressThatAPersonGivesToAGateway_isTakenOff_whileTheClassIsNotAccepted() {
        create(PoolOperator.CLASS);
        operator.control.reconcile(WEB);
        operator.hear();

        operator.withoutClass(() -> given(ClaimSpec.ofOtherKind(null, null, "Gateway")));

        assertThat(published()).isEmpty();
    }

    /** A person gives the first address to others. */
    private void given(ClaimSpec spec) {
        Claim claim = Objects.requireNonNull(cluster.claims.get(FIRST));
        cluster.putClaim(new Claim(FIRST, claim.uid(), "", spec));
        operator.client.relist();
        operator.addresses.reconcile(FIRST);
        operator.reconcileDue();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = PoolOperator.CLASS)
    void addressThatAPersonGivesToAnotherService_isTakenOff_alsoWhileItsClassIsNotAccepted(@Nullable String named) {
        create(PoolOperator.CLASS);
        operator.control.reconcile(WEB);
        cluster.put(
                WEB,
                SampleService.from(Objects.requireNonNull(cluster.services.get(WEB)))
                        .loadBalancerClass(named));
        operator.hear();
        assertThat(published()).containsExactly(FIRST);

        operator.withoutClass(() -> {
            operator.control.reconcile(WEB);
            assertThat(published()).containsExactly(FIRST);
            given(ClaimSpec.of(null, PoolOperator.CLASS, new Owner(OTHER, null)));
        });

        assertThat(published()).isEmpty();
    }
}
