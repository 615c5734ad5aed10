package dev.berth.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One provider over two hosts, of which one may be away. */
class MultiHostProviderTest {
    private static final ServiceIdentity WEB = new ServiceIdentity("shop", "web", "uid-1");
    private static final LoadBalancerRequest REQUEST = LoadBalancerRequest.builder("cluster", WEB, IpMode.PROXY)
            .addresses(List.of("192.0.2.1"))
            .build();
    private static final LoadBalancerRequest OTHER =
            REQUEST.toBuilder().addresses(List.of("192.0.2.2")).build();

    private static final LoadBalancerRequest API = LoadBalancerRequest.builder(
                    "cluster", new ServiceIdentity("shop", "api", "uid-2"), IpMode.PROXY)
            .addresses(List.of("192.0.2.3"))
            .build();

    private final FakeHost one = new FakeHost();
    private final FakeHost two = new FakeHost();
    private final FakePauses pauses = new FakePauses();
    private final MultiHostProvider hosts = new MultiHostProvider("lb.grpc.properties", both(), pauses);

    private SequencedMap<String, RemoteProvider> both() {
        SequencedMap<String, RemoteProvider> both = new LinkedHashMap<>();
        both.put("host one", one);
        both.put("host two", two);
        return both;
    }

    @AfterEach
    void stop() {
        hosts.close();
    }

    private static LoadBalancerStatus status(LoadBalancerRequest request) {
        return LoadBalancerStatus.of(request.addresses().stream()
                .map(ip -> Ingress.ofIp(ip, IpMode.PROXY))
                .toList());
    }

    /** Over at once, but for what comes after the first few: that is waited for until the end of the test. */
    private static final class FakePauses implements Pauses {
        private static final int FEW = 8;
        final List<Duration> all = new CopyOnWriteArrayList<>();
        private volatile Duration now = Duration.ofDays(1);

        @Override
        public Duration now() {
            return now;
        }

        @Override
        public void pause(Duration duration) throws InterruptedException {
            all.add(duration);
            if (all.size() == FEW) {
                new CountDownLatch(1).await();
            }
            now = now.plus(duration);
        }
    }

    /** What a plug-in on a host is to Berth. */
    private static final class FakeHost implements RemoteProvider {
        final Map<ServiceIdentity, LoadBalancerRequest> has = new ConcurrentHashMap<>();
        volatile Capabilities capabilities =
                Capabilities.fromPools(IpMode.PROXY).withFeatures(Feature.LISTING);
        volatile boolean away;
        volatile @Nullable String refusal;
        final Set<ServiceIdentity> rejected = ConcurrentHashMap.newKeySet();

        /** Each call of ensureLoadBalancer. */
        final List<ServiceIdentity> ensured = new CopyOnWriteArrayList<>();

        volatile @Nullable Duration pending;
        volatile Runnable listener = () -> {};
        volatile Runnable whileDeleting = () -> {};
        volatile Runnable whileEnsuring = () -> {};

        /** Those that are under way. */
        final AtomicInteger calls = new AtomicInteger();

        final AtomicInteger mostCallsAtOnce = new AtomicInteger();

        /** How many calls fail as none should. */
        final AtomicInteger bugs = new AtomicInteger();

        void returns() {
            away = false;
            listener.run();
        }

        private void called() {
            if (away) {
                throw new ProviderException("cannot be reached");
            }
            if (bugs.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalStateException("a bug");
            }
            String why = refusal;
            if (why != null) {
                throw ProviderException.permanent(why);
            }
        }

        @Override
        public Capabilities capabilities() {
            return capabilities;
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            called();
            return "a" + service.uid();
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            called();
            return Optional.ofNullable(has.get(request.service())).map(MultiHostProviderTest::status);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            ensured.add(request.service());
            called();
            if (rejected.contains(request.service())) {
                throw ProviderException.permanent("it is wrong");
            }
            mostCallsAtOnce.accumulateAndGet(calls.incrementAndGet(), Math::max);
            whileEnsuring.run();
            calls.decrementAndGet();
            has.put(request.service(), request);
            Duration wait = pending;
            return wait == null ? EnsureOutcome.ready(status(request)) : EnsureOutcome.pending(wait, "soon");
        }

        @Override
        public void updateLoadBalancer(LoadBalancerRequest request) {
            called();
            has.put(request.service(), request);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            called();
            whileDeleting.run();
            has.remove(request.service());
        }

