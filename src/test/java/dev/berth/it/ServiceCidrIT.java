package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Berth as the ServiceCIDR controller, beside kube-controller-manager's: each script is run on two clusters, and ends in
 * the same objects and conditions.
 */
class ServiceCidrIT {
    private static final String NAMESPACE = "default";
    private static final String FINALIZER = "networking.k8s.io/service-cidr-finalizer";
    private static final String COMPONENT = "src/main/kubernetes/components/cluster-addresses/rbac.yaml";
    private static final String READY = "True : Kubernetes Service CIDR is ready";
    private static final String WAITS = "False Terminating: There are still IPAddresses referencing the ServiceCIDR,"
            + " please remove them or create a new ServiceCIDR";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static ControlPlane upstream;
    private static ControlPlane ours;
    private static Installation berth;

    @BeforeAll
    static void install() {
        upstream = cluster().controllerManager("service-cidr-controller").start();
        ours = cluster().start();
        berth = new Installation(ours);
        ours.kubectl("apply", "--filename=" + COMPONENT);
        berth.startOperator("--service-cidr-controller=Always");
    }

    private static ControlPlane.Builder cluster() {
        return ControlPlane.builder().serviceCidrs("10.96.0.0/28", "fd00:10:96::/124");
    }

    @AfterAll
    static void stop() {
        berth.close();
        ours.close();
        upstream.close();
    }

