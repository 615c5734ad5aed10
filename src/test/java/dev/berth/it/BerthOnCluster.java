package dev.berth.it;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowingConsumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Berth on a control plane as its users install it, with the packaged operator under the permissions of its
 * ServiceAccount. Services are in the namespace default.
 */
final class BerthOnCluster implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String NAMESPACE = "default";
    private static final String OBJECT = """
            apiVersion: berth.dev/v1alpha1
            kind: %s
            metadata: {name: %s}
            spec: {%s}
            """;

    private final ControlPlane cluster;
    private final KubernetesClient client;
    private final Path kubeconfig;
    private @Nullable OperatorProcess operator;

    private BerthOnCluster(ControlPlane cluster) {
        this.cluster = cluster;
        this.client = cluster.adminClient();
        this.kubeconfig = cluster.serviceAccountKubeconfig("berth-system", "berth");
    }

    /** Applies the manifests; the operator does not run yet. */
    public static BerthOnCluster on(ControlPlane cluster) {
        Installation.applyManifests(cluster);
        return new BerthOnCluster(cluster);
    }

    /** The same on an installation that others have used; its operator is stopped. */
    public static BerthOnCluster on(Installation shared) {
        shared.stopOperator();
        return new BerthOnCluster(shared.controlPlane());
    }

    /**
     * The same with the operator of the installation, which has its default flags. It goes on when the tests are over: this is
     * not to be closed.
     */
    public static BerthOnCluster running(Installation shared) {
        BerthOnCluster berth = new BerthOnCluster(shared.controlPlane());
        berth.operator = shared.operator();
        return berth;
    }

    public ControlPlane cluster() {
        return cluster;
    }

    public KubernetesClient client() {
        return client;
    }

    /** A kubeconfig of the operator's ServiceAccount. */
    public Path kubeconfig() {
        return kubeconfig;
    }

    /**
     * Starts the operator with the flags of its Deployment, but for leader election, and {@code flags}; returns when
     * it works. One that runs is stopped before.
     */
    public OperatorProcess startOperator(String... flags) {
        stopOperator();
        String[] all = new String[flags.length + 1];
        all[0] = "--log-format=json";
        System.arraycopy(flags, 0, all, 1, flags.length);
        OperatorProcess started = OperatorProcess.start(kubeconfig, all);
        operator = started;
        started.awaitLog("ready after");
        return started;
    }

    /**
     * The one that was started last.
     *
     * @throws IllegalStateException if none runs
     */
    public OperatorProcess operator() {
        return Optional.ofNullable(operator).orElseThrow(() -> new IllegalStateException("start the operator first"));
    }

    public void stopOperator() {
        if (operator != null) {
            operator.close();
            operator = null;
        }
    }

    public AddressPool createPool(String name, String... addresses) {
        return client.resource(Serialization.unmarshal(
                        OBJECT.formatted("AddressPool", name, "addresses: ['" + String.join("', '", addresses) + "']"),
                        AddressPool.class))
                .create();
    }

    public @Nullable AddressPool pool(String name) {
        return client.resources(AddressPool.class).withName(name).get();
    }

    /** Creates a Node with this internal address. */
    public void createNode(String name, String address) {
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewStatus()
                        .addNewAddress(address, "InternalIP")
                        .endStatus()
                        .build())
                .create();
    }

    /**
     * A LoadBalancerClass of this controller.
     *
     * @param spec as YAML in one line, without braces
     */
    public LoadBalancerClass createClass(String name, String spec) {
        return client.resource(Serialization.unmarshal(
                        OBJECT.formatted("LoadBalancerClass", name, spec), LoadBalancerClass.class))
                .create();
    }

    /**
     * A Service of type LoadBalancer with one port.
     *
     * @param loadBalancerClass null: none
     */
    public Service createService(
            String name, @Nullable String loadBalancerClass, UnaryOperator<ServiceBuilder> changes) {
        ServiceBuilder service = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withType("LoadBalancer")
                .withLoadBalancerClass(loadBalancerClass)
                .addNewPort()
                .withPort(80)
                .endPort()
                .endSpec();
        return client.resource(changes.apply(service).build()).create();
    }

    public Service createService(String name) {
        return createService(name, null, UnaryOperator.identity());
    }

    public @Nullable Service service(String name) {
        return client.services().inNamespace(NAMESPACE).withName(name).get();
    }

    /** Waits until the Service is as {@code condition} says. */
    public Service awaitService(String name, Predicate<Service> condition) {
        return Awaitility.await("Service " + name)
                .atMost(Patience.USUAL)
                .pollInterval(POLL)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> service(name), service -> service != null && condition.test(service));
    }

    /** Waits until the Service has an address; returns the first. */
    public String awaitAddress(String name) {
        return ingress(awaitService(name, service -> !ingress(service).isEmpty()))
                .getFirst()
                .getIp();
    }

    public void awaitAsserted(ThrowingConsumer<BerthOnCluster> assertions) {
        Awaitility.await()
                .atMost(Patience.USUAL)
                .pollInterval(POLL)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .untilAsserted(() -> assertions.accept(this));
    }

    /** What {@code status.loadBalancer.ingress} has; empty if it is absent. */
    public static List<LoadBalancerIngress> ingress(Service service) {
        return service.getStatus() == null
                        || service.getStatus().getLoadBalancer() == null
                        || service.getStatus().getLoadBalancer().getIngress() == null
                ? List.of()
                : service.getStatus().getLoadBalancer().getIngress();
    }

    /** What the condition Programmed of a Service says; empty: there is nothing to say. */
    static String programmed(Service service) {
        return service.getStatus() == null
                ? ""
                : condition(service.getStatus().getConditions(), WellKnownNames.PROGRAMMED);
    }

    /** The condition of this type, as {@code status reason: message}; empty if there is none. */
    public static String condition(@Nullable List<Condition> conditions, String type) {
        return (conditions == null ? List.<Condition>of() : conditions)
                .stream()
                        .filter(condition -> condition.getType().equals(type))
                        .map(condition ->
                                condition.getStatus() + " " + condition.getReason() + ": " + condition.getMessage())
                        .findFirst()
                        .orElse("");
    }

    /** The Service's condition berth.dev/AddressAssigned, as {@link #condition} says it. */
    public String addressAssigned(String service) {
        Service found = service(service);
        return found == null || found.getStatus() == null
                ? ""
                : condition(found.getStatus().getConditions(), "berth.dev/AddressAssigned");
    }

    /** The events about the object of this name, as {@code type reason: note}. */
    public List<String> events(String kind, String name) {
        return events(client, kind, name);
    }

    static List<String> events(KubernetesClient client, String kind, String name) {
        return client.events().v1().events().inAnyNamespace().list().getItems().stream()
                .filter(event -> event.getRegarding() != null)
                .filter(event -> kind.equals(event.getRegarding().getKind())
                        && name.equals(event.getRegarding().getName()))
                // On a busy machine the API server repairs what it is just allocating, and tells of it.
                .filter(event -> !"ipallocator-repair-controller".equals(event.getReportingController()))
                .map(BerthOnCluster::text)
                .toList();
    }

    private static String text(Event event) {
        return event.getType() + " " + event.getReason() + ": " + event.getNote();
    }

    /** Stops the operator; the control plane is its owner's. */
    @Override
    public void close() {
        stopOperator();
    }
}
