package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ServiceState.Delivery;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which call the provider gets, by what is known of it. */
class ProviderCallTest {
    private static final ServedClass EDGE = served(false);
    private static final ServedClass IMMEDIATE = served(true);
    private static final EnsureOutcome.Ready READY =
            EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.1", IpMode.VIP))));

    private static final Demand WITH_ADDRESS = demand("node-a", "192.0.2.1");
    private static final Demand WITHOUT_ADDRESS = demand("node-a");
    private static final LoadBalancerRequest REQUEST = WITH_ADDRESS.request();
    private static final ProviderState ENSURED = ProviderState.nothing().ensured(REQUEST, EDGE, READY);

    private static ServedClass served(boolean immediate) {
        return SampleClasses.one(
                        "x/y",
                        "edge",
                        Capabilities.fromPools(IpMode.VIP).withImmediate(immediate),
                        null,
                        Classless.ALWAYS)
                .served()
                .getFirst();
    }

    private static Demand demand(String node, String... addresses) {
        Demand demand = Demand.of(
                new SampleService().delivery(Delivery.PLAIN).build(),
                EDGE,
                "c",
                1,
                AddressConstraints.NONE,
                Arrays.stream(addresses).map(Ip::parse).toList(),
                Backends.NONE);
        return new Demand(
                demand.request().toBuilder()
                        .nodes(List.of(LoadBalancerRequest.Node.named(node)))
                        .build(),
                demand.unmet(),
                demand.portErrors());
    }

    private static ProviderCall next(ProviderState state, Demand demand) {
        return ProviderCall.next(state, demand, EDGE, true, true, answer -> true);
    }

    @Test
    void providerThatWasNotAsked_isAsked_afterALiveRead() {
        assertThat(ProviderCall.next(ProviderState.nothing(), WITH_ADDRESS, EDGE, true, false, answer -> true))
                .isEqualTo(new ProviderCall.ReadLive(REQUEST));
        assertThat(next(ProviderState.nothing(), WITH_ADDRESS)).isEqualTo(new ProviderCall.Ensure(REQUEST));
    }

    @Test
    void whatAnotherProviderAnswered_countsForNothing() {
        ServedClass other = SampleClasses.one(
                        "x/y", "other", Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
                .served()
                .getFirst();
        ProviderState elsewhere = ProviderState.nothing().elsewhere(REQUEST, EDGE);

        for (ProviderState state : List.of(ENSURED, ENSURED.doubted(), elsewhere)) {
            assertThat(ProviderCall.next(state, WITH_ADDRESS, other, true, true, answer -> true))
                    .isEqualTo(new ProviderCall.Ensure(REQUEST));
        }
        Demand otherNode = demand("node-b", "192.0.2.1");
        assertThat(ProviderCall.next(ENSURED, otherNode, other, true, true, answer -> true))
                .isEqualTo(new ProviderCall.Ensure(otherNode.request()));
    }

    @Test
    void whatIsHeld_isAskedOfNobody_andWhatThereIsStays() {
        Demand held = new Demand(REQUEST, List.of(), List.of(), Optional.of("no certificate"));

        for (ProviderState state : List.of(ProviderState.nothing(), ENSURED)) {
            assertThat(next(state, held)).isEqualTo(new ProviderCall.Hold(REQUEST, "no certificate"));
        }
    }

    @Test
    void providerWithinTheProcess_isAskedWithoutALiveRead() {
        assertThat(ProviderCall.next(ProviderState.nothing(), WITH_ADDRESS, IMMEDIATE, false, false, answer -> true))
                .isEqualTo(new ProviderCall.Ensure(REQUEST));
    }

    @Test
    void unchangedRequest_isNotSentAgain() {
        assertThat(next(ENSURED, WITH_ADDRESS)).isEqualTo(new ProviderCall.Keep(READY));
    }

    @Test
    void answerThatMayNotBePublishedAnyMore_isAskedForAgain() {
        assertThat(ProviderCall.next(ENSURED, WITH_ADDRESS, EDGE, true, true, answer -> false))
                .isEqualTo(new ProviderCall.Ensure(REQUEST));
    }

    @Test
    void answerInDoubt_isLookedAt_andAskedForAgainOnlyIfItIsNotSo() {
        assertThat(next(ENSURED.doubted(), WITH_ADDRESS)).isEqualTo(new ProviderCall.Look(REQUEST, READY));
        assertThat(next(ENSURED.doubted().looked(), WITH_ADDRESS)).isEqualTo(new ProviderCall.Keep(READY));
        assertThat(next(ENSURED.doubted().looked().unsure(), WITH_ADDRESS)).isEqualTo(new ProviderCall.Ensure(REQUEST));
    }

    @Test
    void otherTargetsAlone_areAnUpdate_andAnythingElseIsAnEnsure() {
        Demand otherNode = demand("node-b", "192.0.2.1");
        Demand otherAddress = demand("node-a", "192.0.2.2");

        assertThat(next(ENSURED, otherNode)).isEqualTo(new ProviderCall.Update(otherNode.request()));
        assertThat(next(ENSURED, otherAddress)).isEqualTo(new ProviderCall.Ensure(otherAddress.request()));
    }

    @Test
    void updateThatFailed_isDoneAgainFromTheGroundUp() {
        Demand otherNode = demand("node-b", "192.0.2.1");

        assertThat(next(ENSURED.unsure(), otherNode)).isEqualTo(new ProviderCall.Ensure(otherNode.request()));
    }

    @Test
    void serviceThatAnotherServes_isNotAskedForAgain_untilItChanges() {
        ProviderState elsewhere = ProviderState.nothing().elsewhere(REQUEST, EDGE);

        assertThat(next(elsewhere, WITH_ADDRESS)).isEqualTo(new ProviderCall.LeaveToAnother());
        assertThat(next(elsewhere, demand("node-a", "192.0.2.2"))).isInstanceOf(ProviderCall.Ensure.class);
    }

    @Test
    void serviceThatLostItsAddress_hasItsLoadBalancerDeleted_once() {
        assertThat(next(ENSURED, WITHOUT_ADDRESS)).isEqualTo(new ProviderCall.Delete(WITHOUT_ADDRESS.request()));
        assertThat(next(ENSURED.deleted(REQUEST.service()), WITHOUT_ADDRESS))
                .isEqualTo(new ProviderCall.NothingToServe());
    }

    @Test
    void serviceThatNeverHadAnAddress_isNotWithdrawn() {
        assertThat(ProviderCall.next(ProviderState.nothing(), WITHOUT_ADDRESS, EDGE, false, true, answer -> true))
                .isEqualTo(new ProviderCall.NothingToServe());
    }

    @Test
    void serviceOfBeforeARestart_hasItsLoadBalancerDeleted_forItsFinalizerTellsThatThereMayBeSomething() {
        assertThat(ProviderCall.next(ProviderState.nothing(), WITHOUT_ADDRESS, EDGE, true, true, answer -> true))
                .isEqualTo(new ProviderCall.Delete(WITHOUT_ADDRESS.request()));
    }
}
