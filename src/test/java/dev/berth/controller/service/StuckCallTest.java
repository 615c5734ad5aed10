package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A call to a provider outlives its deadline, and returns in the end. */
class StuckCallTest extends CloudStage {
    private final CountDownLatch let = new CountDownLatch(1);
    private final CompletableFuture<Thread> calling = new CompletableFuture<>();

    @BeforeEach
    void callsAreGivenUpSoon() {
        // One that answers must be made within it, also on a busy machine.
        deadline = Duration.ofMillis(250);
        control = operator();
    }

    private void hang() {
        calling.complete(Thread.currentThread());
        Uninterruptible.await(let);
    }

    private void callReturns() throws InterruptedException {
        due.clear();
        let.countDown();
        calling.join().join();
    }

    /** It fails at its deadline, and then for the call is still there. */
    private void becomesStuck(String name) {
        cloud.meanwhile = this::hang;
        clock = clock.plus(reconcile(name).delay().orElseThrow());
        assertThat(reconcile(name).delay()).isPresent();
        cloud.calls.clear();
    }

    @Test
    void serviceWhoseCallHasReturned_isServedAtOnce_andNotAfterItsBackOff() throws Exception {
        create("web");
        becomesStuck("web");
        assertThat(service("web").condition(WellKnownNames.PROGRAMMED).map(Condition::reason))
                .hasValue("ProviderStuck");

        reconcile("web");
        callReturns();

        assertThat(due).containsExactly(key("web"));
        reconcileDue();
        assertThat(service("web").ingress()).isNotEmpty();
    }

    @Test
    void serviceThatIsTornDown_whoseCallHasReturned_isDeletedAtOnce() throws Exception {
        served("web");
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        becomesStuck("web");

        reconcile("web");
        callReturns();

        assertThat(due).containsExactly(key("web"));
        reconcileDue();
        assertThat(cloud.calls).containsExactly("delete web[n1]");
        assertThat(service("web").ingress()).isEmpty();
    }

    @Test
    void providerThatFails_onceItsCallHasReturned_isLeftAloneForItsBackOff() throws Exception {
        create("web");
        becomesStuck("web");
        callReturns();
        cloud.ensureFails = new ProviderException("no");

        reconcileDue();
        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
    }

    @Test
    void listThatDoesNotReturn_isSaidOnEachClassOfItsProvider_untilItHas() throws Exception {
        classes = SampleClasses.ofParameters("cloud", cloud.capabilities(), List.of(Map.of(), Map.of("zone", "b")));
        cloud.whileListing = this::hang;
        do {
            // One whose thread had not begun by its deadline is never made.
            control.resync(Duration.ofSeconds(1));
            later.removeFirst().what().run();
        } while (!calling.isDone());

        for (String name : List.of("class-0", "class-1")) {
            assertThat(ofClasses().stuckCalls(name).orElse("nothing"))
                    .contains("calls to its provider exceeded their deadline", "for its list");
        }
        assertThat(ofClasses().stuckCalls("another")).isEmpty();
        assertThat(classesChanged).containsOnly("class-0", "class-1");

        classes = SampleClasses.ofParameters("cloud", cloud.capabilities(), List.of(Map.of()));
        classesChanged.clear();
        callReturns();
        // One that is served no longer, too: its gauge goes back to zero.
        Awaitility.await().untilAsserted(() -> assertThat(classesChanged).containsOnly("class-0", "class-1"));
        assertThat(ofClasses().stuckCalls("class-0")).isEmpty();
    }
}
