package dev.berth.loadbalancer;

import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.Requester;
import dev.berth.reason.Reason;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The ways to the addresses that a Service lacks: the effects, in order, and what comes of each. */
class AcquiringTest {
    private static final String ATTEMPT = "attempt";
    private static final AddressRequest BOTH = asks(false, IPV4, IPV6);
    private static final AddressRequest WHOLE = asks(true, IPV4, IPV6);
    private static final Outcome ALL = new Outcome.Acquired(List.of(), List.of());
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
        return Optional.of(new ServingEffect.Acquire(request));
    }

    private static Optional<ServingEffect> joinQueue(AddressRequest request, WaitReason why) {
        return Optional.of(new ServingEffect.JoinQueue(request, why));
    }

    private static Optional<ServingEffect> stopWaiting() {
        return Optional.of(new ServingEffect.StopWaiting());
    }

    private static Outcome lost(IpFamily... families) {
        return new Outcome.Acquired(List.of(families), List.of());
    }

    @Test
    void allChosen_andClaimed_leavesTheQueue() {
        way(BOTH).then(acquire(BOTH), ALL).then(stopWaiting(), LEFT).ends(Optional.empty());
    }

    @Test
    void noneFree_joinsTheQueue_andSaysWhy() {
        WaitReason why = WaitReason.of(BOTH, List.of(full(IPV4), full(IPV6)));

        way(BOTH)
                .then(acquire(BOTH), new Outcome.NotAcquired(List.of(full(IPV4), full(IPV6))))
                .then(joinQueue(BOTH, why), new Outcome.Lacks(why))
                .ends(Optional.empty());
    }

    @Test
    void familyThatIsMissing_isWaitedFor() {
        WaitReason why = WaitReason.of(BOTH, List.of(full(IPV6)));

        way(BOTH)
                .then(acquire(BOTH), new Outcome.Acquired(List.of(), List.of(full(IPV6))))
                .then(joinQueue(BOTH.onlyFor(List.of(IPV6)), why), new Outcome.Lacks(why))
                .ends(Optional.empty());
    }

    @Test
    void familyThatIsLost_isChosenAgain_withoutTheOther() {
        way(BOTH)
                .then(acquire(BOTH), lost(IPV6))
                .then(acquire(BOTH.onlyFor(List.of(IPV6))), ALL)
                .then(stopWaiting(), LEFT)
                .ends(Optional.empty());
    }

    @Test
    void familyThatIsLost_whileTheOtherIsMissing_isChosenAgain_andTheOtherWaitedFor() {
        WaitReason why = WaitReason.of(BOTH, List.of(full(IPV6)));

        way(BOTH)
                .then(acquire(BOTH), new Outcome.Acquired(List.of(IPV4), List.of(full(IPV6))))
                .then(acquire(BOTH.onlyFor(List.of(IPV4))), ALL)
                .ends(joinQueue(BOTH.onlyFor(List.of(IPV6)), why));
    }

    @Test
    void familyThatIsRefusedAfterALoss_isWaitedForAlone() {
        AddressRequest rest = BOTH.onlyFor(List.of(IPV6));

        way(BOTH)
                .then(acquire(BOTH), lost(IPV6))
                .then(acquire(rest), new Outcome.NotAcquired(List.of(full(IPV6))))
                .ends(joinQueue(rest, WaitReason.of(rest, List.of(full(IPV6)))));
    }

    @Test
    void familyThatIsRefusedAfterALoss_isWaitedForWithTheOther_whereAHalfIsNoUse() {
        AddressRequest rest = WHOLE.onlyFor(List.of(IPV6));

        way(WHOLE)
                .then(acquire(WHOLE), lost(IPV6))
                .then(acquire(rest), new Outcome.NotAcquired(List.of(full(IPV6))))
                .ends(joinQueue(WHOLE, WaitReason.of(rest, List.of(full(IPV6)))));
    }

    @Test
    void familyThatIsRefusedAfterALoss_isWaitedForBesideTheOneThatWasMissingBefore() {
        way(BOTH)
                .then(acquire(BOTH), new Outcome.Acquired(List.of(IPV4), List.of(full(IPV6))))
                .then(acquire(BOTH.onlyFor(List.of(IPV4))), new Outcome.NotAcquired(List.of(full(IPV4))))
                .ends(joinQueue(BOTH, WaitReason.of(BOTH, List.of(full(IPV4), full(IPV6)))));
    }

    @Test
    void familyThatIsRefusedAfterALoss_withNoPoolAtAll_isWaitedFor() {
        AddressRequest rest = BOTH.onlyFor(List.of(IPV6));

        way(BOTH)
                .then(acquire(BOTH), lost(IPV6))
                .then(acquire(rest), new Outcome.NotAcquired(List.of()))
                .ends(joinQueue(rest, WaitReason.of(rest, List.of())));
    }

    @Test
    void bothLost_areChosenAgain_allOrNone() {
        way(WHOLE)
                .then(acquire(WHOLE), lost(IPV4, IPV6))
                .then(acquire(WHOLE), ALL)
                .ends(stopWaiting());
    }

    @Test
    void twentyChoicesThatAreLost_areAFailure() {
        Way<Optional<ServingEffect>> way = way(BOTH);
        for (int choice = 0; choice < 20; choice++) {
            way.then(acquire(BOTH), lost(IPV4, IPV6));
        }

        ServiceFailure failure = new ServiceFailure(
                "choosing an address",
                Reason.ClaimFailed,
                "20 chosen addresses were taken by another operator",
                ATTEMPT);
        way.ends(Optional.of(new ServingEffect.Postpone(failure)));
        assertThat(failure.message())
                .isEqualTo("choosing an address: 20 chosen addresses were taken by another operator");
    }
}
