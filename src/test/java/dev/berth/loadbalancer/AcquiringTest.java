package dev.berth.loadbalancer;

import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Outcome.ClaimTried.Whose;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.Requester;
import dev.berth.reason.Reason;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The ways to the addresses that a Service lacks: the effects, in order, and what comes of each. */
class AcquiringTest {
    private static final Attempt ATTEMPT = new Attempt.TearDown(List.of());
    private static final AddressRequest BOTH = asks(false, IPV4, IPV6);
    private static final AddressRequest WHOLE = asks(true, IPV4, IPV6);
    private static final Outcome COUNTED = new Outcome.Did(Done.ASSIGNED_COUNTED);
    private static final Outcome LEFT = new Outcome.Did(Done.QUEUE_LEFT);

    private static AddressRequest asks(boolean allOrNone, IpFamily... families) {
        return new AddressRequest(
                new ServiceKey("prod", "web"),
                "u1",
                "x/y",
                List.of(families),
                allOrNone,
                new Requester(List.of(), Map.of(), Map.of()),
                AddressConstraints.NONE,
                List.of(),
                QueuePosition.FIRST);
    }

    private static Refusal full(IpFamily family) {
        return new Refusal("edge", family, RefusalReason.FULL, "", BigInteger.ZERO, BigInteger.valueOf(14));
    }

    private static Way<Optional<ServingEffect>> way(AddressRequest asked) {
        return Way.of(facts -> Acquiring.next(asked, ATTEMPT, facts));
    }

    private static Optional<ServingEffect> acquire(AddressRequest request) {
        return Optional.of(new ServingEffect.Choose(request));
    }

    private static Optional<ServingEffect> joinQueue(AddressRequest request, WaitReason why, Refusal... refusals) {
        return Optional.of(new ServingEffect.JoinQueue(request, List.of(refusals), why));
    }

    private static Optional<ServingEffect> count() {
        return Optional.of(new ServingEffect.CountAssigned());
    }

    private static Optional<ServingEffect> stopWaiting() {
        return Optional.of(new ServingEffect.StopWaiting());
    }

    private static Choice.Pick pick(IpFamily family) {
        return new Choice.Pick(Ip.parse(family == IPV4 ? "192.0.2.1" : "2001:db8::1"), "edge", null);
    }

    private static Outcome chosen(AddressRequest request, Refusal... missing) {
        List<IpFamily> without = Stream.of(missing).map(Refusal::family).toList();
        return new Outcome.Chosen(new Choice.Assigned(
                request,
                request.families().stream()
                        .filter(family -> !without.contains(family))
                        .map(AcquiringTest::pick)
                        .toList(),
                List.of(missing)));
    }

    private static Outcome claimed(IpFamily family, Whose whose) {
        return new Outcome.ClaimTried(pick(family).ip(), whose);
    }

    /** All of it is claimed, but for what another has in these families. */
    private static Outcome[] came(Outcome chosen, IpFamily... lost) {
        Choice.Assigned choice = ((Outcome.Chosen) chosen).choice();
        return Stream.concat(
                        Stream.of(chosen),
                        choice.picks().stream()
                                .map(pick -> claimed(
                                        pick.ip().family(),
                                        List.of(lost).contains(pick.ip().family()) ? Whose.ANOTHERS : Whose.OURS)))
                .toArray(Outcome[]::new);
    }

