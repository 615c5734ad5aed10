package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ProviderState.Made;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProviderStateTest {
    private static final ServiceIdentity WEB = new ServiceIdentity("prod", "web", "u1");
    private static final LoadBalancerRequest REQUEST = request(WEB);
    private static final LoadBalancerRequest OTHER_TARGETS = LoadBalancerRequest.builder("c", WEB, IpMode.VIP)
            .nodes(List.of(LoadBalancerRequest.Node.named("new")))
            .build();
    private static final EnsureOutcome.Ready READY =
            EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.1", IpMode.VIP))));
    private static final ServedClass EDGE = served("example.com/edge", "edge");
    private static final ServedClass CORE = served("example.com/core", "core");

    private static LoadBalancerRequest request(ServiceIdentity service) {
        return LoadBalancerRequest.builder("c", service, IpMode.VIP).build();
    }

    private static ServedClass served(String value, String provider) {
        return SampleClasses.one(value, provider, Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
                .served()
                .getFirst();
    }

    private static ProviderState ensured() {
        return ProviderState.nothing().asks(REQUEST, EDGE).ensured(REQUEST, EDGE, READY);
    }

    @Test
    void providerThatIsBeingAsked_mayHaveMadeSomething_andHasNotAnswered() {
        ProviderState asked = ProviderState.nothing().asks(REQUEST, EDGE);

        assertThat(asked.mayHaveMadeFor(WEB)).isTrue();
        assertThat(asked.answerTo(REQUEST, EDGE)).isEmpty();
    }

    @Test
    void answer_isOfItsRequestAlone() {
        assertThat(ensured().answerTo(REQUEST, EDGE)).contains(READY);
        assertThat(ensured().answerTo(request(new ServiceIdentity("prod", "web", "u2")), EDGE))
                .isEmpty();
    }

    @Test
    void doubt_staysUntilItIsLookedAt_alsoWhereTargetsChange() {
        assertThat(ensured().doubted().updated(REQUEST, EDGE).isDoubted()).isTrue();
        assertThat(ensured().doubted().looked().isDoubted()).isFalse();
        assertThat(ProviderState.nothing().doubted().isDoubted()).isFalse();
    }

    @Test
    void answerThatIsUnsure_isAskedForAgain_andWhatWasMadeIsNotForgotten() {
        ProviderState unsure = ensured().unsure();

        assertThat(unsure.answerTo(REQUEST, EDGE)).isEmpty();
        assertThat(unsure.made()).contains(new Made(REQUEST, EDGE));
    }

    @Test
    void whatWasMadeForAnother_isNotOfTheServiceItself() {
        assertThat(ensured().madeForAnother(Optional.of("u1"))).isEmpty();
        assertThat(ensured().madeForAnother(Optional.of("u2"))).contains(new Made(REQUEST, EDGE));
        assertThat(ensured().madeForAnother(Optional.empty())).contains(new Made(REQUEST, EDGE));
    }

    @Test
    void callWhoseAnswerIsLost_leavesWhatIsKnownForSure() {
        ProviderState known = ensured().doubted();

        assertThat(known.calling(new ProviderCall.Ensure(REQUEST), EDGE)).isEqualTo(known.asks(REQUEST, EDGE));
        assertThat(known.calling(new ProviderCall.Look(REQUEST, READY), EDGE)).isEqualTo(known.looked());
        assertThat(known.calling(new ProviderCall.Update(REQUEST), EDGE)).isEqualTo(known);
        assertThat(known.calling(new ProviderCall.Delete(REQUEST), EDGE)).isEqualTo(known.unsure());
    }

    @Test
    void whatCameOfACall_isInTheState_butForAnAnswerThatIsToBeJudged() {
        ProviderState known = ensured();
        ProviderCall.Made update = new ProviderCall.Update(OTHER_TARGETS);
        ProviderCall.Made ensure = new ProviderCall.Ensure(REQUEST);
        ProviderCall.Made look = new ProviderCall.Look(REQUEST, READY);
        ProviderCall.Made delete = new ProviderCall.Delete(REQUEST);

        assertThat(known.called(update, EDGE, new Outcome.Updated()).answerTo(OTHER_TARGETS, EDGE))
                .contains(READY);
        assertThat(known.called(ensure, EDGE, new Outcome.ServedElsewhere()).isElsewhere(REQUEST, EDGE))
                .isTrue();
        assertThat(known.called(look, EDGE, new Outcome.NotSeen()).isOutOfSight())
                .isFalse();
        assertThat(known.called(look, EDGE, new Outcome.NotSeen())
                        .called(look, EDGE, new Outcome.NotSeen())
                        .isOutOfSight())
                .isTrue();
        assertThat(known.called(delete, EDGE, new Outcome.UnservedDeleted()).isDeletedFor(WEB))
                .isTrue();
        for (Outcome.OfCall unjudged : List.of(
                new Outcome.Answered(READY, AnsweredAddresses.NONE),
                new Outcome.Looked(READY, Optional.empty()),
                new Outcome.NotUpdated("quota"),
                new Outcome.OnItsWay(Duration.ofSeconds(5), "is half made"),
                new Outcome.Failed(
                        new ServiceFailure("ensuring", Reason.EnsureFailed, "quota", new Attempt.Call(REQUEST))))) {
            assertThat(known.called(ensure, EDGE, unjudged)).isEqualTo(known);
        }
    }

    @Test
    void eachClass_deletesOnce_andWhatAnotherMadeStaysUntilThatOneHas() {
        ProviderState core = ensured().deletes(WEB, CORE).deleted(WEB, CORE);
        assertThat(core.isDeletedBy(WEB, CORE)).isTrue();
        assertThat(core.isDeletedBy(WEB, EDGE)).isFalse();
        assertThat(core.made()).contains(new Made(REQUEST, EDGE));

        ProviderState both = core.deletes(WEB, EDGE).deleted(WEB, EDGE);
        assertThat(both.isDeletedBy(WEB, CORE)).isTrue();
        assertThat(both.isDeletedBy(WEB, EDGE)).isTrue();
        assertThat(both.made()).isEmpty();
        assertThat(both.settled()).isEqualTo(ProviderState.nothing());
    }

    @Test
    void deleteWhoseAnswerIsLost_leavesWhatWasMadeInDoubt() {
        ProviderState deleting = ensured().deletes(WEB, EDGE);

        assertThat(deleting.answerTo(REQUEST, EDGE)).isEmpty();
        assertThat(deleting.mayHaveMadeFor(WEB)).isTrue();
        assertThat(deleting.isAskedOf("edge")).isTrue();
    }

    @Test
    void withdrawnLoadBalancer_isNotDeletedTwice_untilItIsAskedForAgain() {
        ProviderState deleted = ensured().deleted(WEB);

        assertThat(deleted.isDeletedFor(WEB)).isTrue();
        assertThat(deleted.made()).isEmpty();
        assertThat(deleted.asks(REQUEST, EDGE).isDeletedFor(WEB)).isFalse();
    }

    @Test
    void whatAProviderLists_countsOnlyWhereNothingIsKnownBetter() {
        assertThat(ProviderState.nothing().listed("u1", "example.com/edge").bringsItsOwn("u1"))
                .contains("example.com/edge");
        assertThat(ProviderState.nothing().listed("u1", "example.com/edge").bringsItsOwn("u2"))
                .isEmpty();
        assertThat(ensured().listed("u1", "example.com/edge")).isEqualTo(ensured());
    }

    @Test
    void classThatSaysSomethingElseByNow_isTheOneByWhichTheLoadBalancerIsDeleted() {
        ServedClass edge = SampleClasses.one(
                        "example.com/edge", "edge", Capabilities.fromPools(IpMode.PROXY), null, Classless.ALWAYS)
                .served()
                .getFirst();

        assertThat(ensured().kept(edge).made()).contains(new Made(REQUEST, edge));
        assertThat(ensured().updated(REQUEST, edge).made()).contains(new Made(REQUEST, edge));
        assertThat(ensured().kept(CORE)).isEqualTo(ensured());
        assertThat(ProviderState.nothing().kept(edge)).isEqualTo(ProviderState.nothing());
    }
}
