package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Workers;
import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.controller.service.ProviderGuard.Visit;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.QuietProvider;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ProviderGuardTest {
    /** Needs a guard, whatever it says. */
    private static boolean needsNoGuard(LoadBalancerProvider provider) {
        return false;
    }

    private static LoadBalancerRequest request(String name) {
        return LoadBalancerRequest.builder("c", new ServiceIdentity("prod", name, "uid-" + name), IpMode.PROXY)
                .build();
    }

    private static final LoadBalancerRequest REQUEST = request("web");
    private static final LoadBalancerRequest OTHER = request("other");

    /** Answers when it is let, ignores interrupts, and counts its calls; others' it answers at once. */
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
            if (request.equals(OTHER)) {
                return EnsureOutcome.pending(Duration.ofSeconds(1), "another's");
            }
            calls.incrementAndGet();
            called.countDown();
            Uninterruptible.await(let);
            return EnsureOutcome.implementedElsewhere();
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            throw new IllegalStateException("a bug");
        }
    }

    private static final Deaf WORKS = new Deaf();

    static {
        WORKS.let().countDown();
    }

    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<String> stuck = new LinkedBlockingQueue<>();

    private ProviderGuard guard(int callsAtOnce, Duration deadline) {
        return new ProviderGuard(ProviderGuardTest::needsNoGuard, callsAtOnce, Duration.ZERO, deadline, stuck::add);
    }

    private Visit visit(ProviderGuard guard, LoadBalancerRequest request) {
        String name = request.service().name();
        return guard.visit(new ServiceKey("prod", name), () -> told.add(name));
    }

    private static Entry enter(Visit visit, String className, LoadBalancerRequest request) {
        return visit.enter(CallLine.ofClass(className), WORKS, request.service());
    }

    /** Makes the call in its own visit, if it may. */
    private EnsureOutcome ensure(
            ProviderGuard guard, String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        try (Visit visit = visit(guard, request)) {
            assertThat(enter(visit, className, request)).isInstanceOf(Entry.In.class);
            return visit.ensure(provider, request, () -> {});
        }
    }

    /** Asks until there is an answer: a deadline of milliseconds may pass before the call has begun. */
    private void awaitAnswer(ProviderGuard guard, LoadBalancerProvider provider) {
        Awaitility.await()
                .untilAsserted(() -> assertThatCode(() -> assertThat(ensure(guard, "slow", provider, OTHER))
                                .isInstanceOf(EnsureOutcome.Pending.class))
                        .doesNotThrowAnyException());
    }

    private CompletableFuture<EnsureOutcome> ensureSlowly(
            ProviderGuard guard, LoadBalancerProvider provider, LoadBalancerRequest request) {
        return CompletableFuture.supplyAsync(() -> ensure(guard, "slow", provider, request));
    }

    @Test
    void aProviderThatHangs_stallsNoOtherClass_andWhoMeetsAFullClassIsInLine_andToldInItsTurn() throws Exception {
        Deaf hangs = new Deaf();
        try (ProviderGuard guard = guard(1, Duration.ofMinutes(5))) {
            CompletableFuture<EnsureOutcome> underWay = ensureSlowly(guard, hangs, REQUEST);
            hangs.called().await();

            assertThat(ensure(guard, "fast", WORKS, request("quick")))
                    .isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
            for (LoadBalancerRequest waiting : List.of(OTHER, request("last"))) {
                try (Visit visit = visit(guard, waiting)) {
                    assertThat(enter(visit, "slow", waiting)).isEqualTo(new Entry.InLine());
                }
            }
            assertThat(told).isEmpty();

            hangs.let().countDown();
            underWay.get();
            assertThat(told).containsExactly("other");
            try (Visit newcomer = visit(guard, request("newcomer"))) {
                assertThat(enter(newcomer, "slow", request("newcomer")))
                        .as("the place is kept for who was told")
                        .isEqualTo(new Entry.InLine());
            }
            ensure(guard, "slow", WORKS, OTHER);
            assertThat(told).containsExactly("other", "last");
        }
    }

    @Test
    void placeOfOneWhoWasNotified_isAnothers_ifNobodyComesWithinHalfAMinute() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        CallLimits limits = new CallLimits(1, Duration.ZERO, Duration.ofMinutes(1), ProviderGuard.ownThreads());
        try (ProviderGuard guard = new ProviderGuard(ProviderGuardTest::needsNoGuard, limits, now::get, stuck::add)) {
            try (Visit first = visit(guard, REQUEST);
                    Visit gone = visit(guard, OTHER)) {
                enter(first, "slow", REQUEST);
                assertThat(enter(gone, "slow", OTHER)).isEqualTo(new Entry.InLine());
            }
            assertThat(told).containsExactly("other");
            now.set(Instant.EPOCH.plusSeconds(30));
            try (Visit newcomer = visit(guard, request("newcomer"))) {
                assertThat(enter(newcomer, "slow", request("newcomer"))).isEqualTo(new Entry.InLine());
            }
            now.set(Instant.EPOCH.plusSeconds(31));
            try (Visit newcomer = visit(guard, request("newcomer"))) {
                assertThat(enter(newcomer, "slow", request("newcomer"))).isInstanceOf(Entry.In.class);
            }
        }
    }

    @Test
    void whoWaitsForAProvider_orForATurn_takesNoPlaceOfTheWorkers() throws Exception {
        Deaf hangs = new Deaf();
        Duration minutes = Duration.ofMinutes(5);
        try (Workers workers = new Workers(1);
                ProviderGuard guard =
                        new ProviderGuard(ProviderGuardTest::needsNoGuard, 1, minutes, minutes, stuck::add)) {
            CompletableFuture<EnsureOutcome> underWay =
                    CompletableFuture.supplyAsync(() -> ensure(guard, "slow", hangs, REQUEST), workers);
            hangs.called().await();
            CompletableFuture<Void> inLine = CompletableFuture.runAsync(
                    () -> assertThatThrownBy(() -> guard.delete(CallLine.ofClass("slow"), WORKS, OTHER))
                            .hasMessageContaining("a bug"),
                    workers);

            assertThat(CompletableFuture.supplyAsync(() -> ensure(guard, "fast", WORKS, request("quick")), workers)
                            .get(1, TimeUnit.MINUTES))
                    .isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
            assertThat(underWay).isNotDone();
            assertThat(inLine).isNotDone();

            hangs.let().countDown();
            underWay.get();
            inLine.get();
        }
    }

    @Test
    void whoIsToldInItsTurn_isReconciledBeforeAllThatWaits() throws Exception {
        Deaf hangs = new Deaf();
        CountDownLatch busy = new CountDownLatch(1);
        List<String> done = new CopyOnWriteArrayList<>();
        try (Workers workers = new Workers(1);
                ProviderGuard guard = guard(1, Duration.ofMinutes(5))) {
            CompletableFuture<EnsureOutcome> underWay = ensureSlowly(guard, hangs, REQUEST);
            hangs.called().await();
            try (Visit inLine =
                    guard.visit(new ServiceKey("prod", "other"), () -> workers.execute(() -> done.add("told")))) {
                assertThat(enter(inLine, "slow", OTHER)).isEqualTo(new Entry.InLine());
            }
            workers.execute(() -> Uninterruptible.await(busy));
            workers.execute(() -> done.add("one of the backlog"));

            hangs.let().countDown();
            underWay.get();
            busy.countDown();

            Awaitility.await().untilAsserted(() -> assertThat(done).containsExactly("told", "one of the backlog"));
        }
    }

    @Test
    void placeThatIsNotNeededAnyMore_isTheNextOnes() {
        try (ProviderGuard guard = guard(1, Duration.ofMinutes(5))) {
            try (Visit first = visit(guard, REQUEST)) {
                enter(first, "slow", REQUEST);
                for (LoadBalancerRequest waiting : List.of(OTHER, request("left"), request("last"))) {
                    try (Visit visit = visit(guard, waiting)) {
                        assertThat(enter(visit, "slow", waiting)).isEqualTo(new Entry.InLine());
                    }
                }
                visit(guard, request("left")).close();
            }
            assertThat(told).containsExactly("other");

            visit(guard, OTHER).close();

            assertThat(told).containsExactly("other", "last");
        }
    }

    @Test
    void noAnswerBeforeTheDeadline_isAFailure() {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard = guard(1, Duration.ofMillis(1))) {
            assertThatThrownBy(() -> ensure(guard, "slow", deaf, REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("no answer within");
        }
        deaf.let().countDown();
    }

    @Test
    void aBugOfTheProvider_isAFailureThatSaysSo() {
        try (ProviderGuard guard = guard(1, Duration.ofMinutes(1))) {
            assertThatThrownBy(() -> guard.delete(CallLine.ofClass("slow"), WORKS, REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessage("the provider failed: java.lang.IllegalStateException: a bug");
        }
    }

    @Test
    void callsForOneService_doNotOverlap_evenPastTheDeadline_theNextOneSaysSo_andIsMadeWhenTheFirstReturned()
            throws Exception {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard = guard(9, Duration.ofMillis(10))) {
            do {
                // One whose thread had not begun by its deadline is never made.
                assertThat(catchThrowable(() -> ensure(guard, "slow", deaf, REQUEST)))
                        .hasMessageContaining("no answer within");
            } while (deaf.calls().get() == 0 && awaitReturned(guard));

            try (Visit visit = visit(guard, REQUEST)) {
                assertThat(enter(visit, "slow", REQUEST))
                        .isEqualTo(new Entry.Stuck("an earlier call for Service prod/web exceeded its deadline of 0 s"
                                + " and has not returned; the next call waits for it"));
            }
            assertThatThrownBy(() -> guard.delete(CallLine.ofClass("of another class"), deaf, REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageStartingWith("an earlier call for Service prod/web exceeded its deadline");
            assertThat(deaf.calls()).hasValue(1);
            assertThat(told).isEmpty();

            stuck.clear();
            deaf.let().countDown();
            stuck.take();
            assertThat(told).containsExactly("web");
            try (Visit visit = visit(guard, REQUEST)) {
                assertThat(enter(visit, "slow", REQUEST)).isEqualTo(new Entry.In());
            }
        }
    }

    private boolean awaitReturned(ProviderGuard guard) {
        while (guard.stuckCalls(List.of("slow")) > 0) {
            Thread.onSpinWait();
        }
        return true;
    }

    @Test
    void callsThatNeverReturn_areGivenUpAtTheirDeadline_theClassGoesOn_andSaysSo() throws Exception {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard = guard(2, Duration.ofMillis(50))) {
            List<CompletableFuture<EnsureOutcome>> calls = IntStream.range(0, 2)
                    .mapToObj(i -> ensureSlowly(guard, deaf, request("stuck-" + i)))
                    .toList();
            calls.forEach(call -> assertThatThrownBy(call::get).hasMessageContaining("no answer within"));

            awaitAnswer(guard, deaf);
            Awaitility.await().until(() -> guard.stuckCalls(List.of("slow")) == 2);
            assertThat(guard.stuck(List.of("slow")).orElseThrow())
                    .startsWith("2 calls to its provider exceeded their deadline of 0 s and have not returned: for"
                            + " Service prod/stuck-")
                    .contains("restart Berth");
            assertThat(stuck.take()).isEqualTo("slow");

            deaf.let().countDown();
            awaitReturned(guard);
            assertThat(guard.stuck(List.of("slow"))).isEmpty();
        }
    }

    @Test
    void deletions_areMadeBesideSixteenCallsThatNeverReturn_andWithThirtyTwoOtherClassesGoOn() {
        Deaf deaf = new Deaf();
        AtomicInteger deleted = new AtomicInteger();
        QuietProvider deletes = new QuietProvider() {
            @Override
            public Capabilities capabilities() {
                return Capabilities.ofItsOwn(IpMode.PROXY);
            }

            @Override
            public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                return EnsureOutcome.implementedElsewhere();
            }

            @Override
            public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                deleted.incrementAndGet();
            }
        };
        try (ProviderGuard guard = guard(16, Duration.ofMillis(20))) {
            makeStuck(guard, deaf, 16);
            awaitDelete(guard, "slow", deletes);
            assertThat(deleted).hasPositiveValue();

            makeStuck(guard, deaf, 32);
            assertThatThrownBy(() -> guard.delete(CallLine.ofClass("slow"), deletes, OTHER))
                    .hasMessageStartingWith(
                            "all 32 calls to the provider of LoadBalancerClass \"slow\" exceeded their deadline");
            awaitDelete(guard, "fast", deletes);

            deaf.let().countDown();
            awaitDelete(guard, "slow", deletes);
        }
    }

    private void makeStuck(ProviderGuard guard, Deaf deaf, int calls) {
        for (int i = 0; guard.stuckCalls(List.of("slow")) < calls; i++) {
            // One whose thread had not begun by its deadline is never made.
            LoadBalancerRequest request = request("stuck-" + calls + "-" + i);
            assertThatThrownBy(() -> ensure(guard, "slow", deaf, request)).hasMessageContaining("no answer within");
        }
    }

    private static void awaitDelete(ProviderGuard guard, String className, LoadBalancerProvider provider) {
        Awaitility.await()
                .ignoreExceptionsInstanceOf(ProviderException.class)
                .until(() -> guard.delete(CallLine.ofClass(className), provider, OTHER));
    }

    @Test
    void threadsOfAClass_areBounded_thenWhoWaitsHearsWhy_andGoesOnWhenOneReturns() throws Exception {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard = guard(1, Duration.ofMillis(50))) {
            for (String name : List.of("stuck-0", "stuck-1")) {
                assertThatThrownBy(() -> ensure(guard, "slow", deaf, request(name)))
                        .hasMessageContaining("no answer within");
            }

            try (Visit visit = visit(guard, OTHER)) {
                assertThat(enter(visit, "slow", OTHER))
                        .isEqualTo(new Entry.Stuck(
                                "all 2 calls to the provider of LoadBalancerClass \"slow\" exceeded their deadline of"
                                        + " 0 s and have not returned; the next call waits for one of them"));
            }
            deaf.let().countDown();
            awaitReturned(guard);

            assertThat(told).contains("other");
            awaitAnswer(guard, deaf);
        }
    }

    @Test
    void codeOfAProvider_runsOnAPlatformThread_soThatOneThatSpinsCostsAShareOfACore() {
        AtomicReference<Thread> thread = new AtomicReference<>();
        QuietProvider spinning = new QuietProvider() {
            @Override
            public Capabilities capabilities() {
                return Capabilities.ofItsOwn(IpMode.PROXY);
            }

            @Override
            public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                thread.set(Thread.currentThread());
                return EnsureOutcome.implementedElsewhere();
            }
        };
        try (ProviderGuard guard = guard(1, Duration.ofMinutes(1))) {
            ensure(guard, "slow", spinning, REQUEST);
        }

        assertThat(thread.get().isVirtual()).isFalse();
        assertThat(thread.get().isDaemon()).as("it does not keep the process").isTrue();
    }

    @Test
    void theNextCallForAService_isInLine_forTheOneBefore() throws Exception {
        Deaf deaf = new Deaf();
        try (ProviderGuard guard = guard(9, Duration.ofMinutes(5))) {
            CompletableFuture<EnsureOutcome> first = ensureSlowly(guard, deaf, REQUEST);
            deaf.called().await();
            try (Visit second = visit(guard, REQUEST)) {
                assertThat(enter(second, "slow", REQUEST)).isEqualTo(new Entry.InLine());
            }

            assertThat(ensure(guard, "slow", deaf, OTHER)).isInstanceOf(EnsureOutcome.Pending.class);
            deaf.let().countDown();
            first.get();

            assertThat(told).containsExactly("web");
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
        try (ProviderGuard guard = new ProviderGuard(
                ProviderGuardTest::needsNoGuard,
                new CallLimits(1, Duration.ZERO, Duration.ofSeconds(1), once),
                InstantSource.system(),
                stuck::add)) {
            assertThatThrownBy(() -> ensure(guard, "slow", deaf, REQUEST)).hasMessageContaining("no answer within");

            withheld.getFirst().run();

            assertThat(deaf.calls()).hasValue(0);
            assertThat(ensure(guard, "slow", deaf, REQUEST)).isInstanceOf(EnsureOutcome.ImplementedElsewhere.class);
        }
    }
}