    @Test
    void allChosen_andClaimed_leavesTheQueue() {
        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH)))
                .then(count(), COUNTED)
                .then(stopWaiting(), LEFT)
                .ends(Optional.empty());
    }

    @Test
    void noneFree_joinsTheQueue_andSaysWhy() {
        WaitReason why = WaitReason.of(BOTH, List.of(full(IPV4), full(IPV6)));

        way(BOTH)
                .then(acquire(BOTH), new Outcome.NotChosen(List.of(full(IPV4), full(IPV6))))
                .then(joinQueue(BOTH, why, full(IPV4), full(IPV6)), new Outcome.Lacks(why))
                .ends(Optional.empty());
    }

    @Test
    void familyThatIsMissing_isWaitedFor() {
        WaitReason why = WaitReason.of(BOTH, List.of(full(IPV6)));

        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH, full(IPV6))))
                .then(count(), COUNTED)
                .then(joinQueue(BOTH.onlyFor(List.of(IPV6)), why, full(IPV6)), new Outcome.Lacks(why))
                .ends(Optional.empty());
    }

    @Test
    void familyThatIsLost_isChosenAgain_withoutTheOther() {
        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH), IPV6))
                .then(acquire(BOTH.onlyFor(List.of(IPV6))), came(chosen(BOTH.onlyFor(List.of(IPV6)))))
                .then(count(), COUNTED)
                .then(stopWaiting(), LEFT)
                .ends(Optional.empty());
    }

    @Test
    void familyThatIsLost_whileTheOtherIsMissing_isChosenAgain_andTheOtherWaitedFor() {
        WaitReason why = WaitReason.of(BOTH, List.of(full(IPV6)));

        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH, full(IPV6)), IPV4))
                .then(acquire(BOTH.onlyFor(List.of(IPV4))), came(chosen(BOTH.onlyFor(List.of(IPV4)))))
                .then(count(), COUNTED)
                .ends(joinQueue(BOTH.onlyFor(List.of(IPV6)), why, full(IPV6)));
    }

    @Test
    void familyThatIsRefusedAfterALoss_isWaitedForAlone() {
        AddressRequest rest = BOTH.onlyFor(List.of(IPV6));

        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH), IPV6))
                .then(acquire(rest), new Outcome.NotChosen(List.of(full(IPV6))))
                .ends(joinQueue(rest, WaitReason.of(rest, List.of(full(IPV6))), full(IPV6)));
    }

    @Test
    void familyThatIsRefusedAfterALoss_isWaitedForWithTheOther_whereAHalfIsNoUse() {
        AddressRequest rest = WHOLE.onlyFor(List.of(IPV6));

        way(WHOLE)
                .then(acquire(WHOLE), came(chosen(WHOLE), IPV6))
                .then(acquire(rest), new Outcome.NotChosen(List.of(full(IPV6))))
                .ends(joinQueue(WHOLE, WaitReason.of(rest, List.of(full(IPV6))), full(IPV6)));
    }

    @Test
    void familyThatIsRefusedAfterALoss_isWaitedForBesideTheOneThatWasMissingBefore() {
        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH, full(IPV6)), IPV4))
                .then(acquire(BOTH.onlyFor(List.of(IPV4))), new Outcome.NotChosen(List.of(full(IPV4))))
                .ends(joinQueue(BOTH, WaitReason.of(BOTH, List.of(full(IPV4), full(IPV6))), full(IPV4), full(IPV6)));
    }

    @Test
    void familyThatIsRefusedAfterALoss_withNoPoolAtAll_isWaitedFor() {
        AddressRequest rest = BOTH.onlyFor(List.of(IPV6));

        way(BOTH)
                .then(acquire(BOTH), came(chosen(BOTH), IPV6))
                .then(acquire(rest), new Outcome.NotChosen(List.of()))
                .ends(joinQueue(rest, WaitReason.of(rest, List.of())));
    }

    @Test
    void bothLost_areChosenAgain_allOrNone() {
        way(WHOLE)
                .then(acquire(WHOLE), came(chosen(WHOLE), IPV4, IPV6))
                .then(acquire(WHOLE), came(chosen(WHOLE)))
                .then(count(), COUNTED)
                .ends(stopWaiting());
    }

    @Test
    void twentyChoicesThatAreLost_areAFailure() {
        Way<Optional<ServingEffect>> way = way(BOTH);
        for (int choice = 0; choice < 20; choice++) {
            way.then(acquire(BOTH), came(chosen(BOTH), IPV4, IPV6));
        }

        ServiceFailure failure = new ServiceFailure(
                "choosing an address",
                Reason.ClaimFailed,
                "20 chosen addresses were taken by another operator, or are still being deleted",
                ATTEMPT);
        way.ends(Optional.of(new ServingEffect.Postpone(failure)));
        assertThat(failure.message())
                .isEqualTo(
                        "choosing an address: 20 chosen addresses were taken by another operator, or are still being deleted");
    }

    private static Way<Optional<ServingEffect>> rest() {
        return Way.of(Acquiring::rest);
    }

    private static Optional<ServingEffect> claim(AddressRequest request, IpFamily family) {
        Choice.Pick pick = pick(family);
        return Optional.of(new ServingEffect.CreateChosen(pick.ip(), request.claimOf(pick.pool())));
    }

    @Test
    void addressThatOthersHave_andThatIsShared_isJoined() {
        AddressRequest sharing = new AddressRequest(
                new ServiceKey("prod", "web"),
                "u1",
                "x/y",
                List.of(IPV4),
                false,
                new Requester(List.of(), Map.of(), Map.of()),
                new AddressConstraints(List.of(), List.of(), new Sharing("dns", "", List.of()), false),
                List.of(),
                QueuePosition.FIRST);
        Claim shared = new Claim(
                Ip.parse("192.0.2.1"),
                "c1",
                "5",
                ClaimSpec.of("edge", "x/y", new Owner(new ServiceKey("prod", "dns"), "u2")));
        Choice.Assigned choice =
                new Choice.Assigned(sharing, List.of(new Choice.Pick(shared.ip(), "edge", shared)), List.of());

        assertThat(Acquiring.rest(Facts.NONE.with(new Outcome.Chosen(choice))))
                .contains(new ServingEffect.JoinChosen(shared, sharing.joining(shared)));
        assertThat(sharing.joining(shared).owners()).contains(sharing.owner());
    }

    @Test
    void whatIsChosen_isClaimedOneByOne_whateverComesOfTheFirst() {
        Outcome.Failed denied =
                new Outcome.Failed(new ServiceFailure("claiming 192.0.2.1", Reason.ClaimFailed, "denied", ATTEMPT));

        rest().ends(Optional.empty());
        Way.of((Facts facts) -> Acquiring.rest(facts.with(chosen(BOTH)))).ends(claim(BOTH, IPV4));
        Way.of((Facts facts) -> Acquiring.rest(Facts.NONE.with(chosen(BOTH)).with(facts.outcomes())))
                .then(claim(BOTH, IPV4), claimed(IPV4, Whose.NOT_MADE), denied)
                .then(claim(BOTH, IPV6), claimed(IPV6, Whose.OURS))
                .ends(Optional.empty());
    }

    @Test
    void addressWithoutObject_isGivenUpOnce() {
        Ip first = pick(IPV4).ip();
        Facts notMade = Facts.NONE.with(chosen(BOTH), claimed(IPV4, Whose.NOT_MADE), claimed(IPV6, Whose.UNSURE));

        assertThat(notMade.chosenInVain()).containsExactly(first);
        assertThat(notMade.notMade()).isEmpty();
        assertThat(notMade.with(new Outcome.GivenUp(first)).chosenInVain()).isEmpty();
    }
}
