package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ProviderGuardTest {
    private static final LoadBalancerRequest REQUEST = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u"), IpMode.PROXY)
            .build();

    /** Answers when it is let. */
    private record Hanging(CountDownLatch called, CountDownLatch let) implements LoadBalancerProvider {
        Hanging() {
            this(new CountDownLatch(1), new CountDownLatch(1));
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY);
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            return service.uid();
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            return Optional.empty();
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
        public void updateLoadBalancer(LoadBalancerRequest request) {}

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
        try (ProviderGuard guard = new ProviderGuard(1, Duration.ZERO, Duration.ofMinutes(5))) {
            CompletableFuture<EnsureOutcome> stuck =
                    CompletableFuture.supplyAsync(() -> guard.ensure("slow", hangs, REQUEST));
            hangs.called().await();

            assertThat(guard.ensure("fast", works, REQUEST)).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
            assertThat(guard.ensure("slow", works, REQUEST)).isInstanceOf(EnsureOutcome.Pending.class);

            hangs.let().countDown();
            assertThat(stuck.get()).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
        }
    }

    @Test
    void noAnswerBeforeTheDeadline_isAFailure() {
        try (ProviderGuard guard = new ProviderGuard(1, Duration.ZERO, Duration.ofMillis(1))) {
            assertThatThrownBy(() -> guard.ensure("slow", new Hanging(), REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("no answer within");
        }
    }

    @Test
    void aBugOfTheProvider_isAFailureThatSaysSo() {
        try (ProviderGuard guard = new ProviderGuard(1, Duration.ZERO, Duration.ofMinutes(1))) {
            assertThatThrownBy(() -> guard.delete("slow", new Hanging(), REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessage("the provider failed: java.lang.IllegalStateException: a bug");
        }
    }
}
