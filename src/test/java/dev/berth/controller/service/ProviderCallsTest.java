package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.Ledger;
import dev.berth.address.Owner;
import dev.berth.address.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.address.AddressControl;
import dev.berth.kube.Events;
import dev.berth.plan.ClassBook;
import dev.berth.plan.ClassDeclaration;
import dev.berth.plan.ClassDeclaration.Classless;
import dev.berth.plan.HealthCheckPolicy;
import dev.berth.plan.Marks;
import dev.berth.plan.SampleService;
import dev.berth.plan.ServiceState;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Which calls a provider of node ports gets, and what people hear of them: upstream's
 * TestUpdateNodesInExternalLoadBalancer, TestNodeChangesForStableNodeSetEnabled, TestNodeChangesInExternalLoadBalancer,
 * TestNodesNotEqual, TestSlowNodeSync, TestServiceQueueDelay, TestProcessServiceDeletion, and what upstream leaves
 * untested.
 */
class ProviderCallsTest {
    private static final String CLASS = "test.dev/cloud";

    private static final LoadBalancerStatus PUBLIC =
            new LoadBalancerStatus(List.of(Ingress.ofIp("203.0.113.1", IpMode.PROXY)));

    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");

    /** A cloud whose load balancers are ready at once, unless it is told to fail. */
    private static final class Cloud implements LoadBalancerProvider {
        final List<String> calls = new ArrayList<>();
        final List<LoadBalancerRequest> requests = new ArrayList<>();

        @Nullable ProviderException ensureFails;

        @Nullable ProviderException updateFails;

        @Nullable ProviderException deleteFails;

        @Nullable EnsureOutcome answer;

        @Nullable LoadBalancerStatus has = PUBLIC;

        List<ListedLoadBalancer> listed = List.of();

