package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolPolicy;
import dev.berth.testing.cluster.Line;
import dev.berth.testing.cluster.Line.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Services whose Address the API server rejects: by its schema, by a webhook, by a quota. */
class RefusedClaimTest {
    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");
    private final SequencedSet<ServiceKey> refused = new LinkedHashSet<>();
    private final Set<ServiceKey> unknown = new HashSet<>();
    private Fault fault = Fault.REFUSED;
    private boolean statusRefused;
    private int tries;

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            boolean isRefused = call.startsWith("create")
                    && refused.stream().anyMatch(key -> call.contains("service=" + key + ","));
            tries += isRefused ? 1 : 0;
            boolean isPublication = call.startsWith("publish");
            if (isPublication && unknown.stream().anyMatch(key -> call.contains(key.toString()))) {
                return Fault.UNKNOWN_NOT_DONE;
            }
            return isRefused ? fault : isPublication && statusRefused ? Fault.REFUSED : Fault.NONE;
        }
    });
    private final PoolOperator berth = new PoolOperator(cluster, () -> clock);

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

    private ServiceState service(String name) {
        return Objects.requireNonNull(cluster.services.get(key(name)));
    }

    private Condition says(String name) {
        return service(name).condition(WellKnownNames.ADDRESS_ASSIGNED).orElseThrow();
    }

    private boolean isServed(String name) {
        return !service(name).ingress().isEmpty();
    }

    private void reconcile(String name) {
        berth.due.add(key(name));
        berth.reconcileDue();
    }

    /** Each a second after the one before. */
    private void create(String... names) {
        for (String name : names) {
            cluster.put(
                    key(name),
                    SampleService.named(key(name), "uid-" + name)
                            .created(clock)
                            .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4));
            reconcile(name);
            clock = clock.plusSeconds(1);
        }
    }

    /** By hand, and Berth has seen it. */
    private Claim deleteTheAddress() {
        Claim claim = cluster.claims.firstEntry().getValue();
        cluster.removeClaim(claim.ip());
        berth.hear();
        berth.addresses.vanished(claim);
        return claim;
    }

    private void delete(String name) {
        cluster.deleteService(key(name));
        reconcile(name);
    }

    /** What is tried again after a delay has been tried again. */
    private void later(String... names) {
        clock = clock.plus(Duration.ofMinutes(10));
        for (String name : names) {
            reconcile(name);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSED", "UNKNOWN_NOT_DONE", "NOT_FOUND"})
    void claimThatIsRefused_losesItsPlace_andThoseBehindAreServed(Fault answer) {
        fault = answer;
        create("holder", "odd", "next", "last");
        refused.add(key("odd"));

        delete("holder");
        later("odd", "next", "last");

        assertThat(isServed("next")).isTrue();
        assertThat(says("last").message()).contains("(0 of 1 free)");
        delete("next");
        later("odd", "last");
        assertThat(isServed("last")).isTrue();
        assertThat(isServed("odd")).isFalse();
    }

    @Test
    void manyRefusedClaims_keepNoAddressFromOthers() {
        create("holder", "odd1", "odd2", "odd3", "next");
        refused.add(key("odd1"));
        refused.add(key("odd2"));
        refused.add(key("odd3"));

        delete("holder");
        later("odd1", "odd2", "odd3", "next");

        assertThat(isServed("next")).isTrue();
    }

    /** Nobody waits beside a free address for a delay, or an event, to come. */
    @Test
    void asManyRefusedClaimsAsAddresses_keepNoneFromOthers_atOnce() {
        berth.usePool(PoolPolicy.OPEN, "192.0.2.1", "192.0.2.2", "192.0.2.3");
        create("holder1", "holder2", "holder3", "odd1", "odd2", "odd3", "next1", "next2", "next3", "last");
        refused.add(key("odd1"));
        refused.add(key("odd2"));
        refused.add(key("odd3"));

        delete("holder1");
        delete("holder2");
        delete("holder3");

        assertThat(List.of("next1", "next2", "next3")).allMatch(this::isServed);
        assertThat(says("last").message()).contains("(0 of 3 free)");
    }

    @Test
    void refusedClaim_isServedInTheEnd_whenTheApiServerLetsItIn() {
        create("holder", "odd");
        refused.add(key("odd"));
        delete("holder");
        assertThat(says("odd").reason()).isEqualTo("ClaimFailed");

        refused.clear();
        later("odd");

        assertThat(isServed("odd")).isTrue();
    }

    /** A quota or a webhook may refuse both. */
    @Test
    void refusedClaim_isNotSentAgainBeforeItsTime_alsoWhereItCannotBeSaid() {
        refused.add(key("odd"));
        statusRefused = true;
        create("odd");

        for (int event = 0; event < 5; event++) {
            reconcile("odd");
        }

        assertThat(tries).isEqualTo(1);
    }

    @Test
    void refusedClaim_isNotSentAgainBeforeItsTime_whateverEventsCome() {
        refused.add(key("odd"));
        create("odd");
        int first = tries;

        for (int event = 0; event < 5; event++) {
            reconcile("odd");
        }

        assertThat(first).isEqualTo(1);
        assertThat(tries).isEqualTo(1);
    }

    /** Another API server lags behind, and the cache was filled from there. */
    @Test
    void addressThatIsPublished_isNobodyElses_thoughTheCacheHasTheServiceWithoutIt() {
        create("web");
        reconcile("web");
        Claim claim = deleteTheAddress();
        berth.due.clear();
        berth.client.serviceCache.forget(1);
        refused.add(key("web"));

        berth.control.reconcile(key("web"));
        create("next");

        assertThat(service("web").publishes(claim.ip())).isTrue();
        assertThat(isServed("next")).isFalse();
    }

    /** The write may land yet. */
    @Test
    void addressThatMayBePublished_isNobodyElses_thoughItsAddressIsGoneAndIsNotRecreated() {
        unknown.add(key("web"));
        create("web");
        deleteTheAddress();
        refused.add(key("web"));

        berth.control.reconcile(key("web"));
        create("next");

        assertThat(isServed("next")).isFalse();

        unknown.clear();
        cluster.put(key("web"), SampleService.from(service("web")).typeLoadBalancer(false));
        reconcile("web");

        assertThat(isServed("next")).isTrue();
    }

    /** It says already what it would say then, so nothing is written that would make the late write fail. */
    @Test
    void addressThatMayBePublished_isNobodyElses_alsoWhereItsServiceHasNothingNewToSay() {
        create("holder", "web", "next");
        unknown.add(key("web"));
        delete("holder");
        deleteTheAddress();
        refused.add(key("web"));

        berth.control.reconcile(key("web"));
        later("web", "next");
        later("web", "next");

        assertThat(isServed("next")).isFalse();
        unknown.clear();
        later("web", "next");
        later("web", "next");
        assertThat(isServed("next")).isTrue();
    }
}
