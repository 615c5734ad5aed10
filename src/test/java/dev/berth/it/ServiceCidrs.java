package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/** A cluster with ServiceCIDRs of v1, and Berth that may look after them. Services are in the namespace default. */
final class ServiceCidrs implements AutoCloseable {
    static final String FINALIZER = "networking.k8s.io/service-cidr-finalizer";
    static final String READY = "True : Kubernetes Service CIDR is ready";

    static final String WAITS = "False Terminating: There are still IPAddresses referencing the ServiceCIDR,"
            + " please remove them or create a new ServiceCIDR";

    private static final String NAMESPACE = "default";
    private static final String COMPONENT = "src/main/kubernetes/components/cluster-addresses/rbac.yaml";

    private final ControlPlane cluster;
    private final KubernetesClient client;
    private final Optional<Installation> berth;
    private final String[] flags;
    private @Nullable OperatorProcess operator;

    private ServiceCidrs(ControlPlane cluster, KubernetesClient client, Optional<Installation> berth, String... flags) {
        this.cluster = cluster;
        this.client = client;
        this.berth = berth;
        this.flags = flags;
    }

    private ServiceCidrs(ControlPlane cluster, Installation berth, String... flags) {
        this(cluster, cluster.adminClient(), Optional.of(berth), flags);
        startBerth();
    }

    /** Closes {@code cluster} at the end, too. */
    ServiceCidrs(ControlPlane cluster, String... flags) {
        this(cluster, install(cluster), flags);
    }

    /** The same, and {@link #reset()} leads back to what is there now. */
    static ServiceCidrs noted(ControlPlane cluster, String... flags) {
        return new ServiceCidrs(cluster, install(cluster).noted(), flags);
    }

    private static Installation install(ControlPlane cluster) {
        Installation installed = new Installation(cluster);
        cluster.kubectl("apply", "--filename=" + COMPONENT);
        return installed;
    }

    /** Deletes all that was created, and starts Berth again; only where it was {@link #noted}. */
    void reset() {
        berth.orElseThrow().reset();
        startBerth();
    }

    private void startBerth() {
        operator = berth.orElseThrow().startOperator(flags);
    }

    /** Stops Berth, and starts it again afterwards. */
    void whileBerthIsAway(Runnable work) {
        Objects.requireNonNull(operator).stop();
        work.run();
        startBerth();
    }

    /**
     * For comparison: Berth is not there. What the API server refuses is refused at once; a full range is an HTTP 500,
     * which the client would send again and again. Closes {@code cluster} at the end, too.
     */
    static ServiceCidrs withoutBerth(ControlPlane cluster) {
        Config once = new ConfigBuilder(cluster.adminClient().getConfiguration())
                .withRequestRetryBackoffLimit(0)
                .build();
        return new ServiceCidrs(
                cluster, new KubernetesClientBuilder().withConfig(once).build(), Optional.empty());
    }

    ControlPlane cluster() {
        return cluster;
    }

    KubernetesClient client() {
        return client;
    }

    static ServiceCIDR object(String name, String... cidrs) {
        return new ServiceCIDRBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withCidrs(cidrs)
                .endSpec()
                .build();
    }

    void create(String name, String... cidrs) {
        client().resource(object(name, cidrs)).create();
    }

    /** Asks for it to retire. */
    void retire(String name) {
        annotate(name, "berth.dev/retire=true");
    }

    void annotate(String name, String annotation) {
        cluster.kubectl("annotate", "--overwrite", "servicecidr", name, annotation);
    }

    void delete(String name) {
        client().resources(ServiceCIDR.class).withName(name).delete();
    }

    Optional<ServiceCIDR> find(String name) {
        return Optional.ofNullable(
                client().resources(ServiceCIDR.class).withName(name).get());
    }

    /** The CIDRs of all. */
    List<String> all() {
        return client().resources(ServiceCIDR.class).list().getItems().stream()
                .flatMap(cidr -> cidr.getSpec().getCidrs().stream())
                .sorted()
                .toList();
    }

    /** The condition Ready, as {@code status reason: message}; empty: there is none. */
    static String ready(ServiceCIDR cidr) {
        return Stream.ofNullable(cidr.getStatus())
                .map(status -> BerthOnCluster.condition(status.getConditions(), "Ready"))
                .findFirst()
                .orElse("");
    }

    /**
     * Of the range of its flags the API server says itself that it is ready. kube-controller-manager writes its own words
     * over that, Berth does not.
     */
    static String inOneWording(String ready) {
        return ready.equals("True : Kubernetes default Service CIDR is ready") ? READY : ready;
    }

    /** Waits until it has the finalizer and this condition Ready. */
    void awaitReady(String name, String condition) {
        awaitReady(name, condition, Patience.USUAL);
    }

    void awaitReady(String name, String condition, Duration patience) {
        eventually(
                patience,
                () -> assertThat(find(name)).hasValueSatisfying(cidr -> {
                    assertThat(inOneWording(ready(cidr))).isEqualTo(condition);
                    assertThat(cidr.getMetadata().getFinalizers()).containsExactly(FINALIZER);
                }));
    }

    void awaitGone(String name) {
        awaitGone(name, Patience.USUAL);
    }

    void awaitGone(String name, Duration patience) {
        eventually(patience, () -> assertThat(find(name)).isEmpty());
    }

    /** What an API server that is just being restarted cannot say yet, it says later. */
    private static void eventually(Duration patience, Runnable assertions) {
        await().atMost(patience)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .untilAsserted(assertions::run);
    }

