package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.Replacement;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LookAheadTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip LOST = Ip.parse("192.0.2.1");
    private static final ClassSet CLASSES = SampleClasses.one(
            "x/y", "pool", Capabilities.fromPools(IpMode.VIP).withImmediate(true), null, Classless.ALWAYS);

    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    /** Of the pool, which has another address by now. */
    private List<Replacement> replacements(SampleService service) {
        ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", Instant.EPOCH, List.of("192.0.2.2"), List.of(), false, PoolPolicy.OPEN, false)),
                List.of()));
        ledger.rebuild(List.of(new Claim(LOST, "c", "1", ClaimSpec.of("edge", "x/y", new Owner(WEB, "uid-web")))));
        Ledger ahead = ledger.copy(ledger.pools().releasing("edge"));
        List<Replacement> replacements = new LookAhead(
                        ahead,
                        (key, holds) -> new ServiceSnapshot(
                                key,
                                Optional.of(service.build()),
                                holds.heldFor(key),
                                holds.pools(),
                                CLASSES,
                                Optional.empty(),
                                Map.of(),
                                QueuePosition.FIRST,
                                List.of()))
                .replacements(ahead.stranded("edge", 10).first());
        ahead.checkInvariants();
        return replacements;
    }

    private static SampleService web() {
        return SampleService.named(WEB, "uid-web").ingress(LOST.toString());
    }

    @Test
    void serviceThatCanBeUnderstood_getsAnother() {
        assertThat(replacements(web()))
                .containsExactly(new Replacement(WEB, LOST, Optional.of(Ip.parse("192.0.2.2")), ""));
    }

    @Test
    void serviceWhoseRequestCannotBeUnderstood_getsNone_andTheReasonIsSaid() {
        assertThat(replacements(web().annotation(WellKnownNames.ADDRESSES, "nonsense")))
                .containsExactly(new Replacement(WEB, LOST, Optional.empty(), "InvalidAddresses"));
    }
}
