package dev.berth.claim;

import static dev.berth.claim.Holding.State.HELD;
import static dev.berth.claim.Holding.State.UNSURE;
import static dev.berth.claim.Sample.START;
import static dev.berth.claim.Sample.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.HoldingLife.Becomes;
import dev.berth.claim.HoldingLife.Fate;
import dev.berth.claim.HoldingLife.Free;
import dev.berth.claim.HoldingLife.Unchanged;
import dev.berth.ip.Ip;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Of an address that the Services a and b may have: what becomes of it by what happens. */
class HoldingLifeTest {
    private static final Ip IP = Ip.parse("192.0.2.0");
    private static final Owner A = owner("a");
    private static final Owner B = owner("b");
    private static final Owner NAME_OF_A = new Owner(key("a"), null);
    private static final Claim OF_A = claim("1", A);
    private static final Claim OF_BOTH = claim("1", A, B);
    private static final Claim ANOTHER = claim("2", A);

    /**
     * What happens, and what is so then.
     *
     * @param held null: nobody holds it
     */
    record Row(@Nullable Holding held, HoldingEvent event, Fate fate) {}

    private static Owner owner(String name) {
        return new Owner(key(name), "uid-" + name);
    }

    private static Claim claim(String uid, Owner... owners) {
        return at("7", uid, owners);
    }

    private static Claim at(String resourceVersion, String uid, Owner... owners) {
        return new Claim(IP, uid, resourceVersion, spec(owners));
    }

    private static ClaimSpec spec(Owner... owners) {
        return ClaimSpec.of("edge", "berth.dev/pool", owners);
    }

    /** Without an object. */
    private static Holding held(Holding.State state, Owner... owners) {
        return new Holding(IP, state, spec(owners), null);
    }

    private static Row row(@Nullable Holding held, HoldingEvent event, Fate fate) {
        return new Row(held, event, fate);
    }

    private static Fate becomes(Holding now) {
        return new Becomes(now, List.of());
    }

    private static Fate unseen(Holding.State state, Owner... owners) {
        return becomes(held(state, owners));
    }

    private static Fate remadeBy(Owner owner) {
        return new Becomes(held(HELD, owner), List.of(owner.service()));
    }

    private static Ledger.Leaving leaving(Owner owner) {
        return new Ledger.Leaving(owner, START);
    }

    private static HoldingEvent vanished(Claim claim, @Nullable Owner leaving) {
        return new HoldingEvent.Vanished(claim, leaving == null ? null : leaving(leaving));
    }