    /** Runs a script on both clusters; what it leaves of the objects of these names has to be the same. */
    private static void onBoth(String name, Consumer<KubernetesClient> script) {
        try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
            Stream.of(upstream, ours)
                    .map(cluster -> CompletableFuture.runAsync(() -> script.accept(cluster.adminClient()), both))
                    .toList()
                    .forEach(CompletableFuture::join);
        }
        assertThat(left(name, ours.adminClient())).isEqualTo(left(name, upstream.adminClient()));
    }

    /** CIDRs, finalizers and conditions of the ServiceCIDRs, and who has an address. */
    private static List<String> left(String name, KubernetesClient client) {
        Stream<String> cidrs = client.resources(ServiceCIDR.class).list().getItems().stream()
                .filter(cidr -> cidr.getMetadata().getName().startsWith(name))
                .map(cidr -> cidr.getMetadata().getName() + " " + cidr.getSpec().getCidrs() + " "
                        + cidr.getMetadata().getFinalizers() + " " + ready(cidr));
        Stream<String> addresses = client.resources(IPAddress.class).list().getItems().stream()
                .map(ip -> ip.getMetadata().getName() + " "
                        + ip.getSpec().getParentRef().getName())
                .filter(text -> text.contains(" " + name));
        return Stream.concat(cidrs, addresses).sorted().toList();
    }

    /** The condition Ready, as {@code status reason: message}; empty: there is none. */
    private static String ready(ServiceCIDR cidr) {
        return Stream.ofNullable(cidr.getStatus())
                .flatMap(status -> status.getConditions().stream())
                .filter(condition -> condition.getType().equals("Ready"))
                .map(ServiceCidrIT::text)
                .findFirst()
                .orElse("");
    }

    private static String text(Condition condition) {
        return condition.getStatus() + " " + condition.getReason() + ": " + condition.getMessage();
    }

    private static void createCidr(KubernetesClient client, String name, String... cidrs) {
        client.resource(new ServiceCIDRBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withCidrs(cidrs)
                        .endSpec()
                        .build())
                .create();
    }

    private static void deleteCidr(KubernetesClient client, String name) {
        client.resources(ServiceCIDR.class).withName(name).delete();
    }

    private static Optional<ServiceCIDR> cidr(KubernetesClient client, String name) {
        return Optional.ofNullable(
                client.resources(ServiceCIDR.class).withName(name).get());
    }

    private static void awaitReady(KubernetesClient client, String name, String condition) {
        await(name)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cidr(client, name)).hasValueSatisfying(cidr -> {
                    assertThat(ready(cidr)).isEqualTo(condition);
                    assertThat(cidr.getMetadata().getFinalizers()).containsExactly(FINALIZER);
                }));
    }

    private static void awaitGone(KubernetesClient client, String name) {
        await(name)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cidr(client, name)).isEmpty());
    }

    /**
     * A ClusterIP Service.
     *
     * @param ip null: any of IPv6
     */
    private static void createService(KubernetesClient client, String name, @Nullable String ip) {
        client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withClusterIP(ip)
                        .withIpFamilies(ip == null || ip.contains(":") ? "IPv6" : "IPv4")
                        .addNewPort()
                        .withPort(80)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
    }

    private static void deleteService(KubernetesClient client, String name) {
        client.services().inNamespace(NAMESPACE).withName(name).delete();
    }

    /** An allocator hears of a new range a moment after it is there. */
    private static void createServiceWhenPossible(KubernetesClient client, String name, String ip) {
        await(name)
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> {
                    createService(client, name, ip);
                    return true;
                });
    }

    @Test
    void newServiceCidr_getsItsFinalizerAndIsReady_alsoOfTwoFamilies() {
        onBoth("both", client -> {
            createCidr(client, "both", "10.100.0.0/24", "fd00:10:100::/112");
            awaitReady(client, "both", READY);
            deleteCidr(client, "both");
        });
        onBoth("both", client -> awaitGone(client, "both"));
    }

    @Test
    void rangeOfTheApiServersFlags_isLookedAfterAsAnyOther() {
        onBoth("kubernetes", client -> awaitReady(client, "kubernetes", READY));
    }

    @Test
    void newServiceCidr_unblocksAFullOne() {
        onBoth("full", client -> {
            // 2^4 addresses, but the first; the API server's own Service is of the other family.
            for (int i = 1; i <= 15; i++) {
                createService(client, "full-" + i, "fd00:10:96::" + Integer.toHexString(i));
            }
            assertThatThrownBy(() -> createService(client, "full-16", null)).hasMessageContaining("range is full");
            createCidr(client, "full-no-more", "fd00:10:101::/126");
            awaitReady(client, "full-no-more", READY);
            createServiceWhenPossible(client, "full-16", "fd00:10:101::2");
        });
        onBoth("full", client -> {
            for (int i = 1; i <= 16; i++) {
                deleteService(client, "full-" + i);
            }
            deleteCidr(client, "full-no-more");
            awaitGone(client, "full-no-more");
        });
    }

    @Test
    void rangeThatAloneHasAnAddress_waitsForIt_untilItIsGivenBackOrAnotherRangeHasItToo() {
        onBoth("lone", client -> {
            createCidr(client, "lone", "10.102.0.0/24");
            createServiceWhenPossible(client, "lone-holder", "10.102.0.77");
            createCidr(client, "lone-too", "10.103.0.0/24");
            createServiceWhenPossible(client, "lone-mover", "10.103.0.77");
            deleteCidr(client, "lone");
            deleteCidr(client, "lone-too");
            awaitReady(client, "lone", WAITS);
            awaitReady(client, "lone-too", WAITS);
        });
        onBoth("lone", client -> {
            deleteService(client, "lone-holder");
            createCidr(client, "lone-rescue", "10.103.0.0/24");
            awaitGone(client, "lone");
            awaitGone(client, "lone-too");
            awaitReady(client, "lone-rescue", READY);
        });
    }

    @Test
    void coveredRange_goes_andTheOneThatCoversItStays() {
        onBoth("covered", client -> {
            createCidr(client, "covered-outer", "10.104.0.0/24");
            createCidr(client, "covered-inner", "10.104.0.0/28");
            createServiceWhenPossible(client, "covered", "10.104.0.5");
            deleteCidr(client, "covered-inner");
            awaitGone(client, "covered-inner");
            deleteCidr(client, "covered-outer");
            awaitReady(client, "covered-outer", WAITS);
        });
    }

    @Test
    void rangeIsKept_byAddressesOfTheApiServersAllocatorOnly() {
        onBoth("foreign", client -> {
            createCidr(client, "foreign", "10.106.0.0/24");
            awaitReady(client, "foreign", READY);
            client.resource(new IPAddressBuilder()
                            .withNewMetadata()
                            .withName("10.106.0.7")
                            .endMetadata()
                            .withNewSpec()
                            .withNewParentRef()
                            .withGroup("example.com")
                            .withResource("boats")
                            .withName("foreign")
                            .endParentRef()
                            .endSpec()
                            .build())
                    .create();
            deleteCidr(client, "foreign");
            awaitGone(client, "foreign");
        });
    }

    @Test
    void ofTwoThatCoverEachOther_andAreDeletedTogether_oneStays() {
        KubernetesClient client = ours.adminClient();
        createCidr(client, "twin-a", "10.105.0.0/24");
        createCidr(client, "twin-b", "10.105.0.0/24");
        createServiceWhenPossible(client, "twin", "10.105.0.9");
        deleteCidr(client, "twin-a");
        deleteCidr(client, "twin-b");
        awaitGone(client, "twin-a");
        awaitReady(client, "twin-b", WAITS);

        deleteService(client, "twin");
        awaitGone(client, "twin-b");
    }
}