        Runnable meanwhile = () -> {};

        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY).withFeatures(Feature.LISTING);
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            return service.uid();
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            called("get", request, null);
            return Optional.ofNullable(has);
        }

        @Override
        public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
            return listed;
        }

        private void called(String call, LoadBalancerRequest request, @Nullable ProviderException failure) {
            calls.add(call + " " + request.service().name()
                    + request.nodes().stream().map(Node::name).toList());
            requests.add(request);
            Runnable happens = meanwhile;
            meanwhile = () -> {};
            happens.run();
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            called("ensure", request, ensureFails);
            return answer != null ? answer : new EnsureOutcome.Ready(PUBLIC);
        }

        @Override
        public void updateLoadBalancer(LoadBalancerRequest request) {
            called("update", request, updateFails);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            called("delete", request, deleteFails);
        }
    }

    private static final class Told implements Events {
        final List<String> events = new ArrayList<>();

        @Override
        public void normal(About about, String reason, String message) {
            events.add(reason + ": " + message);
        }

        @Override
        public void warning(About about, String reason, String message) {
            events.add("Warning " + reason + ": " + message);
        }
    }

    private final SimulatedCluster cluster = new SimulatedCluster(false, new CalmLine());
    private final SimulatedCluster.Client client = cluster.client();
    private final Cloud cloud = new Cloud();
    private final Told told = new Told();
    private final List<ServiceKey> due = new ArrayList<>();
    private List<Node> nodes = nodes("n1");
    private boolean deleteLeftOver;
    private ServiceControl control = operator();

    private ServiceControl operator() {
        Ledger ledger = new Ledger();
        StartGate gate = new StartGate();
        Backoff backoff = new Backoff(new Random(1));
        Silence silence = new Silence();
        SequencedMap<String, LoadBalancerProvider> providers = new LinkedHashMap<>();
        providers.put("cloud", cloud);
        ClassBook classes = ClassBook.of(
                List.of(new ClassDeclaration(
                        "cloud",
                        Instant.EPOCH,
                        CLASS,
                        "me",
                        "cloud",
                        Map.of(),
                        List.of(),
                        null,
                        HealthCheckPolicy.AUTO,
                        true,
                        Classless.ALWAYS)),
                "me",
                Map.of("cloud", cloud.capabilities()));
        ServiceControl made = new ServiceControl(
                new ServiceControl.Parts(
                        client,
                        ledger,
                        new AddressControl(
                                client,
                                ledger,
                                gate,
                                backoff,
                                () -> classes,
                                () -> clock,
                                due::addAll,
                                ip -> {},
                                (delay, what) -> {},
                                (owner, className) -> true),
                        new Providers(providers),
                        told,
                        new IpModeSupport(true),
                        silence,
                        backoff,
                        () -> clock,
                        "test",
                        () -> 7,
                        () -> nodes,
                        deleteLeftOver,
                        List.of()),
                gate,
                () -> classes,
                Optional::empty,
                this::wake,
                () -> {},
                none -> {});
        gate.open();
        return made;
    }

    private void wake(Collection<ServiceKey> keys) {
        due.addAll(keys);
    }

    private static List<Node> nodes(String... names) {
        return List.of(names).stream()
                .map(name -> new Node(name, "cloud://" + name, List.of()))
                .toList();
    }

    private static ServiceKey key(String name) {
        return new ServiceKey("prod", name);
    }

    private void put(SampleService service) {
        ServiceState state = service.build();
        cluster.put(state.key(), service);
    }

    private void create(String... names) {
        for (String name : names) {
            put(SampleService.named(key(name), "uid-" + name));
        }
    }

    private Next reconcile(String name) {
        client.relist();
        return control.reconcile(key(name));
    }

    private ServiceState service(String name) {
        return Objects.requireNonNull(cluster.services.get(key(name)));
    }

    /** Serves these, and forgets how that went. */
    private void served(String... names) {
        create(names);
        for (String name : names) {
            reconcile(name);
        }
        cloud.calls.clear();
        told.events.clear();
        due.clear();
    }

    /** As the operator does: what a change of nodes makes due is reconciled. */
    private void nodesBecome(List<Node> now) {
        nodes = now;
        control.nodesChanged();
        List<ServiceKey> woken = List.copyOf(due);
        due.clear();
        woken.forEach(key -> reconcile(key.name()));
    }

    @Test
    void serviceIsEnsured_withTheFinalizerOnFirst_andEventsInOrder() {
        cloud.meanwhile = () -> assertThat(service("web").hasOurFinalizer()).isTrue();
        create("web");

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(cloud.requests.getFirst().fencingToken()).isEqualTo(7);
        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("203.0.113.1 (Proxy)");
        assertThat(told.events)
                .containsExactly(
                        "EnsuringLoadBalancer: Ensuring load balancer",
                        "EnsuredLoadBalancer: Ensured load balancer: 203.0.113.1 (Proxy)");
    }

    @Test
    void nodesThatStayAsTheyAre_causeNoCall() {
        served("web");

        nodesBecome(nodes("n1"));

        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void nodesThatCome_go_orGetAnotherProviderId_causeOneUpdate() {
        served("web");

        nodesBecome(nodes("n1", "n2"));
        nodesBecome(nodes("n2"));
        nodesBecome(List.of(new Node("n2", "cloud://other", List.of())));
        nodesBecome(List.of());

        assertThat(cloud.calls)
                .containsExactly("update web[n1, n2]", "update web[n2]", "update web[n2]", "update web[]");
        assertThat(told.events)
                .containsOnly("UpdatedLoadBalancer: Updated load balancer with new hosts")
                .hasSize(4);
    }

    @Test
    void everyServiceIsUpdated_andNoneThatIsNoLoadBalancer() {
        served("s0", "s1", "s2", "s3");
        put(SampleService.named(key("internal"), "uid-internal").typeLoadBalancer(false));
        reconcile("internal");

        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls)
                .containsExactlyInAnyOrder(
                        "update s0[n1, n2]", "update s1[n1, n2]", "update s2[n1, n2]", "update s3[n1, n2]");
    }

    @Test
    void onlyServicesWhoseNodesChanged_areUpdated() {
        served("s0", "s1");
        nodes = nodes("n1", "n2");
        reconcile("s0");
        cloud.calls.clear();

        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls).containsExactly("update s1[n1, n2]");
    }

    @Test
    void failedUpdate_isToldWithTheNodes_andTheLoadBalancerIsEnsuredAnew() {
        served("web");
        cloud.updateFails = new ProviderException("the rack is on fire");

        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls).containsExactly("update web[n1, n2]", "ensure web[n1, n2]");
        assertThat(told.events)
                .startsWith(
                        "Warning UpdateLoadBalancerFailed: Error updating load balancer with new hosts [n1 n2], error: the rack is on fire");
    }

    @Test
    void failedUpdateOfManyNodes_namesTwenty_andTheTotal() {
        served("web");
        cloud.updateFails = new ProviderException("no");

        nodesBecome(nodes(IntStream.range(100, 125).mapToObj(i -> "n" + i).toArray(String[]::new)));

        assertThat(told.events.getFirst()).contains(" n119 ...] (25 in all)").doesNotContain("n120");
    }

    @Test
    void nodeThatComesWhileAProviderIsBusy_isNotLost() {
        create("web");
        cloud.meanwhile = () -> {
            nodes = nodes("n1", "n2");
            control.nodesChanged();
        };
        reconcile("web");
        assertThat(due).contains(key("web"));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]", "update web[n1, n2]");
    }

    @Test
    void withoutNodes_itIsSaid_andTheProviderIsCalledAllTheSame() {
        nodes = List.of();
        create("web");

        reconcile("web");

        assertThat(told.events)
                .contains("Warning UnAvailableLoadBalancer: There are no available nodes for LoadBalancer");
        assertThat(cloud.calls).containsExactly("ensure web[]");
    }

    @Test
    void implementedElsewhere_endsWithoutStatusAndEvent() {
        cloud.answer = new EnsureOutcome.ImplementedElsewhere();
        create("web");

        Next next = reconcile("web");

        assertThat(next).isEqualTo(Next.ON_EVENT);
        assertThat(service("web").ingress()).isEmpty();
        assertThat(told.events).containsExactly("EnsuringLoadBalancer: Ensuring load balancer");
    }

    @Test
    void failure_isToldWithItsCause_andTriedAgainLater_notBefore() {
        cloud.ensureFails = new ProviderException("quota exceeded");
        create("web");

        Next next = reconcile("web");
        reconcile("web");

        assertThat(told.events)
                .contains(
                        "Warning SyncLoadBalancerFailed: Error syncing load balancer: ensuring load balancer for prod/web: quota exceeded");
        assertThat(next.delay().orElseThrow()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(5));
        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        clock = clock.plus(next.delay().orElseThrow());
        cloud.ensureFails = null;
        assertThat(reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(service("web").condition(Marks.PROGRAMMED)).isEmpty();
    }

    @Test
    void failureThatSaysWhenToTryAgain_isTriedExactlyThen() {
        cloud.ensureFails = new ProviderException("busy", Duration.ofSeconds(42), null);
        create("web");

        assertThat(reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(42)));
    }

    @Test
    void pending_isNoFailure_andIsShown() {
        cloud.answer = new EnsureOutcome.Pending(Duration.ofSeconds(9), "waiting for an address");
        create("web");

        assertThat(reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(9)));
        assertThat(service("web").condition(Marks.PROGRAMMED).orElseThrow().message())
                .isEqualTo("waiting for an address");
        assertThat(told.events).containsExactly("EnsuringLoadBalancer: Ensuring load balancer");
    }

    @Test
    void deletion_callsTheProvider_beforeTheFinalizerGoes_andSaysSo() {
        served("web");
        put(SampleService.from(service("web")).deleting(true));
        cloud.meanwhile = () -> assertThat(service("web").hasOurFinalizer()).isTrue();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
        assertThat(cluster.services.get(key("web")))
                .satisfies(left ->
                        assertThat(left == null || !left.hasOurFinalizer()).isTrue());
        assertThat(told.events)
                .containsExactly(
                        "DeletingLoadBalancer: Deleting load balancer", "DeletedLoadBalancer: Deleted load balancer");
    }

    @Test
    void failedDeletion_keepsTheFinalizer_andIsTriedAgain() {
        served("web");
        put(SampleService.from(service("web")).deleting(true));
        cloud.deleteFails = new ProviderException("cannot");

        Next next = reconcile("web");

        assertThat(next.delay()).isPresent();
        assertThat(service("web").hasOurFinalizer()).isTrue();
        assertThat(told.events)
                .contains(
                        "Warning SyncLoadBalancerFailed: Error syncing load balancer: deleting load balancer for prod/web: cannot");
    }

    @Test
    void afterARestart_theProviderIsAskedAgain_forWhatItHasIsNotKnown() {
        served("web");
        control = operator();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
    }

    @Test
    void whatIsLeftOfAServiceThatIsGone_isDeletedByItsUid() {
        boolean deleted = control.deleteLeftOver(new Owner(key("old"), "uid-before"), CLASS);

        assertThat(deleted).isTrue();
        assertThat(cloud.calls).containsExactly("delete old[]");
        assertThat(cloud.requests.getFirst().service()).isEqualTo(new ServiceIdentity("prod", "old", "uid-before"));
        cloud.deleteFails = new ProviderException("cannot");
        assertThat(control.deleteLeftOver(new Owner(key("old"), "uid-before"), CLASS))
                .isFalse();
    }

    private void resync() {
        due.clear();
        control.resync();
        List<ServiceKey> woken = List.copyOf(due);
        woken.forEach(key -> reconcile(key.name()));
    }

    @Test
    void resync_looksOnce_andLeavesWhatIsAsItShouldBe() {
        served("web");

        resync();
        reconcile("web");

        assertThat(cloud.calls).containsExactly("get web[n1]");
        assertThat(told.events).isEmpty();
    }

    @Test
    void loadBalancerThatSomebodyDeletedOrChanged_isToldOf_andEnsuredAnew() {
        served("web");
        cloud.has = null;

        resync();
        cloud.has = new LoadBalancerStatus(List.of(Ingress.ofIp("203.0.113.66", IpMode.PROXY)));
        resync();

        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]", "get web[n1]", "ensure web[n1]");
        assertThat(told.events)
                .contains(
                        "Warning LoadBalancerDrifted: The load balancer is gone; ensuring it anew",
                        "Warning LoadBalancerDrifted: The load balancer has 203.0.113.66 instead of 203.0.113.1; ensuring it anew");
    }

    @Test
    void whatAProviderHasForServicesThatAreGone_isDeletedOnlyIfThatIsWanted() {
        served("web");
        cloud.listed = List.of(
                new ListedLoadBalancer("a", new ServiceIdentity("prod", "web", "uid-web")),
                new ListedLoadBalancer("b", new ServiceIdentity("prod", "web", "uid-before")),
                new ListedLoadBalancer("c", new ServiceIdentity("prod", "gone", "uid-gone")));

        control.resync();
        assertThat(cloud.calls).isEmpty();
        deleteLeftOver = true;
        control = operator();
        control.resync();

        assertThat(cloud.calls).containsExactly("delete web[]", "delete gone[]");
        assertThat(cloud.requests.getLast().service().uid()).isEqualTo("uid-gone");
    }
}