    /** A ClusterIP Service with any address of the cluster's own family. */
    Service createService(String name) {
        return createService(name, null, null);
    }

    Service createServiceOfFamily(String name, String family) {
        return createService(name, family, null);
    }

    Service createService(String name, String clusterIp) {
        return createService(name, null, clusterIp);
    }

    /** An allocator sees a new range a moment after it is there. */
    void createServiceWhenPossible(String name, String clusterIp) {
        await(name)
                .atMost(Patience.USUAL)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> createService(name, clusterIp) != null);
    }

    private Service createService(String name, @Nullable String family, @Nullable String clusterIp) {
        return client().resource(manifest(name, family, clusterIp)).create();
    }

    /** Whether a Service could have this address just now; nothing is made. */
    boolean wouldGive(String clusterIp) {
        try {
            client().resource(manifest("rehearsal", null, clusterIp)).dryRun().create();
            return true;
        } catch (KubernetesClientException refusal) {
            return false;
        }
    }

    private static Service manifest(String name, @Nullable String family, @Nullable String clusterIp) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withIpFamilies(family == null ? null : List.of(family))
                .withClusterIP(clusterIp)
                .addNewPort()
                .withPort(80)
                .endPort()
                .endSpec()
                .build();
    }

    /** Null: there is none. */
    @Nullable Service service(String name) {
        return client().services().inNamespace(NAMESPACE).withName(name).get();
    }

    void deleteService(String name) {
        client().services().inNamespace(NAMESPACE).withName(name).delete();
    }

    /**
     * The ServiceCIDRPolicy of the cluster.
     *
     * @param spec as YAML in one line, without its braces
     */
    void policy(String spec) {
        client().resource(Serialization.unmarshal(
                        "apiVersion: berth.dev/v1alpha1\nkind: ServiceCIDRPolicy\nmetadata: {name: cluster}\nspec: {"
                                + spec + "}\n",
                        ServiceCIDRPolicy.class))
                .serverSideApply();
    }

    /** A ClusterIPReservation for a Service of this name. */
    void reserve(String name, String address, String service) {
        client().resource(Serialization.unmarshal(
                        """
                        apiVersion: berth.dev/v1alpha1
                        kind: ClusterIPReservation
                        metadata: {name: %s}
                        spec: {address: "%s", service: {namespace: %s, name: %s}}
                        """.formatted(name, address, NAMESPACE, service), ClusterIPReservation.class))
                .serverSideApply();
    }

    /** Waits until its condition Ready begins like this, as {@code status reason: message}. */
    void awaitReservation(String name, String ready) {
        awaitReservation(name, ready, Patience.USUAL);
    }

    void awaitReservation(String name, String ready, Duration within) {
        eventually(
                within,
                () -> assertThat(Stream.ofNullable(client().resources(ClusterIPReservation.class)
                                        .withName(name)
                                        .get()
                                        .getStatus())
                                .map(status -> BerthOnCluster.condition(status.conditions(), "Ready"))
                                .findFirst()
                                .orElse(""))
                        .startsWith(ready));
    }

    void awaitStatus(Consumer<ServiceCIDRPolicy.Status> expected) {
        eventually(Patience.USUAL, () -> {
            ServiceCIDRPolicy.Status status = client().resources(ServiceCIDRPolicy.class)
                    .withName(ServiceCIDRPolicy.NAME)
                    .get()
                    .getStatus();
            assertThat(status).isNotNull();
            expected.accept(status);
        });
    }

    private void put(String yaml) {
        client().resource(Serialization.unmarshal(yaml, GenericKubernetesResource.class))
                .create();
    }

    /**
     * A ValidatingAdmissionPolicy on ServiceCIDRs, the default one excepted, as Kubernetes' documentation has them; it
     * says "ask the network team". Returns when it is in force.
     *
     * @param validation what is allowed, in CEL
     */
    void forbid(String name, String validation) {
        put("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicy
                metadata: {name: %s}
                spec:
                  failurePolicy: Fail
                  matchConstraints:
                    resourceRules:
                    - apiGroups: [networking.k8s.io]
                      apiVersions: [v1, v1beta1]
                      operations: [CREATE, UPDATE]
                      resources: [servicecidrs]
                  matchConditions:
                  - {name: exclude-default, expression: "object.metadata.name != 'kubernetes'"}
                  validations:
                  - {expression: "%s", message: ask the network team}
                """.formatted(name, validation));
        put("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicyBinding
                metadata: {name: %1$s}
                spec: {policyName: %1$s, validationActions: [Deny, Audit]}
                """.formatted(name));
        awaitInForce(name, () -> assertThatThrownBy(this::rehearse).hasMessageContaining("ask the network team"));
    }

    /** Takes {@link #forbid} back. */
    void allow(String name) {
        cluster.kubectl("delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", name);
        awaitInForce(name, () -> assertThatNoException().isThrownBy(this::rehearse));
    }

    /** A policy takes a moment to come, and to go. */
    private static void awaitInForce(String name, ThrowingRunnable assertions) {
        await(name).atMost(Patience.USUAL).untilAsserted(assertions);
    }

    private void rehearse() {
        client().resource(object("probe", "172.20.0.0/28")).dryRun().create();
    }

    @Override
    public void close() {
        berth.ifPresent(Installation::close);
        client.close();
        cluster.close();
    }
}
