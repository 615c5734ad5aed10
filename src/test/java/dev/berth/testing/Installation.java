package dev.berth.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.loadbalancer.WellKnownNames;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.LoadBalancerIngressBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Berth as its users install it: exactly the manifests, and the packaged operator with the rights of
 * their ServiceAccount and nothing more.
 */
public final class Installation implements AutoCloseable {
    /** The class that comes with the manifests. */
    public static final String DEFAULT_CLASS = "berth.dev/pool";

    /** The kustomization that is applied when no other is named. */
    public static final String MANIFESTS = "src/main/kubernetes";

    private final ControlPlane controlPlane;
    private final List<OperatorProcess> operators = new ArrayList<>();
    private final AtomicInteger namespaces = new AtomicInteger();
    private @Nullable OperatorProcess operator;
    private @Nullable ClusterState installed;

    /** Applies the manifests; no operator runs yet. */
    public Installation(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        applyManifests(controlPlane);
    }

    /** What is there now is the installation: {@link #reset()} leads back to it. */
    public Installation noted() {
        installed = new ClusterState(client());
        return this;
    }

    /**
     * Deletes what came after the installation, and stops all operators but {@link #operator()}.
     *
     * @throws IllegalStateException if the state after the installation cannot be restored
     * @throws NullPointerException if it was not {@link #noted()}
     */
    public void reset() {
        operators.forEach(OperatorProcess::close);
        operators.clear();
        Objects.requireNonNull(installed, "not noted").restore(operator != null && operator.isAlive());
        controlPlane.forgetAuditEvents();
    }

    public ControlPlane controlPlane() {
        return controlPlane;
    }

    /**
     * Does what the README says: the manifests, and the default class once its kind is known. The manifests come from the one
     * file, which {@code make check} compares with their kustomization; neither kustomize nor the OpenAPI schema of the API
     * server takes time here.
     */
    public static void applyManifests(ControlPlane controlPlane) {
        controlPlane.kubectl("apply", "--validate=false", "-f", MANIFESTS + "/berth.yaml");
        addTheDefaultClass(controlPlane, "--validate=false");
    }

    /**
     * The same by a kustomization: one's own, which takes in the manifests, or {@link #MANIFESTS}. The API server rejects a
     * field that it does not know.
     */
    public static void applyManifests(ControlPlane controlPlane, String kustomization) {
        controlPlane.kubectl("apply", "--validate=strict", "-k", kustomization);
        addTheDefaultClass(controlPlane, "--validate=strict");
    }

    private static void addTheDefaultClass(ControlPlane controlPlane, String validation) {
        controlPlane.kubectl(
                "wait",
                "--for=condition=Established",
                "--timeout=50s",
                "crd",
                "--selector=app.kubernetes.io/part-of=berth");
        controlPlane.kubectl("apply", validation, "-f", MANIFESTS + "/load-balancer-class.yaml");
    }

    public KubernetesClient client() {
        return controlPlane.adminClient();
    }

    /** A kubeconfig with the ServiceAccount's token. */
    public Path kubeconfig() {
        return controlPlane.serviceAccountKubeconfig("berth-system", "berth");
    }

    /** The operator with the default flags; it is started when none runs, and goes on over a {@link #reset()}. */
    public OperatorProcess operator() {
        if (operator == null || !operator.isAlive()) {
            operator = OperatorProcess.start(kubeconfig());
            awaitReady(operator);
        }
        return operator;
    }

    /**
     * Starts an operator and waits until it works, or stands by. It is stopped with the installation; {@link
     * #operator()} is stopped before.
     */
    public OperatorProcess startOperator(String... flags) {
        stopOperator();
        OperatorProcess started = OperatorProcess.start(kubeconfig(), flags);
        operators.add(started);
        awaitReady(started, flags);
        return started;
    }

