package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.QuietProvider;
import dev.berth.testing.ReportingProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

    @Test
    void pluginIsGuarded_whereItDoesNotEvenSayWhatItCanDo() {
        LoadBalancerProvider silent = new QuietProvider() {
            @Override
            public Capabilities capabilities() {
                throw new ProviderException("not connected");
            }

            @Override
            public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                throw new ProviderException("not connected");
            }
        };
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put("theirs", silent);

        assertThat(new Providers(byName, Set.of("theirs")).needsNoGuard(silent)).isFalse();
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

    private static final ServiceIdentity WEB = new ServiceIdentity("prod", "web", "uid-web");

    @Test
    void providerThatHangs_orFails_keepsNoOtherFromReportingWhatChanges() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        BlockingQueue<String> reported = new LinkedBlockingQueue<>();
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put("hangs", new ReportingProvider(listener -> Uninterruptible.await(never)));
        byName.put("fails", new ReportingProvider(listener -> {
            throw new IllegalStateException("no");
        }));
        byName.put("of an older contract", new ReportingProvider(listener -> {
            throw new AbstractMethodError("onChange");
        }));
        byName.put("sound", new ReportingProvider(listener -> listener.accept(WEB)));

        new Providers(byName).onChange((name, service) -> reported.add(name + " " + service));

        assertThat(reported.poll(20, TimeUnit.SECONDS)).isEqualTo("sound prod/web");
        never.countDown();
    }

    @Test
    @SuppressWarnings("NullAway")
    void whatIsReported_throwsNothingAtTheProvider_alsoWithoutAService_andIsIgnoredOnceAllAreClosed()
            throws InterruptedException {
        BlockingQueue<Consumer<ServiceIdentity>> listeners = new LinkedBlockingQueue<>();
        List<ServiceIdentity> reported = new ArrayList<>();
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put("sound", new ReportingProvider(listeners::add));
        Providers providers = new Providers(byName);
        providers.onChange((name, service) -> {
            reported.add(service);
            throw new IllegalStateException("a defect");
        });
        Consumer<ServiceIdentity> listener = Objects.requireNonNull(listeners.poll(20, TimeUnit.SECONDS));

        assertThatCode(() -> {
                    listener.accept(WEB);
                    listener.accept(null);
                    listener.accept(new ServiceIdentity(null, null, null));
                })
                .doesNotThrowAnyException();
        providers.close();
        listener.accept(WEB);

        assertThat(reported).containsExactly(WEB, new ServiceIdentity(null, null, null));
    }
}
