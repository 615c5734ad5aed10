package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcements;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.pool.PoolSet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who leaves an address, and what is written before. */
class ReleasingTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip IP = Ip.parse("192.0.2.1");
    private static final Optional<ServiceState> THERE =
            Optional.of(SampleService.named(WEB, "u1").build());
    private static final Optional<ServiceState> GONE = Optional.empty();
    private static final Leaving ITSELF = new Leaving.Itself(IP, new Owner(WEB, "u1"), Optional.empty());

    /** Who leaves, and what comes first. */
    private record Row(
            String sentence,
            Holding holding,
            Optional<ServiceState> service,
            boolean written,
            List<Claim> planned,
            List<Leaving> leaving,
            String first) {}

    private static Holding claimed(String version, Owner... owners) {
        return Holding.of(new Claim(IP, "c1", version, ClaimSpec.of("pool", "x/y", owners)));
    }

    private static Holding own() {
        return claimed("5", new Owner(WEB, "u1"));
    }

    private static List<Claim> claims(Holding holding) {
        return SinceLook.nothing(List.of(holding)).planned();
    }

    private static final List<Row> ROWS = List.of(
            new Row(
                    "the Service leaves, and is written first",
                    own(),
                    THERE,
                    false,
                    claims(own()),
                    List.of(ITSELF),
                    "say"),
            new Row(
                    "it need not be, if this pass has written it, and the Address is released as it was before",
                    own(),
                    THERE,
                    true,
                    claims(own()),
                    List.of(new Leaving.Itself(
                            IP, new Owner(WEB, "u1"), claims(own()).stream().findFirst())),
                    ""),
            new Row(
                    "what somebody wrote since the plan stays",
                    own(),
                    THERE,
                    false,
                    claims(claimed("4", new Owner(WEB, "u1"))),
                    List.of(ITSELF),
                    "plan again"),
            new Row(
                    "an Address that vanished was there, and a write on its way may publish it",
                    new Holding(IP, Holding.State.HELD, ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1")), null),
                    THERE,
                    false,
                    List.of(),
                    List.of(ITSELF),
                    "say"),
            new Row(
                    "so may one that was to be made again, and may be there",
                    new Holding(IP, Holding.State.UNSURE, ClaimSpec.of("pool", "x/y", new Owner(WEB, "u1")), null),
                    THERE,
                    false,
                    List.of(),
                    List.of(ITSELF),
                    "say"),
            new Row(
                    "one that bore the name before goes first",
                    claimed("5", new Owner(WEB, "u1"), new Owner(WEB, "u0")),
                    THERE,
                    false,
                    List.of(),
                    List.of(new Leaving.Former(IP, new Owner(WEB, "u0"))),
                    ""),
            new Row(
                    "of a Service that is gone nothing is written",
                    own(),
                    GONE,
                    false,
                    List.of(),
                    List.of(new Leaving.Former(IP, new Owner(WEB, "u1"))),
                    ""),
            new Row("a reservation stays", claimed("5", new Owner(WEB, null)), THERE, false, List.of(), List.of(), ""));

    private static Releasing releasing(Row row) {
        return new Releasing(
                List.of(IP, Ip.parse("192.0.2.99")),
                WEB,
                row.service(),
                new ObservedState(
                        true,
                        List.of(row.holding()),
                        PoolSet.of(List.of(), List.of()),
                        ProviderState.nothing(),
                        NamedLoadBalancer.NONE,
                        Waits.NONE,
                        Optional.empty(),
                        Announcements.NONE,
                        new SinceLook(
                                List.of(),
                                row.planned(),
                                Optional.empty(),
                                row.written() ? Optional.of(claims(row.holding())) : Optional.empty(),
                                List.of()),
                        List.of(),
                        false,
                        Instant.EPOCH));
    }

    private static String first(Releasing releasing) {
        if (releasing.isOutdated()) {
            return "plan again";
        }
        return releasing
                .first(List.of(IP), THERE.orElseThrow(), new Attempt.TearDown(List.of()))
                .map(say -> "say")
                .orElse("");
    }

    @Test
    void whoLeaves_andWhatComesFirst() {
        assertThat(ROWS).allSatisfy(row -> {
            assertThat(releasing(row).next(List.of()).stream().toList())
                    .as(row.sentence())
                    .isEqualTo(row.leaving());
            assertThat(releasing(row).next(List.of(IP))).as(row.sentence()).isEmpty();
            assertThat(first(releasing(row))).as(row.sentence()).isEqualTo(row.first());
        });
    }

    @Test
    void whatIsWritten_isTheServiceAsItIsByNow_andSaysWhatIsReleased() {
        ServiceState newest =
                SampleService.named(WEB, "u1").resourceVersion("9").build();
        ObservedState situation = new ObservedState(
                true,
                List.of(own()),
                PoolSet.of(List.of(), List.of()),
                ProviderState.nothing(),
                NamedLoadBalancer.NONE,
                Waits.NONE,
                Optional.empty(),
                Announcements.NONE,
                new SinceLook(List.of(), claims(own()), Optional.of(newest), Optional.empty(), List.of()),
                List.of(),
                false,
                Instant.EPOCH);

        SayReleasing say = new Releasing(List.of(IP), WEB, THERE, situation)
                .first(List.of(IP), THERE.orElseThrow(), new Attempt.TearDown(List.of()))
                .orElseThrow();

        assertThat(say.service()).isEqualTo(newest);
        assertThat(say.patch().conditions()).extracting(Condition::message).containsExactly("releases 192.0.2.1");
        assertThat(say.trouble().by("denied").message()).isEqualTo("releasing [192.0.2.1]: denied");
    }
}