    private static void awaitReady(OperatorProcess started, String... flags) {
        started.awaitLog(List.of(flags).contains("--leader-elect") ? "leads|ready after" : "ready after");
    }

    /** Stops {@link #operator()}, if it runs. */
    public void stopOperator() {
        if (operator != null) {
            operator.close();
            operator = null;
        }
    }

    /** A new namespace of this test's own. */
    public String namespace(String prefix) {
        String name = prefix + "-" + namespaces.incrementAndGet();
        client().resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    /** A {@code namespaceSelector} for a pool that several namespaces may use. */
    public static Map<String, Object> selecting(String... namespaces) {
        return Map.of(
                "matchExpressions",
                List.of(Map.of("key", "kubernetes.io/metadata.name", "operator", "In", "values", List.of(namespaces))));
    }

    /** A pool for the Services of one namespace alone, so that tests do not meet. */
    public AddressPool pool(String namespace, String... addresses) {
        return pool(namespace, UnaryOperator.identity(), addresses);
    }

    /** The same, with more in its spec: the fields by their names. */
    public AddressPool pool(String namespace, UnaryOperator<Map<String, Object>> more, String... addresses) {
        return pool(namespace, namespace, more, addresses);
    }

    /** The same, by its own name. */
    public AddressPool pool(
            String name, String namespace, UnaryOperator<Map<String, Object>> more, String... addresses) {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("addresses", List.of(addresses));
        spec.put("namespaceSelector", selecting(namespace));
        AddressPool pool = new AddressPool();
        pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
        pool.setSpec(Serialization.unmarshal(Serialization.asJson(more.apply(spec)), AddressPool.Spec.class));
        return client().resource(pool).create();
    }

    /** A class of the {@code pool} provider. */
    public LoadBalancerClass loadBalancerClass(String name, @Nullable String ipMode) {
        return loadBalancerClass(name, ipMode, null);
    }

    /** The same with {@code spec.nodePorts}. */
    public LoadBalancerClass loadBalancerClass(String name, @Nullable String ipMode, @Nullable String nodePorts) {
        LoadBalancerClass object = new LoadBalancerClass();
        object.setMetadata(new ObjectMetaBuilder().withName(name).build());
        object.setSpec(new LoadBalancerClass.Spec(
                "test.dev/" + name, null, null, null, null, ipMode, null, nodePorts, null, null, null));
        return client().resource(object).create();
    }

    /** Creates a LoadBalancer Service with one TCP port, after {@code change}. */
    public Service service(String namespace, String name, UnaryOperator<ServiceBuilder> change) {
        ServiceBuilder builder = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withType("LoadBalancer")
                .addNewPort()
                .withPort(80)
                .endPort()
                .endSpec();
        return client().resource(change.apply(builder).build()).create();
    }

    public Service service(String namespace, String name) {
        return service(namespace, name, UnaryOperator.identity());
    }

    /** The Service as it is now. */
    public Service get(String namespace, String name) {
        Service service =
                client().services().inNamespace(namespace).withName(name).get();
        assertThat(service).as("Service %s/%s", namespace, name).isNotNull();
        return service;
    }

    /** Waits until the Service has at least one ingress, and returns it. */
    public Service awaitAddress(String namespace, String name) {
        return await(namespace, name, service -> !ingress(service).isEmpty());
    }

    /** Waits until the Service is as it should be, and returns it. */
    public Service await(String namespace, String name, Predicate<Service> expected) {
        try {
            return Awaitility.await()
                    .atMost(Patience.LONG)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> get(namespace, name), expected);
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(
                    "Service is " + get(namespace, name) + "; operators said "
                            + operators.stream().map(OperatorProcess::log).toList(),
                    late);
        }
    }