    static Stream<Row> rows() {
        Holding claimed = Holding.of(OF_A);
        Holding shared = Holding.of(OF_BOTH);
        Holding withheld = new Holding(IP, HELD, ClaimSpec.of(null, null), null);
        Holding keptFromEveryone = Holding.of(claim("1"));
        return Stream.of(
                row(null, new HoldingEvent.Chosen(spec(A)), unseen(HELD, A)),
                row(held(HELD, B), new HoldingEvent.Chosen(spec(A)), new Unchanged()),
                row(withheld, new HoldingEvent.Chosen(spec(A)), new Unchanged()),
                row(claimed, new HoldingEvent.Chosen(spec(A)), new Unchanged()),
                row(null, new HoldingEvent.Seen(OF_A), becomes(claimed)),
                row(held(HELD, A), new HoldingEvent.Seen(OF_A), becomes(claimed)),
                row(held(UNSURE, A), new HoldingEvent.Seen(OF_A), becomes(claimed)),
                row(held(HELD, B), new HoldingEvent.Seen(OF_A), becomes(claimed)),
                row(withheld, new HoldingEvent.Seen(OF_A), becomes(claimed)),
                row(claimed, new HoldingEvent.Seen(OF_BOTH), becomes(shared)),
                row(claimed, new HoldingEvent.Seen(at("9", "1", B)), becomes(Holding.of(at("9", "1", B)))),
                row(claimed, new HoldingEvent.Seen(at("5", "1", B)), new Unchanged()),
                row(claimed, new HoldingEvent.Seen(at("5", "2", B)), new Unchanged()),
                row(null, new HoldingEvent.Published(), becomes(withheld)),
                row(withheld, new HoldingEvent.Published(), new Unchanged()),
                row(held(HELD, A), new HoldingEvent.Published(), new Unchanged()),
                row(claimed, new HoldingEvent.Published(), new Unchanged()),
                row(withheld, new HoldingEvent.PublishedNoLonger(), new Free()),
                row(held(HELD, A), new HoldingEvent.PublishedNoLonger(), new Unchanged()),
                row(keptFromEveryone, new HoldingEvent.PublishedNoLonger(), new Unchanged()),
                row(claimed, new HoldingEvent.PublishedNoLonger(), new Unchanged()),
                row(withheld, new HoldingEvent.Absent(), new Free()),
                row(held(HELD, A), new HoldingEvent.Absent(), new Free()),
                row(held(UNSURE, A), new HoldingEvent.Absent(), new Free()),
                row(claimed, new HoldingEvent.Absent(), new Free()),
                row(held(HELD, A), new HoldingEvent.CreateUnanswered(), unseen(UNSURE, A)),
                row(held(UNSURE, A), new HoldingEvent.CreateUnanswered(), new Unchanged()),
                row(withheld, new HoldingEvent.CreateUnanswered(), new Unchanged()),
                row(claimed, new HoldingEvent.CreateUnanswered(), new Unchanged()),
                row(held(UNSURE, A), new HoldingEvent.NotMade(), unseen(HELD, A)),
                row(held(UNSURE), new HoldingEvent.NotMade(), new Free()),
                row(held(HELD, A), new HoldingEvent.NotMade(), new Unchanged()),
                row(claimed, new HoldingEvent.NotMade(), new Unchanged()),
                row(held(HELD, A), new HoldingEvent.GivenUp(A), new Free()),
                row(held(HELD, A, B), new HoldingEvent.GivenUp(A), new Unchanged()),
                row(held(UNSURE, A), new HoldingEvent.GivenUp(A), new Unchanged()),
                row(claimed, new HoldingEvent.GivenUp(A), new Unchanged()),
                row(claimed, new HoldingEvent.DeleteUnanswered(OF_A), unseen(UNSURE, A)),
                row(claimed, new HoldingEvent.DeleteUnanswered(ANOTHER), new Unchanged()),
                row(held(HELD, A), new HoldingEvent.DeleteUnanswered(OF_A), new Unchanged()),
                row(claimed, new HoldingEvent.Deleted(OF_A), new Free()),
                row(claimed, new HoldingEvent.Deleted(ANOTHER), new Unchanged()),
                row(held(HELD, A), new HoldingEvent.Deleted(OF_A), new Free()),
                row(held(HELD, B), new HoldingEvent.Deleted(OF_A), new Unchanged()),
                // B has joined since.
                row(shared, new HoldingEvent.Deleted(OF_A), new Becomes(held(HELD, A, B), List.of(B.service()))),
                row(claimed, vanished(OF_A, null), remadeBy(A)),
                row(claimed, vanished(OF_A, A), new Free()),
                row(claimed, vanished(ANOTHER, A), new Unchanged()),
                row(held(HELD, A), vanished(OF_A, A), new Free()),
                row(held(HELD, A), vanished(OF_A, null), new Unchanged()),
                row(held(HELD, B), vanished(OF_A, A), new Unchanged()),
                row(held(UNSURE, A), vanished(OF_A, null), remadeBy(A)),
                row(held(UNSURE, B), vanished(OF_A, null), new Unchanged()),
                row(Holding.of(claim("1", NAME_OF_A)), vanished(claim("1", NAME_OF_A), null), new Free()),
                row(held(HELD, A), new HoldingEvent.Left(leaving(A)), new Free()),
                row(held(UNSURE, A), new HoldingEvent.Left(leaving(A)), new Free()),
                row(held(HELD, A), new HoldingEvent.Left(leaving(B)), new Unchanged()),
                row(claimed, new HoldingEvent.Left(leaving(A)), new Unchanged()),
                row(claimed, new HoldingEvent.Lost(claimed), remadeBy(A)),
                row(claimed, new HoldingEvent.Lost(Holding.of(ANOTHER)), new Unchanged()),
                row(held(HELD), new HoldingEvent.Lost(held(HELD)), new Free()),
                row(null, new HoldingEvent.PublishedNoLonger(), new Unchanged()),
                row(null, new HoldingEvent.Absent(), new Unchanged()),
                row(null, new HoldingEvent.CreateUnanswered(), new Unchanged()),
                row(null, new HoldingEvent.NotMade(), new Unchanged()),
                row(null, new HoldingEvent.GivenUp(A), new Unchanged()),
                row(null, new HoldingEvent.DeleteUnanswered(OF_A), new Unchanged()),
                row(null, new HoldingEvent.Deleted(OF_A), new Unchanged()),
                row(null, vanished(OF_A, null), new Unchanged()),
                row(null, new HoldingEvent.Left(leaving(A)), new Unchanged()),
                row(null, new HoldingEvent.Lost(claimed), new Unchanged()));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void whatHappens_decidesWhatBecomesOfIt(Row row) {
        assertThat(HoldingLife.after(IP, row.held(), row.event())).isEqualTo(row.fate());
    }

    @Test
    void everyEvent_isInTheTable_ofAFreeAddressAndOfOneThatIsHeld() {
        for (boolean isFree : List.of(true, false)) {
            assertThat(rows().filter(row -> (row.held() == null) == isFree)
                            .<Class<?>>map(row -> row.event().getClass()))
                    .containsAll(eventsOf(HoldingEvent.class).toList());
        }
    }

    private static Stream<Class<?>> eventsOf(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(HoldingLifeTest::eventsOf)
                : Stream.of(type);
    }

    @ParameterizedTest
    @MethodSource("whoStays")
    void whoLeavesAnAddressThatAnotherHasToo_leavesItToThem(HoldingEvent event, Holding held) {
        assertThat(HoldingLife.after(IP, held, event)).isInstanceOfSatisfying(Becomes.class, fate -> {
            assertThat(fate.now().owners()).contains(B).doesNotContain(A);
            assertThat(fate.now().state()).isEqualTo(HELD);
            assertThat(fate.remake()).containsExactly(B.service());
        });
    }

    static Stream<Arguments> whoStays() {
        return Stream.of(
                Arguments.of(new HoldingEvent.Left(leaving(A)), held(HELD, A, B)),
                Arguments.of(vanished(OF_BOTH, A), Holding.of(OF_BOTH)));
    }
}