        @Override
        public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
            called();
            return has.keySet().stream()
                    .map(service -> new ListedLoadBalancer("a" + service.uid(), service))
                    .toList();
        }

        @Override
        public boolean isAvailable() {
            return !away;
        }

        @Override
        public void whenChanged(Runnable told) {
            listener = told;
        }

        @Override
        public boolean awaitConnected(Duration atMost) {
            return !away;
        }

        @Override
        public void close() {}
    }

    @Test
    void everyHost_getsEveryLoadBalancer() {
        assertThat(hosts.ensureLoadBalancer(REQUEST)).isEqualTo(EnsureOutcome.ready(status(REQUEST)));
        assertThat(List.of(one, two)).allSatisfy(host -> assertThat(host.has).containsEntry(WEB, REQUEST));
        assertThat(hosts.getLoadBalancer(REQUEST)).contains(status(REQUEST));
        assertThat(hosts.listLoadBalancers("cluster")).hasSize(1);

        hosts.updateLoadBalancer(OTHER);
        assertThat(List.of(one, two)).allSatisfy(host -> assertThat(host.has).containsEntry(WEB, OTHER));

        hosts.ensureLoadBalancerDeleted(REQUEST);
        assertThat(List.of(one, two)).allSatisfy(host -> assertThat(host.has).isEmpty());
    }

    @Test
    void whileAHostIsAway_theOtherServes_andItIsToldWhenItIsBack() {
        two.away = true;
        assertThat(hosts.isAvailable()).isTrue();
        assertThat(hosts.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
        hosts.updateLoadBalancer(OTHER);
        assertThat(hosts.getLoadBalancer(REQUEST)).isPresent();

        two.returns();

        Awaitility.await().until(() -> OTHER.equals(two.has.get(WEB)));
    }

    @Test
    void aHostThatLostItsDisk_isToldAgain_whenItIsBack() {
        hosts.ensureLoadBalancer(REQUEST);
        two.has.clear();
        assertThat(hosts.getLoadBalancer(REQUEST)).isEmpty();

        two.returns();

        Awaitility.await().until(() -> REQUEST.equals(two.has.get(WEB)));
    }

    @Test
    void whatIsDeleted_isNotBroughtBack() {
        hosts.ensureLoadBalancer(REQUEST);
        hosts.ensureLoadBalancer(API);
        hosts.ensureLoadBalancerDeleted(REQUEST);
        two.has.clear();

        two.returns();

        Awaitility.await().until(() -> two.has.size() == 1);
        assertThat(two.has).doesNotContainKey(WEB);
    }

    @Test
    void aHostThatFailsForOneService_isNotifiedOfTheOthers() {
        hosts.ensureLoadBalancer(REQUEST);
        hosts.ensureLoadBalancer(API);
        two.has.clear();
        two.bugs.set(1);

        two.returns();

        Awaitility.await().until(() -> !two.has.isEmpty());
    }

    static Stream<Arguments> troubles() {
        return Stream.of(
                Arguments.of(Integer.MAX_VALUE, null, List.of(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L)),
                Arguments.of(0, Duration.ofSeconds(30), List.of(30L, 30L, 30L, 40L, 80L, 160L, 300L, 300L)));
    }

    /**
     * @param failures how many of its calls fail
     * @param pending what it asks for until it is ready; null: it is
     */
    @ParameterizedTest
    @MethodSource("troubles")
    void aHostThatIsBackAndOfNoUse_isNotAskedBeforeItsTime_andAfterLongerAndLongerPauses(
            int failures, @Nullable Duration pending, List<Long> seconds) {
        hosts.ensureLoadBalancer(REQUEST);
        two.bugs.set(failures);
        two.pending = pending;

        two.returns();

        Awaitility.await().until(() -> pauses.all.size() == FakePauses.FEW);
        assertThat(pauses.all).extracting(Duration::toSeconds).isEqualTo(seconds);
    }

    @Test
    void whatAHostThatIsBackRejects_isNotSentAgain_beforeItChanges_orTheHostIsBackAgain() {
        hosts.ensureLoadBalancer(REQUEST);
        hosts.ensureLoadBalancer(API);
        two.ensured.clear();
        two.rejected.add(WEB);
        two.pending = Duration.ofSeconds(1);

        two.returns();

        Awaitility.await().until(() -> pauses.all.size() == FakePauses.FEW);
        assertThat(two.ensured).containsOnlyOnce(WEB).contains(API.service());

        two.rejected.clear();
        two.pending = null;
        hosts.ensureLoadBalancer(OTHER);
        assertThat(two.has).containsEntry(WEB, OTHER);
        two.has.clear();
        two.returns();
        Awaitility.await().until(() -> two.has.equals(Map.of(WEB, OTHER, API.service(), API)));
    }

    /** A Service that is deleted, and wanted again at once. */
    @Test
    void whatIsAskedDuringADeletion_isTold_too() throws InterruptedException {
        hosts.ensureLoadBalancer(REQUEST);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        one.whileDeleting = () -> {
            begun.countDown();
            join(end);
        };
        Thread deletes = Thread.ofPlatform().start(() -> hosts.ensureLoadBalancerDeleted(REQUEST));
        join(begun);
        Thread ensures = Thread.ofPlatform().start(() -> hosts.ensureLoadBalancer(OTHER));
        Awaitility.await().until(() -> ensures.getState() == Thread.State.WAITING);
        end.countDown();
        deletes.join();
        ensures.join();
        assertThat(two.has).containsEntry(WEB, OTHER);
        two.has.clear();

        two.returns();

        Awaitility.await().until(() -> OTHER.equals(two.has.get(WEB)));
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aHostThatTakesOneCallAtATime_isAskedForNothing_whileItIsNotifiedOfWhatItMissed() throws InterruptedException {
        List.of(one, two).forEach(host -> host.capabilities = host.capabilities.withCallLimit(1));
        hosts.ensureLoadBalancer(REQUEST);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        two.whileEnsuring = () -> {
            begun.countDown();
            join(end);
        };
        two.returns();
        join(begun);

        Thread ensures = Thread.ofPlatform().start(() -> hosts.ensureLoadBalancer(API));
        Awaitility.await().until(() -> one.has.containsKey(API.service()));
        assertThat(two.calls).hasValue(1);
        end.countDown();
        ensures.join();

        assertThat(two.has).containsEntry(API.service(), API);
        assertThat(two.mostCallsAtOnce).hasValue(1);
    }

    @Test
    void deleting_waitsForAHostThatIsAway_andNamesIt() {
        hosts.ensureLoadBalancer(REQUEST);
        two.away = true;

        assertThatThrownBy(() -> hosts.ensureLoadBalancerDeleted(REQUEST))
                .hasMessage(
                        "on host two: cannot be reached; it may still have it. If that host was removed permanently,"
                                + " remove it from lb.grpc.properties, and restart Berth");
        assertThat(one.has).isEmpty();

        two.returns();
        hosts.ensureLoadBalancerDeleted(REQUEST);
        assertThat(two.has).isEmpty();
    }

    @Test
    void whatAHostRefuses_isSaidWithItsName_asItWasMeant() {
        two.refusal = "address 192.0.2.1 is the host's own";
        assertThatThrownBy(() -> hosts.ensureLoadBalancer(REQUEST))
                .hasMessage("on host two: address 192.0.2.1 is the host's own")
                .isInstanceOfSatisfying(
                        ProviderException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ProviderException.Kind.PERMANENT));
    }

    @Test
    void withoutAnyHost_nothingIsPromised() {
        one.away = true;
        two.away = true;
        assertThat(hosts.isAvailable()).isFalse();
        assertThatThrownBy(() -> hosts.ensureLoadBalancer(REQUEST)).hasMessage("on host one: cannot be reached");
    }

    @Test
    void whatOneHostWaitsFor_allWaitFor() {
        two.pending = Duration.ofSeconds(3);
        assertThat(hosts.ensureLoadBalancer(REQUEST)).isEqualTo(EnsureOutcome.pending(Duration.ofSeconds(3), "soon"));
    }

    @Test
    void aHostThatCanDoSomethingElse_isNamed() {
        two.capabilities = two.capabilities.withTargets(Targets.ENDPOINTS);
        assertThatThrownBy(() -> hosts.ensureLoadBalancer(REQUEST))
                .hasMessageStartingWith("on host two: it can do something else than the first of the hosts");
    }

    @Test
    void whoeverAsksForChanges_isNotifiedOfThoseOfAnyHost() {
        AtomicInteger changes = new AtomicInteger();
        hosts.whenChanged(changes::incrementAndGet);
        one.returns();
        two.returns();
        assertThat(changes).hasValue(2);
    }
}