    /** Writes these addresses into the status of a Service, as another load balancer controller does. */
    public void publishAsStranger(String namespace, String name, String... ips) {
        Conflicts.untilNone(() -> client().services()
                .inNamespace(namespace)
                .withName(name)
                .editStatus(service -> new ServiceBuilder(service)
                        .editOrNewStatus()
                        .withNewLoadBalancer()
                        .withIngress(Stream.of(ips)
                                .map(ip -> new LoadBalancerIngressBuilder()
                                        .withIp(ip)
                                        .build())
                                .toList())
                        .endLoadBalancer()
                        .endStatus()
                        .build()));
    }

    /** Deletes the Service and waits until it is gone. */
    public void deleteService(String namespace, String name) {
        client().services().inNamespace(namespace).withName(name).delete();
        Awaitility.await()
                .atMost(Patience.LONG)
                .until(() -> client().services()
                                .inNamespace(namespace)
                                .withName(name)
                                .get()
                        == null);
    }

    /** Waits until there is no Address of the Service of this name. */
    public void awaitReleased(String namespace, String name) {
        awaitAddressesOf(namespace, name);
    }

    /** The addresses claimed for the Service of this name. */
    public List<String> addressesOf(String namespace, String name) {
        return addresses().stream()
                .filter(address -> claimsOf(address).stream()
                        .anyMatch(claim -> "Service".equals(claim.kind())
                                && claim.namespace().equals(namespace)
                                && claim.name().equals(name)))
                .map(address -> address.getSpec().address())
                .toList();
    }

    /** Waits until just these addresses are claimed for the Service of this name. */
    public void awaitAddressesOf(String namespace, String name, String... addresses) {
        Awaitility.await()
                .atMost(Patience.LONG)
                .untilAsserted(() -> assertThat(addressesOf(namespace, name)).containsExactly(addresses));
    }

    public List<Address> addresses() {
        return client().resources(Address.class).list().getItems();
    }

    /** Who an Address is claimed for. */
    public static List<Address.Claim> claimsOf(Address address) {
        return Optional.ofNullable(address.getSpec().claims()).orElse(List.of());
    }

    /** A Service with these annotations, names and values in turn. */
    public static UnaryOperator<ServiceBuilder> annotated(String... namesAndValues) {
        return builder -> {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                builder.editMetadata()
                        .addToAnnotations(namesAndValues[i], namesAndValues[i + 1])
                        .endMetadata();
            }
            return builder;
        };
    }

    /** A Service that shares its address by {@code key}, with this port. */
    public static UnaryOperator<ServiceBuilder> sharing(String key, int port) {
        return builder -> annotated(WellKnownNames.SHARING_KEY, key)
                .apply(builder)
                .editSpec()
                .editFirstPort()
                .withPort(port)
                .endPort()
                .endSpec();
    }

    public static List<LoadBalancerIngress> ingress(Service service) {
        return Optional.ofNullable(service.getStatus().getLoadBalancer().getIngress())
                .orElse(List.of());
    }

    /** The IPs in the Service's status, in order. */
    public static List<String> ips(Service service) {
        return ingress(service).stream().map(LoadBalancerIngress::getIp).toList();
    }

    /** The modes in the Service's status, in order; null where none is told. */
    public static List<@Nullable String> ipModes(Service service) {
        List<@Nullable String> modes = new ArrayList<>();
        ingress(service).forEach(entry -> modes.add(entry.getIpMode()));
        return modes;
    }

    /** The condition of this type; absent: there is none. */
    public static Optional<Condition> condition(Service service, String type) {
        return Optional.ofNullable(service.getStatus().getConditions()).orElse(List.of()).stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    /** Reason and note of the events about an object of this name. */
    public List<Map.Entry<String, String>> events(String namespace, String name) {
        return client().events().v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> event.getRegarding() != null
                        && name.equals(event.getRegarding().getName()))
                .map(event -> Map.entry(event.getReason(), event.getNote()))
                .toList();
    }

    /** Stops what runs; the control plane stays. */
    @Override
    public void close() {
        stopOperator();
        operators.forEach(OperatorProcess::close);
    }
}
