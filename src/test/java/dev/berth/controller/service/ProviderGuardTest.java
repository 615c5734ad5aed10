package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.QuietProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProviderGuardTest {
    /** Needs a guard, whatever it says. */
    private static boolean isSure(LoadBalancerProvider provider) {
        return false;
    }

    private static final LoadBalancerRequest REQUEST = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u"), IpMode.PROXY)
            .build();

    private static final LoadBalancerRequest OTHER = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "other", "v"), IpMode.PROXY)
            .build();

    /** Answers when it is let, hears of no interrupt, and counts its calls. */
    private record Deaf(CountDownLatch called, CountDownLatch let, AtomicInteger calls) implements QuietProvider {
        Deaf() {
            this(new CountDownLatch(1), new CountDownLatch(1), new AtomicInteger());
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            if (!request.equals(REQUEST)) {
                return new EnsureOutcome.Pending(Duration.ZERO, "another's");
            }
            calls.incrementAndGet();
            called.countDown();
            boolean isLet = false;
            while (!isLet) {
                try {
                    let.await();
                    isLet = true;
                } catch (InterruptedException unheard) {
                    isLet = let.getCount() == 0;
                }
            }
            return new EnsureOutcome.ImplementedElsewhere();
        }
    }

    /** Answers when it is let. */
    private record Hanging(CountDownLatch called, CountDownLatch let) implements QuietProvider {
        Hanging() {
            this(new CountDownLatch(1), new CountDownLatch(1));
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            called.countDown();
            try {
                let.await();
            } catch (InterruptedException cancelled) {
                throw new ProviderException("cancelled");
            }
            return new EnsureOutcome.ImplementedElsewhere();
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            throw new IllegalStateException("a bug");
        }
    }

    @Test
    void aProviderThatHangs_stallsNoOtherClass_andAFullClassIsPending() throws Exception {
        Hanging hangs = new Hanging();
        Hanging works = new Hanging();
        works.let().countDown();
        try (ProviderGuard guard =
                new ProviderGuard(ProviderGuardTest::isSure, 1, Duration.ZERO, Duration.ofMinutes(5))) {
            CompletableFuture<EnsureOutcome> stuck =
                    CompletableFuture.supplyAsync(() -> guard.ensure("slow", hangs, REQUEST));
            hangs.called().await();

            assertThat(guard.ensure("fast", works, OTHER)).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
            assertThat(guard.ensure("slow", works, OTHER)).isInstanceOf(EnsureOutcome.Pending.class);

            hangs.let().countDown();
            assertThat(stuck.get()).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
        }
    }

    @Test
    void noAnswerBeforeTheDeadline_isAFailure() {
        try (ProviderGuard guard =
                new ProviderGuard(ProviderGuardTest::isSure, 1, Duration.ZERO, Duration.ofMillis(1))) {
            assertThatThrownBy(() -> guard.ensure("slow", new Hanging(), REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("no answer within");
        }
    }

    @Test
    void aBugOfTheProvider_isAFailureThatSaysSo() {
        try (ProviderGuard guard =
                new ProviderGuard(ProviderGuardTest::isSure, 1, Duration.ZERO, Duration.ofMinutes(1))) {
            assertThatThrownBy(() -> guard.delete("slow", new Hanging(), REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessage("the provider failed: java.lang.IllegalStateException: a bug");
        }
    }

    @Test
    void callsForOneService_doNotOverlap_evenPastTheDeadline_andTheNextOneSaysSo() throws Exception {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard =
                new ProviderGuard(ProviderGuardTest::isSure, 9, Duration.ZERO, Duration.ofMillis(10))) {
            do {
                // One whose thread had not begun by its deadline is never made.
                assertThat(catchThrowable(() -> guard.ensure("slow", deaf, REQUEST)))
                        .satisfiesAnyOf(
                                none -> assertThat(none).isNull(),
                                late -> assertThat(late).hasMessageContaining("no answer within"));
            } while (deaf.calls().get() == 0);

            assertThat(guard.ensure("slow", deaf, REQUEST))
                    .isInstanceOfSatisfying(
                            EnsureOutcome.Pending.class,
                            pending -> assertThat(pending.message())
                                    .isEqualTo(
                                            "an earlier call for Service prod/web has not returned yet; the next one is made when it has"));
            assertThatThrownBy(() -> guard.delete("of another class", deaf, REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageStartingWith("an earlier call for Service prod/web has not returned yet");
            assertThat(deaf.calls()).hasValue(1);
        }
        deaf.let().countDown();
    }

    @Test
    void theNextCallForAService_waitsForTheOneBefore() throws Exception {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard =
                new ProviderGuard(ProviderGuardTest::isSure, 9, Duration.ofMinutes(5), Duration.ofMinutes(5))) {
            CompletableFuture<EnsureOutcome> first =
                    CompletableFuture.supplyAsync(() -> guard.ensure("slow", deaf, REQUEST));
            deaf.called().await();
            CompletableFuture<EnsureOutcome> second =
                    CompletableFuture.supplyAsync(() -> guard.ensure("slow", deaf, REQUEST));

            assertThat(guard.ensure("slow", deaf, OTHER)).isInstanceOf(EnsureOutcome.Pending.class);
            assertThat(deaf.calls()).hasValue(1);
            deaf.let().countDown();

            assertThat(first.get()).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
            assertThat(second.get()).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
            assertThat(deaf.calls()).hasValue(2);
        }
    }

    @Test
    void callThatIsGivenUpBeforeItBegan_isNeverMade_andLosesNoPlace() {
        Deaf deaf = new Deaf();
        deaf.let().countDown();
        List<Runnable> withheld = new ArrayList<>();
        ThreadFactory once = what -> {
            if (withheld.isEmpty()) {
                withheld.add(what);
                return Thread.ofVirtual().unstarted(() -> {});
            }
            return Thread.ofVirtual().unstarted(what);
        };
        try (ProviderGuard guard =
                new ProviderGuard(ProviderGuardTest::isSure, 1, Duration.ZERO, Duration.ofSeconds(1), once)) {
            assertThatThrownBy(() -> guard.ensure("slow", deaf, REQUEST)).hasMessageContaining("no answer within");

            withheld.getFirst().run();

            assertThat(deaf.calls()).hasValue(0);
            assertThat(guard.ensure("slow", deaf, REQUEST)).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
        }
    }
}
