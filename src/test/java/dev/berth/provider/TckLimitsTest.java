package dev.berth.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** How long the kit waits, and what it cannot tell. */
class TckLimitsTest {
    @Test
    void aCall_mayTakeAsLongAsOverTheWire() {
        assertThat(new Usual().deadline()).isEqualTo(GrpcSettings.DEADLINE);
    }

    @Test
    void aCallThatOutlivesItsDeadline_fails_howeverLongAPendingMayTake() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Endless.class, "required_ensure01_endsAsReady"))
                .execute()
                .testEvents();

        assertThat(tests.failed().stream()
                        .map(event -> event.getPayload().orElseThrow().toString())
                        .toList())
                .singleElement()
                .asString()
                .contains("ensureLoadBalancer did not return within PT0.05S");
    }

    @Test
    void aRuleAboutTheProvidersWorld_isSkipped_whereTheKitCannotReadIt() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(Usual.class))
                .execute()
                .testEvents();

        assertThat(tests.aborted().stream()
                        .map(event -> event.getTestDescriptor().getDisplayName()))
                .anyMatch(name -> name.contains("ensure18"));
        assertThat(tests.succeeded().stream()
                        .map(event -> event.getTestDescriptor().getDisplayName()))
                .noneMatch(name -> name.contains("ensure18"));
    }

    @Test
    void aProviderThatTakesOneCallAtATime_isGivenNoTwo() {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(OneAtATime.class, "required_ensure03_differentServicesAtOnce_getWhatIsTheirs"))
                .execute()
                .testEvents();

        assertThat(tests.failed().stream().map(event -> event.getPayload().orElseThrow()))
                .isEmpty();
        assertThat(tests.succeeded().count()).isEqualTo(1);
    }

    static final class OneAtATime extends LoadBalancerProviderTck {
        private final AtomicInteger underWay = new AtomicInteger();

        @Override
        protected LoadBalancerProvider provider() {
            return new ReferenceProvider(new ReferenceWorld(), BrokenProviders.ALL.withCallLimit(1)) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    int calls = underWay.incrementAndGet();
                    LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
                    underWay.decrementAndGet();
                    if (calls > 1) {
                        throw new ProviderException(calls + " calls at once");
                    }
                    return super.ensureLoadBalancer(request);
                }
            };
        }
    }

    static class Usual extends LoadBalancerProviderTck {
        private final ReferenceWorld world = new ReferenceWorld();

        @Override
        protected LoadBalancerProvider provider() {
            return new ReferenceProvider(world, BrokenProviders.ALL);
        }

        @Override
        protected Duration deadline() {
            return super.deadline();
        }
    }

    static final class Endless extends LoadBalancerProviderTck {
        @Override
        protected LoadBalancerProvider provider() {
            return new ReferenceProvider(new ReferenceWorld(), BrokenProviders.ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException givenUp) {
                        Thread.currentThread().interrupt();
                    }
                    throw new ProviderException("given up");
                }
            };
        }

        @Override
        protected Duration deadline() {
            return Duration.ofMillis(50);
        }
    }
}
