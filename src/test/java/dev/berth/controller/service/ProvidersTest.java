package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProvidersTest {
    @Test
    void pluginThatCallsItselfImmediate_isGuardedAllTheSame_andBerthsOwnIsNot() {
        PoolProvider own = new PoolProvider();
        PoolProvider plugin = new PoolProvider();
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put("pool", own);
        byName.put("theirs", plugin);

        Providers providers = new Providers(byName, Set.of("theirs"));

        assertThat(providers.needsNoGuard(own)).isTrue();
        assertThat(providers.needsNoGuard(plugin)).isFalse();
    }

    /** Does nothing but close. */
    private record Closed(Runnable closing) implements LoadBalancerProvider {
        @Override
        public void close() {
            closing.run();
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.fromPools(IpMode.VIP);
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void updateLoadBalancer(LoadBalancerRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void providerThatHangs_orFails_keepsNoOtherFromClosing() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put("hangs", new Closed(() -> Uninterruptible.await(never)));
        byName.put("fails", new Closed(() -> {
            throw new IllegalStateException("no");
        }));
        byName.put("sound", new Closed(closed::countDown));

        new Providers(byName).close(Duration.ofMillis(1));

        assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
        never.countDown();
    }
}
