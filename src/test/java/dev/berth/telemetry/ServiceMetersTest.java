package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServiceMetersTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey API = new ServiceKey("prod", "api");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Ledger ledger = new Ledger();
    private int unreadable;
    private final ServiceMeters meters = new ServiceMeters(registry, ledger, Map.of("Service", () -> unreadable));

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    @Test
    void objectsThatCannotBeRead_areCountedByKind_asTheyAreNow() {
        assertThat(gauge("berth.objects.unreadable", "kind", "Service")).isZero();
        unreadable = 2;
        assertThat(gauge("berth.objects.unreadable", "kind", "Service")).isEqualTo(2);
    }

    @Test
    void whoLeads_isShownAsItIsNow() {
        AtomicBoolean leads = new AtomicBoolean();
        ServiceMeters.showLeader(leads::get, registry);

        assertThat(gauge("berth.leader")).isZero();
        leads.set(true);
        assertThat(gauge("berth.leader")).isOne();
    }

    /** Of a counter that begins with 1 no rate is known. */
    @Test
    void counters_areThereBeforeAnythingIsCounted() {
        assertThat(List.of("berth.services.assigned", "berth.services.failed", "berth.status.overwritten"))
                .allSatisfy(
                        name -> assertThat(registry.get(name).counter().count()).isZero());
        meters.failed();
        assertThat(registry.get("berth.services.failed").counter().count()).isOne();
    }

    @Test
    void eachServiceThatWaits_isCountedUnderItsReasonOfNow() {
        meters.waits(WEB, Optional.of("PoolExhausted"));
        meters.waits(API, Optional.of("PoolExhausted"));
        meters.waits(API, Optional.of("PoolExhausted"));
        meters.waits(API, Optional.of("QuotaExceeded"));

        assertThat(gauge("berth.services.waiting", "reason", "PoolExhausted")).isEqualTo(1);
        assertThat(gauge("berth.services.waiting", "reason", "QuotaExceeded")).isEqualTo(1);

        meters.waits(WEB, Optional.empty());
        meters.waits(WEB, Optional.empty());

        assertThat(gauge("berth.services.waiting", "reason", "PoolExhausted")).isZero();
    }

    @Test
    void stuckCalls_areCountedForEachClass_untilTheyReturn() {
        meters.stuckCalls("slow", 2);
        meters.stuckCalls("other", 1);
        assertThat(gauge("berth.provider.stuck.calls", "class", "slow")).isEqualTo(2);

        meters.stuckCalls("slow", 0);
        assertThat(gauge("berth.provider.stuck.calls", "class", "slow")).isZero();
        assertThat(gauge("berth.provider.stuck.calls", "class", "other")).isOne();
    }

    @Test
    void strandedAddresses_areCountedByThePoolTheyCameFrom_alsoWhenItIsGone() {
        ledger.rebuild(List.of(new Claim(
                Ip.parse("192.0.2.1"), "c", "1", ClaimSpec.of("gone", "berth.dev/pool", new Owner(WEB, "u1")))));
        ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", Instant.EPOCH, List.of("2001:db8::/32"), List.of(), false, PoolPolicy.OPEN, false)),
                List.of()));
        meters.refresh();

        assertThat(gauge("berth.addresses.stranded", "pool", "gone")).isEqualTo(1);
        assertThat(gauge("berth.addresses.stranded", "pool", "edge")).isZero();
        assertThat(gauge("berth.pool.available", "pool", "edge", "family", "IPv6"))
                .isEqualTo(Math.pow(2, 96));
    }
}
