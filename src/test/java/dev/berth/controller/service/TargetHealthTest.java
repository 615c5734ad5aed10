package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Next;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.TargetHealth;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a Service comes to say how many targets of its load balancer pass their health check, and how often. */
class TargetHealthTest extends CloudStage {
    private static LoadBalancerStatus healthy(int healthy, int total) {
        return PUBLIC.withTargets(new TargetHealth(total, healthy));
    }

    private void servedWith(LoadBalancerStatus status) {
        cloud.answer = EnsureOutcome.ready(status);
        cloud.has = status;
        served("web");
    }

    /** It is reconciled after the delay that it asked for. */
    private Next after(Next next) {
        clock = clock.plus(next.delay().orElseThrow());
        return reconcile("web");
    }

    private @Nullable String said() {
        return service("web")
                .condition(WellKnownNames.TARGETS_HEALTHY)
                .map(condition -> condition.status() + " " + condition.reason() + ": " + condition.message())
                .orElse(null);
    }

    @Test
    void providerThatSaysNothingOfItsTargets_isNotLookedAt_andNothingIsSaid() {
        served("web");

        clock = clock.plus(Duration.ofHours(1));

        assertThat(reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(cloud.calls).isEmpty();
        assertThat(said()).isNull();
    }

    @Test
    void targetsAreCountedSoonAfterAChange_andThenTwiceAMinute() {
        cloud.answer = EnsureOutcome.ready(healthy(1, 3));
        cloud.has = healthy(3, 3);
        create("web");

        Next next = reconcile("web");
        assertThat(said()).isEqualTo("True SomeTargetsHealthy: 1 of 3 targets pass the health check");
        assertThat(next).isEqualTo(Next.after(Duration.ofSeconds(5)));

        next = after(next);
        assertThat(said()).isEqualTo("True AllTargetsHealthy: 3 of 3 targets pass the health check");
        assertThat(next).isEqualTo(Next.after(Duration.ofSeconds(30)));

        cloud.calls.clear();
        after(after(next));
        assertThat(cloud.calls).containsExactly("get web[n1]", "get web[n1]");
    }

    @Test
    void changeOfTargets_isLookedAtSoon() {
        servedWith(healthy(1, 1));
        after(reconcile("web"));
        cloud.has = healthy(1, 2);

        nodesBecome(nodes("n1", "n2"));
        Next next = reconcile("web");
        assertThat(next).isEqualTo(Next.after(Duration.ofSeconds(5)));
        after(next);

        assertThat(said()).isEqualTo("True SomeTargetsHealthy: 1 of 2 targets pass the health check");
    }

    @Test
    void ifAllFail_itIsSaid_alsoByAnEvent_andThatTheLoadBalancerDrifted_isNot() {
        servedWith(healthy(2, 2));
        cloud.has = healthy(0, 2);

        after(reconcile("web"));

        assertThat(said())
                .isEqualTo(
                        "False AllTargetsUnhealthy: 0 of 2 targets pass the health check; connections go to all of them");
        assertThat(recorded.events)
                .containsExactly(
                        "Warning AllTargetsUnhealthy: 0 of 2 targets pass the health check; connections go to all of them");
        assertThat(cloud.calls).containsExactly("get web[n1]");
    }

    /** Each write of a status goes to all who watch Services. */
    @Test
    void numbersThatChangeWithEachLook_areWrittenTwiceAMinute() {
        servedWith(healthy(1, 1));
        Next next = reconcile("web");
        int before = cluster.writes();

        for (int seconds = 0; seconds < 60; seconds += 5) {
            cloud.has = healthy(1 + seconds % 2, 3);
            // As if each change of an endpoint had it looked at.
            nodesBecome(nodes("n" + seconds));
            clock = clock.plusSeconds(5);
            next = reconcile("web");
        }

        assertThat(cluster.writes() - before).isBetween(1, 3);
        cloud.has = healthy(3, 3);
        clock = clock.plusSeconds(60);
        after(next);
        assertThat(said()).startsWith("True AllTargetsHealthy: 3 of 3");
    }

    @Test
    void providerThatDoesNotAnswer_leavesItUnknown_fromTheSecondTimeOn() {
        servedWith(healthy(2, 2));
        cloud.getFails = true;

        Next next = after(reconcile("web"));
        assertThat(said()).startsWith("True AllTargetsHealthy");
        next = after(next);
        assertThat(said())
                .isEqualTo("Unknown ProviderNotResponding: provider \"cloud\" is not responding; last reported: 2 of 2"
                        + " targets pass the health check");

        cloud.getFails = false;
        after(next);
        assertThat(said()).startsWith("True AllTargetsHealthy");
    }

    @Test
    void conditionGoes_withTheLoadBalancer() {
        servedWith(healthy(2, 2));
        assertThat(service("web").conditions()).extracting(Condition::type).contains(WellKnownNames.TARGETS_HEALTHY);

        cloud.has = PUBLIC;
        cloud.answer = EnsureOutcome.ready(PUBLIC);
        after(reconcile("web"));

        assertThat(said()).isNull();
        assertThat(List.of(reconcile("web"))).containsExactly(Next.ON_EVENT);
    }
}
