package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.Parent;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.clusterip.ServiceRange;
import dev.berth.clusterip.StaticRequest;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.NewServices;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServiceCreationTest {
    private static final ServiceKey WEB = new ServiceKey("shop", "web");
    private static final ServiceKey RIVAL = new ServiceKey("shop", "rival");
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final ServiceCidr RANGE = new ServiceCidr(
            "kubernetes",
            "uid",
            List.of(ServiceRange.parse("10.0.0.0/24")),
            List.of(),
            START,
            null,
            null,
            null,
            true,
            false);

    /** An API server, as far as it matters here; between a list and what follows, others act. */
    private static final class Api implements NewServices {
        private final Map<Ip, ClusterIp> addresses = new TreeMap<>();
        private final List<String> released = new ArrayList<>();
        private final Deque<Runnable> beforeCreate = new ArrayDeque<>();
        private @Nullable Service service;
        private @Nullable Write<Service> rehearsal;
        private boolean loseAnswer;
        private int creations;
        private int lists;
        private int objects;

        void take(String ip, String managedBy, ServiceKey by) {
            addresses.put(
                    Ip.parse(ip),
                    new ClusterIp(Ip.parse(ip), "uid-" + objects++, managedBy, "IPv4", Parent.of(by), START));
        }

        void reserve(String ip, ServiceKey service) {
            take(ip, ClusterIp.BERTH, service);
        }

        void allocate(String ip, ServiceKey service) {
            take(ip, ClusterIp.ALLOCATOR, service);
        }

        @Override
        public Read<List<ServiceCidr>> readServiceCidrs() {
            return new Read.Found<>(List.of(RANGE));
        }

        @Override
        public Read<List<ClusterIp>> readClusterIp(Ip ip) {
            return new Read.Found<>(
                    Optional.ofNullable(addresses.get(ip)).stream().toList());
        }

        @Override
        public Read<List<ClusterIp>> readClusterIps() {
            lists++;
            return new Read.Found<>(List.copyOf(addresses.values()));
        }

        @Override
        public Read<Service> read(ServiceKey key) {
            return Optional.ofNullable(service)
                    .<Read<Service>>map(Read.Found::new)
                    .orElseGet(Read.Absent::new);
        }

        @Override
        public Write<Service> rehearse(Service wanted) {
            return rehearsal == null ? new Write.Done<>(wanted) : rehearsal;
        }

        @Override
        public Write<Service> create(Service wanted) {
            creations++;
            Optional.ofNullable(beforeCreate.poll()).ifPresent(Runnable::run);
            if (service != null) {
                return new Write.Conflict<>("services \"web\" already exists");
            }
            for (String ip : ClusterServices.clusterIps(wanted)) {
                if (addresses.containsKey(Ip.parse(ip))) {
                    return new Write.Refused<>("Service \"web\" is invalid: spec.clusterIPs: Invalid value: [\"" + ip
                            + "\"]: failed to allocate IP " + ip + ": provided IP is already allocated");
                }
                allocate(ip, WEB);
            }
            service = wanted;
            return loseAnswer ? new Write.Unknown<>("timeout") : new Write.Done<>(wanted);
        }

        @Override
        public Write<ClusterIp> release(ClusterIp seen) {
            if (addresses.containsKey(seen.ip())
                    && addresses.get(seen.ip()).uid().equals(seen.uid())) {
                addresses.remove(seen.ip());
                released.add(seen.ip().toString());
                return new Write.Done<>(seen);
            }
            return new Write.Conflict<>("the UID in the precondition does not match");
        }
    }

    private final Api api = new Api();
    private Instant now = START;

    private List<String> create(String... named) throws CannotLook, InterruptedException {
        Service manifest = new ServiceBuilder()
                .withNewMetadata()
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build();
        StaticRequest request = StaticRequest.of(
                WEB, List.of(), null, Stream.of(named).map(Ip::parse).toList(), List.of(RANGE));
        Service created = new ServiceCreation(api, () -> now, this::sleep, manifest, request).create();
        assertThat(created.getMetadata().getNamespace()).isEqualTo("shop");
        return ClusterServices.clusterIps(created);
    }

    private void sleep(Duration duration) {
        now = now.plus(duration);
    }

    @Test
    void lowestFreeAddress_isTheServices() throws Exception {
        api.allocate("10.0.0.1", RIVAL);

        assertThat(create()).containsExactly("10.0.0.2");
        assertThat(api.released).isEmpty();
    }

    @Test
    void addressThatSomebodyElseGotMeanwhile_isFollowedByTheNext() throws Exception {
        api.beforeCreate.add(() -> api.allocate("10.0.0.1", RIVAL));
        api.beforeCreate.add(() -> api.allocate("10.0.0.2", RIVAL));

        assertThat(create()).containsExactly("10.0.0.3");
    }

    @Test
    void afterTenTries_itGivesUp_andSaysWhatTheApiServerSaid() {
        for (int i = 1; i <= 20; i++) {
            String ip = "10.0.0." + i;
            api.beforeCreate.add(() -> api.allocate(ip, RIVAL));
        }

        assertThatThrownBy(this::create)
                .isInstanceOf(CannotLook.class)
                .hasMessageStartingWith("creating Service shop/web: given up after 10 tries: ")
                .hasMessageEndingWith("failed to allocate IP 10.0.0.10: provided IP is already allocated");
        assertThat(api.creations).isEqualTo(10);
    }

    @Test
    void addressThatIsNamed_andGotBySomebodyElseMeanwhile_isNotReplacedByAnother() {
        api.beforeCreate.add(() -> api.allocate("10.0.0.9", RIVAL));

        assertThatThrownBy(() -> create("10.0.0.9"))
                .hasMessage("creating Service shop/web: 10.0.0.9 is taken by Service shop/rival;"
                        + " name another address, or none");
    }

    @Test
    void whatIsKeptForTheService_isDeleted_andTheServicesThen() throws Exception {
        api.reserve("10.0.0.5", RIVAL);
        api.reserve("10.0.0.9", WEB);

        assertThat(create()).containsExactly("10.0.0.9");
        assertThat(api.released).containsExactly("10.0.0.9");
    }

    @Test
    void reservationThatIsMadeAnewMeanwhile_isDeletedAgain() throws Exception {
        api.reserve("10.0.0.9", WEB);
        api.beforeCreate.add(() -> api.reserve("10.0.0.9", WEB));
        api.beforeCreate.add(() -> api.reserve("10.0.0.9", WEB));

        assertThat(create("10.0.0.9")).containsExactly("10.0.0.9");
        assertThat(api.released).containsExactly("10.0.0.9", "10.0.0.9", "10.0.0.9");
    }

    @Test
    void handOver_isTriedForAMinute_notJustTenTimes() {
        api.reserve("10.0.0.9", WEB);
        for (int i = 0; i < 1_000; i++) {
            api.beforeCreate.add(() -> api.reserve("10.0.0.9", WEB));
        }

        assertThatThrownBy(this::create).hasMessageContaining("given up after ");
        assertThat(Duration.between(START, now)).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
        assertThat(api.lists).as("not all addresses each time").isEqualTo(1);
    }

    @Test
    void whoGotTheAddressInTheMomentOfTheHandOver_isNamed() {
        api.reserve("10.0.0.9", WEB);
        api.beforeCreate.add(() -> api.allocate("10.0.0.9", RIVAL));

        assertThatThrownBy(this::create)
                .hasMessageStartingWith("creating Service shop/web: 10.0.0.9 is taken by Service shop/rival;")
                .hasMessageContaining("Its reservation was deleted for it, and from then on anybody could get");
        assertThat(api.addresses.values()).extracting(ClusterIp::owner).containsExactly("shop/rival");
    }

    @Test
    void serviceThatWouldBeRefusedAnyway_costsNoReservation() {
        api.reserve("10.0.0.9", WEB);
        api.rehearsal = new Write.Refused<>("spec.ports: Required value");

        assertThatThrownBy(this::create).hasMessage("creating Service shop/web: spec.ports: Required value");
        assertThat(api.released).isEmpty();
        assertThat(api.creations).isZero();
    }

    @Test
    void serviceThatIsThereInTheEnd_isCreated_thoughTheAnswerWasLost() throws Exception {
        api.loseAnswer = true;

        assertThat(create()).containsExactly("10.0.0.1");
        assertThat(api.creations).isEqualTo(1);
    }

    @Test
    void serviceThatSomebodyElseCreated_isLeft() {
        api.beforeCreate.add(() -> api.service = new ServiceBuilder()
                .withNewSpec()
                .withClusterIPs("10.0.0.200")
                .endSpec()
                .build());

        assertThatThrownBy(this::create)
                .hasMessage("creating Service shop/web: it exists already, with 10.0.0.200;"
                        + " a Service's cluster IP cannot be changed: delete it first, or leave it");
    }
}
