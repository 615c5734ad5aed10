package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Something is missing, or goes away while the operator runs: no address changes, and all is well once it is there. */
@ExtendWith(SharedInstallation.class)
class MissingPartsIT {
    private ControlPlane cluster;
    private BerthOnCluster here;

    @BeforeEach
    void install(Installation shared) {
        cluster = shared.controlPlane();
        here = BerthOnCluster.on(shared);
    }

    @AfterEach
    void stop() {
        here.close();
    }

    @Test
    void noPool_thenNoPoolForTheFamily_isSaid_andThoseWhoWaitAreServedOnceTheyCanBe() {
        here.startOperator();
        List<String> names = IntStream.range(0, 6).mapToObj(i -> "web-" + i).toList();
        names.forEach(here::createService);
        names.forEach(name -> here.awaitAsserted(seen -> {
            assertThat(seen.addressAssigned(name)).isEqualTo("False NoPool: there is no AddressPool; create one");
            assertThat(seen.events("Service", name))
                    .containsExactly("Warning AllocationFailed: there is no AddressPool; create one");
        }));
        here.createPool("edge", "192.0.2.0/28");
        assertThat(names.stream().map(here::awaitAddress)).doesNotHaveDuplicates();

        here.createService(
                "six",
                null,
                service -> service.editSpec()
                        .withIpFamilyPolicy("SingleStack")
                        .withIpFamilies("IPv6")
                        .endSpec());
        here.createService("both", null, MissingPartsIT::dualStack);
        String message = "no AddressPool has IPv6 addresses (of 1); add a range of IPv6 to one";
        for (String name : List.of("six", "both")) {
            here.awaitAsserted(seen -> {
                assertThat(seen.addressAssigned(name)).isEqualTo("False NoPoolForFamily: " + message);
                assertThat(seen.events("Service", name)).containsExactly("Warning AllocationFailed: " + message);
            });
        }
        here.createPool("edge6", "2001:db8::/64");
        here.awaitAddress("six");
        here.awaitService("both", service -> BerthOnCluster.ingress(service).size() == 2);
    }

    private static ServiceBuilder dualStack(ServiceBuilder service) {
        return service.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec();
    }

    @Test
    void addressKindThatVanishes_tearsNothingDown_andOnItsReturnAllIsAsItWas() {
        here.createPool("edge", "192.0.2.0/24");
        here.startOperator();
        Map<String, String> before = settle(here, "web-", 5);

        cluster.kubectl("delete", "crd", "addresses.berth.dev", "--timeout=60s");
        here.createService("newcomer");
        here.awaitAsserted(seen -> assertThat(seen.addressAssigned("newcomer"))
                .startsWith("False ClaimFailed: ")
                .contains("CustomResourceDefinition"));
        assertThat(addresses(here, before)).isEqualTo(before);
        assertThat(here.operator().isAlive()).isTrue();

        cluster.kubectl("apply", "-k", "crds");
        String address = here.awaitAddress("newcomer");
        assertThat(before).doesNotContainValue(address);
        before.put("newcomer", address);
        here.awaitAsserted(seen -> assertThat(claims(seen)).isEqualTo(before));
        assertThat(addresses(here, before)).isEqualTo(before);
        here.createService("later");
        assertThat(before).doesNotContainValue(here.awaitAddress("later"));
        assertThat(here.operator().isAlive()).isTrue();
    }

    @Test
    void addressesThatVanishWhileTheOperatorIsDown_goBackToWhoPublishesThem_beforeAnyNewcomer() {
        here.createPool("edge", "192.0.2.0/24");
        here.startOperator();
        Map<String, String> before = settle(here, "web-", 8);
        here.stopOperator();
        cluster.kubectl("delete", "addresses", "--all");
        List<String> newcomers =
                IntStream.range(0, 8).mapToObj(i -> "a-newcomer-" + i).toList();
        newcomers.forEach(here::createService);
        here.startOperator();
        newcomers.forEach(name -> before.put(name, here.awaitAddress(name)));
        here.awaitAsserted(seen -> assertThat(claims(seen)).isEqualTo(before));
        assertThat(addresses(here, before)).isEqualTo(before);
    }

    @Test
    void apiServerOutage_changesNoAddress_andServicesMadeAfterItAreServed() {
        here.createPool("edge", "192.0.2.0/24");
        here.startOperator();
        Map<String, String> before = settle(here, "web-", 5);
        // Work that is under way when the API server goes.
        List<String> underWay =
                IntStream.range(0, 20).mapToObj(i -> "busy-" + i).toList();
        underWay.forEach(here::createService);
        cluster.stopApiServer();
        here.operator().awaitLog("(?i)connect|refused|closed|GOAWAY|exception");
        cluster.startApiServer();

        here.createService("after");
        here.awaitAddress("after");
        underWay.forEach(name -> before.put(name, here.awaitAddress(name)));
        before.put("after", here.awaitAddress("after"));
        assertThat(before.values()).doesNotHaveDuplicates();
        assertThat(addresses(here, before)).isEqualTo(before);
        here.awaitAsserted(seen -> assertThat(claims(seen)).isEqualTo(before));
        assertThat(here.operator().isAlive()).isTrue();
    }

    /** Services with their addresses, by name. */
    private static Map<String, String> settle(BerthOnCluster here, String prefix, int count) {
        List<String> names = IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
        names.forEach(here::createService);
        Map<String, String> addresses = new TreeMap<>();
        names.forEach(name -> addresses.put(name, here.awaitAddress(name)));
        return addresses;
    }

    /** What these Services publish now. */
    private static Map<String, String> addresses(BerthOnCluster here, Map<String, String> services) {
        Map<String, String> now = new TreeMap<>();
        services.keySet()
                .forEach(name -> now.put(
                        name,
                        BerthOnCluster.ingress(Objects.requireNonNull(here.service(name))).stream()
                                .map(entry -> entry.getIp())
                                .findFirst()
                                .orElse("")));
        return now;
    }

    /** What the Address objects say: Services and their addresses. */
    private static Map<String, String> claims(BerthOnCluster here) {
        Map<String, String> claims = new TreeMap<>();
        here.cluster()
                .kubectl(
                        "get",
                        "addresses",
                        "--output=jsonpath={range .items[*]}{.spec.claims[0].name} {.spec.address}{\"\\n\"}{end}")
                .lines()
                .forEach(line -> claims.put(line.replaceFirst(" .*", ""), line.replaceFirst(".* ", "")));
        return claims;
    }
}
