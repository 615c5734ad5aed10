package dev.berth.it;

import static dev.berth.it.ServiceCidrs.READY;
import static dev.berth.it.ServiceCidrs.WAITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Berth as the ServiceCIDR controller, beside kube-controller-manager's: each script is run on two clusters, and ends in
 * the same objects and conditions.
 */
class ServiceCidrIT {
    private static ServiceCidrs upstream;
    private static ServiceCidrs ours;

    @BeforeAll
    static void install() {
        upstream = ServiceCidrs.withoutBerth(
                cluster().controllerManager("service-cidr-controller").start());
        ours = new ServiceCidrs(cluster().start(), "--service-cidr-controller=Always");
    }

    private static ControlPlane.Builder cluster() {
        return ControlPlane.builder().serviceCidrs("10.96.0.0/28", "fd00:10:96::/124");
    }

    @AfterAll
    static void stop() {
        ours.close();
        upstream.close();
    }

    /** Runs a script on both clusters; what it leaves of the objects of these names has to be the same. */
    private static void onBoth(String name, Consumer<ServiceCidrs> script) {
        try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
            Stream.of(upstream, ours)
                    .map(cluster -> CompletableFuture.runAsync(() -> script.accept(cluster), both))
                    .toList()
                    .forEach(CompletableFuture::join);
        }
        assertThat(left(name, ours.client())).isEqualTo(left(name, upstream.client()));
    }

    /** CIDRs, finalizers and conditions of the ServiceCIDRs, and who has an address. */
    private static List<String> left(String name, KubernetesClient client) {
        Stream<String> cidrs = client.resources(ServiceCIDR.class).list().getItems().stream()
                .filter(cidr -> cidr.getMetadata().getName().startsWith(name))
                .map(cidr -> cidr.getMetadata().getName() + " " + cidr.getSpec().getCidrs() + " "
                        + cidr.getMetadata().getFinalizers() + " "
                        + ServiceCidrs.inOneWording(ServiceCidrs.ready(cidr)));
        Stream<String> addresses = client.resources(IPAddress.class).list().getItems().stream()
                .map(ip -> ip.getMetadata().getName() + " "
                        + ip.getSpec().getParentRef().getName())
                .filter(text -> text.contains(" " + name));
        return Stream.concat(cidrs, addresses).sorted().toList();
    }

    @Test
    void newServiceCidr_getsItsFinalizerAndIsReady_alsoOfTwoFamilies() {
        onBoth("both", cluster -> {
            cluster.create("both", "10.100.0.0/24", "fd00:10:100::/112");
            cluster.awaitReady("both", READY);
            cluster.delete("both");
        });
        onBoth("both", cluster -> cluster.awaitGone("both"));
    }

    @Test
    void rangeOfTheApiServersFlags_isLookedAfterAsAnyOther() {
        onBoth("kubernetes", cluster -> cluster.awaitReady("kubernetes", READY));
    }

    @Test
    void newServiceCidr_unblocksAFullOne() {
        onBoth("full", cluster -> {
            // 2^4 addresses, but the first; the API server's own Service is of the other family.
            for (int i = 1; i <= 15; i++) {
                cluster.createService("full-" + i, "fd00:10:96::" + Integer.toHexString(i));
            }
            assertThatThrownBy(() -> cluster.createServiceOfFamily("full-16", "IPv6"))
                    .hasMessageContaining("range is full");
            cluster.create("full-no-more", "fd00:10:101::/126");
            cluster.awaitReady("full-no-more", READY);
            cluster.createServiceWhenPossible("full-16", "fd00:10:101::2");
        });
        onBoth("full", cluster -> {
            for (int i = 1; i <= 16; i++) {
                cluster.deleteService("full-" + i);
            }
            cluster.delete("full-no-more");
            cluster.awaitGone("full-no-more");
        });
    }

    @Test
    void rangeThatAloneHasAnAddress_waitsForIt_untilItIsGivenBackOrAnotherRangeHasItToo() {
        onBoth("lone", cluster -> {
            cluster.create("lone", "10.102.0.0/24");
            cluster.createServiceWhenPossible("lone-holder", "10.102.0.77");
            cluster.create("lone-too", "10.103.0.0/24");
            cluster.createServiceWhenPossible("lone-mover", "10.103.0.77");
            cluster.delete("lone");
            cluster.delete("lone-too");
            cluster.awaitReady("lone", WAITS);
            cluster.awaitReady("lone-too", WAITS);
        });
        onBoth("lone", cluster -> {
            cluster.deleteService("lone-holder");
            cluster.create("lone-rescue", "10.103.0.0/24");
            cluster.awaitGone("lone");
            cluster.awaitGone("lone-too");
            cluster.awaitReady("lone-rescue", READY);
        });
    }

    /** The cure that the condition names; nothing else happens in the cluster meanwhile. */
    @Test
    void newServiceCidr_letsOneGoWhoseAddressesItHasToo() {
        onBoth("relief", cluster -> {
            cluster.create("relief-old", "10.107.0.0/24");
            cluster.awaitReady("relief-old", READY);
            cluster.createServiceWhenPossible("relief", "10.107.0.77");
            cluster.delete("relief-old");
            cluster.awaitReady("relief-old", WAITS);
        });
        onBoth("relief", cluster -> {
            cluster.create("relief-new", "10.107.0.0/24");
            cluster.awaitGone("relief-old");
            cluster.awaitReady("relief-new", READY);
        });
    }

    @Test
    void coveredRange_goes_andTheOneThatCoversItStays() {
        onBoth("covered", cluster -> {
            cluster.create("covered-outer", "10.104.0.0/24");
            cluster.create("covered-inner", "10.104.0.0/28");
            cluster.createServiceWhenPossible("covered", "10.104.0.5");
            cluster.delete("covered-inner");
            cluster.awaitGone("covered-inner");
            cluster.delete("covered-outer");
            cluster.awaitReady("covered-outer", WAITS);
        });
    }

    @Test
    void rangeIsKept_byAddressesOfTheApiServersAllocatorOnly() {
        onBoth("foreign", cluster -> {
            cluster.create("foreign", "10.106.0.0/24");
            cluster.awaitReady("foreign", READY);
            cluster.client()
                    .resource(new IPAddressBuilder()
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
            cluster.delete("foreign");
            cluster.awaitGone("foreign");
        });
    }

    @Test
    void ofTwoThatCoverEachOther_andAreDeletedTogether_oneStays() {
        ours.create("twin-a", "10.105.0.0/24");
        ours.create("twin-b", "10.105.0.0/24");
        ours.createServiceWhenPossible("twin", "10.105.0.9");
        ours.delete("twin-a");
        ours.delete("twin-b");
        ours.awaitGone("twin-a");
        ours.awaitReady("twin-b", WAITS);

        ours.deleteService("twin");
        ours.awaitGone("twin-b");
    }

    /** The API server gives addresses of two equal ranges for as long as it has not heard that one of them is gone. */
    @Test
    void ofTwoThatAreEqual_andAreDeletedTogether_noneGoesWithAnAddressThatIsGivenMeanwhile() {
        ours.create("equal-a", "10.108.0.0/24");
        ours.create("equal-b", "10.108.0.0/24");
        ours.awaitReady("equal-a", READY);
        ours.awaitReady("equal-b", READY);
        ours.createServiceWhenPossible("equal", "10.108.0.9");
        ours.deleteService("equal");
        ours.delete("equal-a");
        ours.delete("equal-b");

        AtomicInteger given = new AtomicInteger();
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    boolean isGiven = isGiven("equal", "10.108.0.9");
                    boolean isHeld = ours.all().contains("10.108.0.0/24");
                    if (isGiven) {
                        assertThat(isHeld)
                                .as("a range has the address of a Service")
                                .isTrue();
                        given.incrementAndGet();
                        ours.deleteService("equal");
                    }
                    return !isHeld;
                });
        assertThat(given).as("addresses given while both were being deleted").hasPositiveValue();
    }

    private static boolean isGiven(String name, String clusterIp) {
        try {
            ours.createService(name, clusterIp);
            return true;
        } catch (KubernetesClientException refused) {
            return false;
        }
    }
}
