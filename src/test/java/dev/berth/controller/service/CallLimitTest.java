package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.controller.service.ProviderGuard.Visit;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.QuietProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A provider that says how many calls it takes at once, of all its classes together. */
class CallLimitTest extends CloudStage {
    private static final List<Map<String, String>> TWO_CLASSES = List.of(Map.of(), Map.of("zone", "b"));

    /** Counts the calls that are under way. */
    private record Counting(int limit, AtomicInteger underWay, AtomicInteger most, AtomicInteger all)
            implements QuietProvider {
        Counting(int limit) {
            this(limit, new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY)
                    .withFeatures(Capabilities.Feature.LISTING)
                    .withCallLimit(limit);
        }

        private void count() {
            all.incrementAndGet();
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
            underWay.decrementAndGet();
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            count();
            return EnsureOutcome.implementedElsewhere();
        }

        @Override
        public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
            count();
            return List.of();
        }
    }

    private static LoadBalancerRequest request(String name) {
        return LoadBalancerRequest.builder("c", new ServiceIdentity("prod", name, "uid-" + name), IpMode.PROXY)
                .build();
    }

    private static List<CallLine> lines(Capabilities capabilities) {
        ClassSet classSet = SampleClasses.ofParameters("counting", capabilities, TWO_CLASSES);
        return classSet.served().stream().map(CallLine::of).toList();
    }

    /** As a reconciler does: in its turn, whenever it is notified. */
    private static void ensureInTurn(ProviderGuard guard, CallLine line, Counting provider, String name) {
        Semaphore turn = new Semaphore(1);
        while (true) {
            turn.acquireUninterruptibly();
            try (Visit visit = guard.visit(new ServiceKey("prod", name), turn::release)) {
                if (visit.enter(line, provider, request(name).service()) instanceof Entry.In) {
                    visit.ensure(provider, request(name), () -> {});
                    return;
                }
            }
        }
    }

    @Test
    void itNeverHasMoreCallsAtOnce_whicheverClassTheyAreOf_andListsCount() {
        for (int limit : List.of(1, 3)) {
            Counting provider = new Counting(limit);
            List<CallLine> lines = lines(provider.capabilities());
            try (ProviderGuard guard =
                    new ProviderGuard(any -> false, 16, Duration.ofMinutes(1), Duration.ofMinutes(1), stuck -> {})) {
                List<CompletableFuture<?>> calls = IntStream.range(0, 24)
                        .<CompletableFuture<?>>mapToObj(i -> async(() -> {
                            if (i % 6 == 0) {
                                CallLine ofList = CallLine.ofProvider("counting", provider.capabilities());
                                assertThat(guard.list(ofList, provider, "c")).isPresent();
                            } else {
                                ensureInTurn(guard, lines.get(i % 2), provider, "web-" + i);
                            }
                        }))
                        .toList();
                calls.forEach(CompletableFuture::join);
            }
            assertThat(provider.all()).hasValue(24);
            assertThat(provider.most()).hasValueLessThanOrEqualTo(limit);
        }
    }

    private static CompletableFuture<Void> async(Runnable what) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                what.run();
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    @Test
    void aCallThatOutlivedItsDeadline_countsUntilItHasReturned() {
        Capabilities one = Capabilities.ofItsOwn(IpMode.PROXY).withCallLimit(1);
        CountDownLatch let = new CountDownLatch(1);
        AtomicInteger called = new AtomicInteger();
        QuietProvider deaf = new QuietProvider() {
            @Override
            public Capabilities capabilities() {
                return one;
            }

            @Override
            public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                called.incrementAndGet();
                Uninterruptible.await(let);
                return EnsureOutcome.implementedElsewhere();
            }
        };
        List<CallLine> lines = lines(one);
        try (ProviderGuard guard =
                new ProviderGuard(any -> false, 16, Duration.ZERO, Duration.ofMillis(50), stuck -> {})) {
            do {
                // One whose thread had not begun by its deadline is never made.
                Awaitility.await().until(() -> guard.stuckCalls(List.of(CallLine.nameOf("counting"))) == 0);
                try (Visit visit = guard.visit(key("web"), () -> {})) {
                    assertThat(visit.enter(
                                    lines.getFirst(), deaf, request("web").service()))
                            .isEqualTo(new Entry.In());
                    assertThatThrownBy(() -> visit.ensure(deaf, request("web"), () -> {}))
                            .hasMessageContaining("no answer within");
                }
            } while (called.get() == 0);

            try (Visit visit = guard.visit(key("other"), () -> {})) {
                assertThat(visit.enter(lines.getLast(), deaf, request("other").service()))
                        .isEqualTo(new Entry.Stuck("all 1 calls to provider \"counting\" exceeded their deadline"
                                + " of 0 s and have not returned; the next call waits for one of them"));
            }

            let.countDown();
            Awaitility.await().until(() -> {
                try (Visit visit = guard.visit(key("other"), () -> {})) {
                    return visit.enter(lines.getLast(), deaf, request("other").service()) instanceof Entry.In;
                }
            });
        }
    }

    @Test
    void whileOneServiceIsServed_anotherOfAnotherClass_waitsForItsTurn_andIsServedThen() {
        cloud.callLimit = 1;
        classes = SampleClasses.ofParameters("cloud", cloud.capabilities(), TWO_CLASSES);
        control = operator();
        List<ServedClass> served = classes.served();
        put(SampleService.named(key("web"), "uid-web")
                .loadBalancerClass(served.getFirst().value()));
        put(SampleService.named(key("other"), "uid-other")
                .loadBalancerClass(served.getLast().value()));
        cloud.meanwhile = () -> reconcile("other");

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(due).containsExactly(key("other"));
        reconcileDue();
        assertThat(cloud.calls).containsExactly("ensure web[n1]", "ensure other[n1]");
        assertThat(service("other").ingress()).isNotEmpty();
    }
}
