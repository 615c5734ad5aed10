package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcements;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is made sure of before an address is published. */
class ConfirmingTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip IP = Ip.parse("192.0.2.1");
    private static final Claim OWN = new Claim(IP, "c1", "5", ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1")));
    private static final Holding OTHERS =
            Holding.of(new Claim(IP, "c1", "5", ClaimSpec.of("pool", "x/y", new Owner(WEB, "u2"))));
    private static final Holding HELD =
            new Holding(IP, Holding.State.HELD, ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1")), null);
    private static final Holding WITHHELD = new Holding(IP, Holding.State.HELD, ClaimSpec.of(null, null), null);
    private static final ServedClass POOLS = served(Capabilities.fromPools(IpMode.VIP));
    private static final ServedClass BRINGS_ITS_OWN = served(Capabilities.ofItsOwn(IpMode.VIP));

    /**
     * What is done first.
     *
     * @param answered what is held, for whomever, of what the provider answered
     */
    private record Row(
            String sentence,
            ServedClass by,
            List<Holding> holdings,
            List<Holding> answered,
            List<Ip> written,
            Optional<ServingEffect> first) {}

    private static final List<Row> ROWS = List.of(
            new Row(
                    "its own is written, for a read would not do",
                    POOLS,
                    List.of(Holding.of(OWN)),
                    List.of(),
                    List.of(),
                    Optional.of(new ServingEffect.ConfirmClaim(OWN))),
            new Row(
                    "but not once more for the Service as it is",
                    POOLS,
                    List.of(Holding.of(OWN)),
                    List.of(),
                    List.of(IP),
                    Optional.empty()),
            new Row(
                    "one that is held no longer was released by another operator",
                    POOLS,
                    List.of(),
                    List.of(),
                    List.of(),
                    Optional.of(new TerminalEffect.PlanAgain(true))),
            new Row(
                    "one that is only withheld is nobody's",
                    POOLS,
                    List.of(WITHHELD),
                    List.of(),
                    List.of(),
                    Optional.of(new TerminalEffect.PlanAgain(true))),
            new Row(
                    "another's is read",
                    POOLS,
                    List.of(OTHERS),
                    List.of(),
                    List.of(),
                    Optional.of(new ServingEffect.ReadAgain(OTHERS))),
            new Row(
                    "one whose Address was not seen yet is read",
                    POOLS,
                    List.of(HELD),
                    List.of(),
                    List.of(),
                    Optional.of(new ServingEffect.ReadAgain(HELD))),
            new Row(
                    "a provider's own needs no Address",
                    BRINGS_ITS_OWN,
                    List.of(),
                    List.of(),
                    List.of(),
                    Optional.empty()),
            new Row(
                    "but is not published if somebody else has it by now",
                    BRINGS_ITS_OWN,
                    List.of(),
                    List.of(OTHERS),
                    List.of(),
                    Optional.of(new ServingEffect.ReadAgain(OTHERS))));

    private static ServedClass served(Capabilities can) {
        return SampleClasses.one("x/y", "edge", can, null, Classless.ALWAYS)
                .served()
                .getFirst();
    }

    private static Optional<ServingEffect> first(Row row) {
        return first(row, List.of(IP));
    }

    private static Optional<ServingEffect> first(Row row, List<Ip> addresses) {
        PoolSet none = PoolSet.of(List.of(), List.of());
        return Confirming.next(
                addresses,
                new ServicePlan.Serve(
                        SampleService.named(WEB, "u1").build(), row.by(), AddressConstraints.NONE, List.of(), false),
                new ObservedState(
                        true,
                        row.holdings(),
                        none,
                        ProviderState.nothing(),
                        NamedLoadBalancer.NONE,
                        Waits.NONE,
                        Optional.empty(),
                        Announcements.NONE,
                        new SinceLook(List.of(), List.of(), Optional.empty(), Optional.empty(), row.written()),
                        List.of(),
                        false,
                        Instant.EPOCH),
                new AnsweredAddresses(row.answered(), none, List.of()));
    }

    @Test
    void whatIsMadeSureOf_beforeAnAddressIsPublished() {
        assertThat(ROWS)
                .allSatisfy(row -> assertThat(first(row)).as(row.sentence()).isEqualTo(row.first()));
    }

    @Test
    void addresses_areMadeSureOfOneAfterTheOther() {
        Claim second = new Claim(Ip.parse("2001:db8::1"), "c2", "6", ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1")));
        Row both = new Row(
                "", POOLS, List.of(Holding.of(OWN), Holding.of(second)), List.of(), List.of(), Optional.empty());

        assertThat(first(both, List.of(IP, second.ip()))).contains(new ServingEffect.ConfirmClaim(OWN));
        assertThat(first(both, List.of(second.ip()))).contains(new ServingEffect.ConfirmClaim(second));
    }
}
