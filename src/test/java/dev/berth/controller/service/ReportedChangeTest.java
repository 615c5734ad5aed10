package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Next;
import dev.berth.loadbalancer.Backends;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A provider says that the load balancer of a Service has changed without Berth. */
class ReportedChangeTest extends CloudStage {
    private static final LoadBalancerStatus OTHER =
            LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.66", IpMode.PROXY)));

    /** What happens once in a pass that has begun, before it calls the provider. */
    private Runnable beforeCall = () -> {};

    @Override
    Backends backends() {
        Runnable happens = beforeCall;
        beforeCall = () -> {};
        happens.run();
        return super.backends();
    }

    private static ServiceIdentity identity(String name) {
        return new ServiceIdentity("prod", name, "uid-" + name);
    }

    private void reported(String name) {
        control.loadBalancerChanged("cloud", identity(name));
    }

    /** What is to be done after a delay is done, and what that makes due reconciled. */
    private void afterDelays() {
        List<Later> all = List.copyOf(later);
        later.clear();
        all.forEach(one -> {
            clock = clock.plus(one.delay());
            one.what().run();
        });
        reconcileDue();
    }

    @Test
    void providerThatIsListenedTo_hasItsServiceMadeDue() throws InterruptedException {
        served("web");
        control.listenToProviders();
        Consumer<ServiceIdentity> listener = Objects.requireNonNull(cloud.listeners.poll(20, TimeUnit.SECONDS));

        listener.accept(identity("web"));

        assertThat(later).hasSize(1);
        later.getFirst().what().run();
        assertThat(due).containsExactly(key("web"));
    }

    @Test
    void loadBalancer_isLookedAtAtOnce_andEnsuredAgainIfItDrifted() {
        served("web", "other");
        cloud.has = null;

        reported("web");

        assertThat(later).extracting(Later::delay).containsExactly(Duration.ZERO);
        afterDelays();
        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]");
        assertThat(recorded.events).anyMatch(event -> event.startsWith("Warning LoadBalancerDrifted:"));
    }

    @Test
    void loadBalancer_thatIsAsItShouldBe_isLookedAtOnce_andLeftAlone() {
        served("web");

        reported("web");
        afterDelays();
        reconcile("web");

        assertThat(cloud.calls).containsExactly("get web[n1]");
        assertThat(recorded.events).isEmpty();
    }

    @Test
    void reportedAgainAndAgain_itIsLookedAtOnce_andThenEveryFiveSeconds() {
        served("web");
        for (int i = 0; i < 1_000; i++) {
            reported("web");
        }
        assertThat(later).hasSize(1);
        afterDelays();

        for (int i = 0; i < 1_000; i++) {
            reported("web");
        }
        assertThat(later).extracting(Later::delay).containsExactly(Duration.ofSeconds(5));
        afterDelays();
        clock = clock.plusSeconds(2);
        reported("web");
        assertThat(later).extracting(Later::delay).containsExactly(Duration.ofSeconds(3));

        assertThat(cloud.calls).containsExactly("get web[n1]", "get web[n1]");
    }

    @Test
    void providerThatReportsWhenItIsLookedAt_isNotLookedAtWithoutPause() {
        served("web");
        reported("web");
        cloud.meanwhile = () -> reported("web");

        afterDelays();

        assertThat(later).extracting(Later::delay).containsExactly(Duration.ofSeconds(5));
        assertThat(cloud.calls).containsExactly("get web[n1]");
    }

    @Test
    void providerThatReportsWhatEachEnsureDoes_isNotLookedAtWithoutPause() {
        served("web");
        cloud.has = null;
        reported("web");
        afterDelays();
        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]");

        cloud.has = null;
        reported("web");

        assertThat(later).extracting(Later::delay).containsExactly(Duration.ofSeconds(5));
        reconcile("web");
        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]");
        afterDelays();
        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]", "get web[n1]", "ensure web[n1]");
    }

    @Test
    void changeReportedJustBeforeALook_isSeenByIt_andLaterOnesAreLookedAtAsWell() {
        served("web");
        reported("web");
        beforeCall = () -> reported("web");
        afterDelays();
        afterDelays();
        assertThat(cloud.calls).containsExactly("get web[n1]");

        cloud.has = OTHER;
        reported("web");
        afterDelays();

        assertThat(cloud.calls).containsExactly("get web[n1]", "get web[n1]", "ensure web[n1]");
    }

    @Test
    void changeReportedBeforeTheLookOfAResync_isSeenByIt_andLaterOnesAreLookedAtAsWell() {
        served("web");
        reported("web");
        afterDelays();
        clock = clock.plusSeconds(2);
        reported("web");
        clock = clock.plusSeconds(1);
        resync();
        due.clear();
        cloud.calls.clear();
        afterDelays();
        assertThat(cloud.calls).isEmpty();

        cloud.has = OTHER;
        reported("web");
        afterDelays();

        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]");
    }

    /** A timer may be early by a clock's tick. */
    @Test
    void whatIsReportedAndCannotBeLookedAtYet_isLookedAtByItself() {
        served("web");
        reported("web");
        afterDelays();
        reported("web");
        clock = clock.plusSeconds(4);

        Next next = reconcile("web");

        assertThat(cloud.calls).containsExactly("get web[n1]");
        assertThat(next).isEqualTo(Next.after(Duration.ofSeconds(1)));
        clock = clock.plusSeconds(1);
        assertThat(reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(cloud.calls).containsExactly("get web[n1]", "get web[n1]");
    }

    @Test
    void changeDuringACall_isLookedAtAfterIt() {
        create("web");
        cloud.meanwhile = () -> {
            cloud.has = OTHER;
            reported("web");
        };
        reconcile("web");
        cloud.calls.clear();

        afterDelays();

        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]");
    }

    @Test
    void whatTheProviderWasNotAskedToServe_isIgnored() {
        served("web");

        control.loadBalancerChanged("cloud", identity("nobody"));
        control.loadBalancerChanged("cloud", new ServiceIdentity("prod", "web", "uid-of-its-predecessor"));
        control.loadBalancerChanged("another", identity("web"));

        assertThat(later).isEmpty();
        assertThat(due).isEmpty();
        reconcile("web");
        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void serviceThatIsGone_isIgnored() {
        served("web");
        cluster.endService(key("web"));
        reconcile("web");
        later.clear();
        cloud.calls.clear();

        reported("web");
        afterDelays();

        assertThat(cloud.calls).isEmpty();
    }
}
