package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.testing.Answers;
import dev.berth.testing.BerthCommand;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.SharedInstallation;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong is said once, in the right place; nothing is lost, and the rest goes on working. */
@ExtendWith(SharedInstallation.class)
class BadInputIT {
    private static ControlPlane cluster;
    private static BerthOnCluster berth;

    @BeforeAll
    static void install(Installation shared) {
        cluster = shared.controlPlane();
        berth = BerthOnCluster.running(shared);
        berth.createPool("neighbour", "198.51.100.0/28");
    }

    // ---- pools

    /**
     * A pool with a wrong range.
     *
     * @param addresses the wrong one, and one address that is right
     * @param right the one that is right
     */
    private record PoolRow(String rule, String name, List<String> addresses, String right, String message) {}

    private static final List<PoolRow> POOLS = List.of(
            new PoolRow(
                    "a reversed range",
                    "reversed",
                    List.of("192.0.2.20-192.0.2.10", "203.0.113.1"),
                    "203.0.113.1",
                    "range 192.0.2.20-192.0.2.10 ends before it starts; swap the bounds or write it as a CIDR"),
            new PoolRow(
                    "host bits",
                    "host-bits",
                    List.of("192.0.2.5/28", "203.0.113.2"),
                    "203.0.113.2",
                    "range 192.0.2.5/28 has host bits set; write 192.0.2.0/28 for the network, or 192.0.2.5 for the one address"),
            new PoolRow(
                    "an overlap with another pool",
                    "overlaps-pool",
                    List.of("198.51.100.8-198.51.100.15", "203.0.113.3"),
                    "203.0.113.3",
                    "range 198.51.100.8-198.51.100.15 overlaps AddressPool \"neighbour\" (198.51.100.0-198.51.100.15); nothing is allocated from the overlap"),
            new PoolRow(
                    "an overlap with a ServiceCIDR",
                    "overlaps-cidr",
                    List.of("10.96.5.0/24", "203.0.113.4"),
                    "203.0.113.4",
                    "range 10.96.5.0-10.96.5.255 overlaps ServiceCIDR \"kubernetes\" (10.96.0.0-10.96.255.255); nothing is allocated from the overlap"),
            new PoolRow(
                    "an overlap with itself",
                    "overlaps-itself",
                    List.of("203.0.113.5", "203.0.113.5-203.0.113.5"),
                    "203.0.113.5",
                    "range 203.0.113.5-203.0.113.5 overlaps 203.0.113.5 of the same pool; remove one of them"),
            new PoolRow(
                    "an octet of 256",
                    "octet",
                    List.of("192.0.2.256", "203.0.113.6"),
                    "203.0.113.6",
                    "range \"192.0.2.256\" is not an IP address"),
            new PoolRow(
                    "a prefix that is too long",
                    "prefix",
                    List.of("192.0.2.0/33", "203.0.113.7"),
                    "203.0.113.7",
                    "range \"192.0.2.0/33\" is not an IP address"),
            new PoolRow(
                    "IPv4-mapped IPv6",
                    "mapped",
                    List.of("::ffff:192.0.2.1", "203.0.113.8"),
                    "203.0.113.8",
                    "range ::ffff:192.0.2.1 is an IPv4-mapped IPv6 address; write it as IPv4"),
            new PoolRow(
                    "ends of two families",
                    "mixed",
                    List.of("192.0.2.1-2001:db8::1", "203.0.113.9"),
                    "203.0.113.9",
                    "range 192.0.2.1-2001:db8::1 mixes IPv4 and IPv6; split it into two ranges"));

    @TestFactory
    Stream<DynamicTest> poolWithAWrongRange_saysSo_andAllocatesTheRest() {
        return POOLS.stream()
                .map(row -> DynamicTest.dynamicTest(row.rule(), () -> {
                    berth.createPool(row.name(), row.addresses().toArray(String[]::new));
                    berth.createClass(
                            row.name(), "loadBalancerClass: example.com/%1$s, pools: [%1$s]".formatted(row.name()));
                    berth.awaitAsserted(seen -> {
                        AddressPool pool = Objects.requireNonNull(seen.pool(row.name()));
                        assertThat(pool.getStatus()).isNotNull();
                        assertThat(BerthOnCluster.condition(pool.getStatus().conditions(), "Valid"))
                                .isEqualTo("False InvalidAddresses: " + row.message());
                        assertThat(pool.getStatus().observedGeneration())
                                .isEqualTo(pool.getMetadata().getGeneration());
                        assertThat(seen.events("AddressPool", row.name()))
                                .containsExactly("Warning InvalidAddresses: " + row.message());
                    });
                    berth.createService(row.name(), "example.com/" + row.name(), UnaryOperator.identity());
                    assertThat(berth.awaitAddress(row.name())).isEqualTo(row.right());
                    AddressPool neighbour = Objects.requireNonNull(berth.pool("neighbour"));
                    assertThat(BerthOnCluster.condition(neighbour.getStatus().conditions(), "Valid"))
                            .startsWith("True ");
                }));
    }

    @Test
    void poolThatIsPutRight_isValidAgain() {
        berth.createPool("mended", "203.0.113.20-203.0.113.10");
        berth.awaitAsserted(seen -> assertThat(valid("mended")).startsWith("False "));
        cluster.kubectl(
                "patch",
                "apool",
                "mended",
                "--type=merge",
                "--patch={\"spec\":{\"addresses\":[\"203.0.113.10-203.0.113.20\"]}}");
        berth.awaitAsserted(seen -> assertThat(valid("mended")).startsWith("True "));
    }

    private static String valid(String pool) {
        AddressPool found = berth.pool(pool);
        return found == null || found.getStatus() == null
                ? ""
                : BerthOnCluster.condition(found.getStatus().conditions(), "Valid");
    }

    @Test
    @Answers({"metallb/metallb#1638", "purelb/purelb#60"})
    void hugeIpv6Pools_areCountedExactly_andGiveAddresses() {
        Map<String, Integer> bits =
                new TreeMap<>(Map.of("2001:db8:0:1::/64", 64, "2001:db8:1::/48", 80, "3f00::/16", 112));
        bits.forEach((cidr, size) -> {
            String name = "huge-" + size;
            berth.createPool(name, cidr);
            berth.createClass(name, "loadBalancerClass: example.com/%1$s, pools: [%1$s]".formatted(name));
            berth.createService(
                    name,
                    "example.com/" + name,
                    service -> service.editSpec()
                            .withIpFamilyPolicy("SingleStack")
                            .withIpFamilies("IPv6")
                            .endSpec());
            assertThat(berth.awaitAddress(name)).isEqualTo(cidr.replaceFirst("/.*", ""));
            BigInteger all = BigInteger.TWO.pow(size);
            berth.awaitAsserted(seen -> {
                AddressPool.Family ipv6 = Objects.requireNonNull(
                        Objects.requireNonNull(seen.pool(name)).getStatus().ipv6());
                assertThat(ipv6)
                        .isEqualTo(new AddressPool.Family(
                                all.toString(),
                                "1",
                                all.subtract(BigInteger.ONE).toString(),
                                "0",
                                "0",
                                0));
            });
            assertThat(berth.operator().metric("berth_pool_capacity", "pool", name, "family", "IPv6"))
                    .isEqualTo(all.doubleValue());
        });
    }

    // ---- classes

    @Test
    void secondDefaultClass_isToldWhichOneIsOlder_andChangesNothing() {
        berth.createClass("second-default", "loadBalancerClass: example.com/second-default, classless: Auto");
        String message =
                "LoadBalancerClass \"default\" is older and is the default; set spec.classless to Never on one of the two";
        berth.awaitAsserted(seen -> {
            assertThat(classCondition("second-default", "Accepted")).startsWith("True Accepted");
            assertThat(classCondition("second-default", "ServesClassless"))
                    .isEqualTo("False NotTheDefault: " + message);
            assertThat(classCondition("default", "ServesClassless")).startsWith("True ");
            assertThat(seen.events("LoadBalancerClass", "second-default"))
                    .containsExactly("Warning NotTheDefault: " + message);
        });
        berth.createService("classless");
        berth.awaitAddress("classless");
        assertThat(cluster.kubectl(
                        "get",
                        "addresses",
                        "--output=jsonpath={.items[?(@.spec.claims[0].name=='classless')].spec.class}"))
                .isEqualTo("berth.dev/pool");
    }

    @Test
    void secondClassForOneValue_isNotAccepted() {
        berth.createClass("value-first", "loadBalancerClass: example.com/twice, pools: [neighbour]");
        berth.awaitAsserted(
                seen -> assertThat(classCondition("value-first", "Accepted")).startsWith("True "));
        berth.createClass("value-second", "loadBalancerClass: example.com/twice, ipMode: Proxy");
        berth.awaitAsserted(seen -> {
            assertThat(classCondition("value-second", "Accepted"))
                    .isEqualTo("False ValueTaken: LoadBalancerClass \"value-first\" is older and has the value"
                            + " \"example.com/twice\"; delete one of the two, or use another spec.loadBalancerClass");
            assertThat(classCondition("value-first", "Accepted")).startsWith("True ");
        });
        berth.createService("twice", "example.com/twice", UnaryOperator.identity());
        berth.awaitService(
                "twice",
                service -> BerthOnCluster.ingress(service).stream().anyMatch(entry -> "VIP".equals(entry.getIpMode())));
    }

    @Test
    void classWithAnUnknownProvider_isNotAccepted_andNamesThoseThereAre() {
        berth.createClass("no-provider", "loadBalancerClass: example.com/no-provider, provider: teleport");
        berth.awaitAsserted(seen -> {
            assertThat(classCondition("no-provider", "Accepted"))
                    .isEqualTo(
                            "False UnknownProvider: there is no provider \"teleport\"; this Berth has [bgp, l2, pool]");
            assertThat(seen.events("LoadBalancerClass", "no-provider")).hasSize(1);
        });
    }

    /** Each of the two providers of agents has parameters of its own. */
    @ParameterizedTest
    @CsvSource({"bgp, interfaces", "l2, peers"})
    void classWithParametersOfL2AndOfBgp_isNotAccepted_andItsServicesSayThat(String provider, String unknown) {
        String name = "both-" + provider;
        String message = "parameter \"" + unknown + "\" is unknown; provider \"" + provider + "\" knows ";
        berth.createClass(
                name,
                "loadBalancerClass: example.com/%s, provider: %s, pools: [neighbour], parameters: {interfaces: eth0, peers: router}"
                        .formatted(name, provider));
        berth.createService(name, "example.com/" + name, UnaryOperator.identity());
        berth.awaitAsserted(seen -> {
            assertThat(seen.addressAssigned(name))
                    .startsWith(
                            "False ClassNotAccepted: LoadBalancerClass \"" + name + "\" is not accepted: " + message);
            assertThat(classCondition(name, "Accepted"))
                    .startsWith("False InvalidParameters: " + message)
                    .endsWith("; parameters cannot be changed: delete the class, and make it again");
        });
        assertThat(BerthOnCluster.ingress(Objects.requireNonNull(berth.service(name))))
                .isEmpty();
    }

    private static String classCondition(String name, String type) {
        LoadBalancerClass found =
                berth.client().resources(LoadBalancerClass.class).withName(name).get();
        return found == null || found.getStatus() == null
                ? ""
                : BerthOnCluster.condition(found.getStatus().conditions(), type);
    }

    // ---- start

    /** What the operator is started with. */
    private record StartRow(String rule, Path kubeconfig, List<String> flags, int exitCode, String line) {}

    @TestFactory
    Stream<DynamicTest> operatorThatCannotWork_endsWithItsCodeAndOneLine(@TempDir Path temporary) throws IOException {
        Path good = berth.kubeconfig();
        String text = Files.readString(good);
        Path missing = temporary.resolve("missing");
        Path nobody =
                Files.writeString(temporary.resolve("nobody"), text.replace(cluster.url(), "https://127.0.0.1:1"));
        Path wrongToken = Files.writeString(temporary.resolve("wrong"), text.replaceFirst("token: .*", "token: wrong"));
        Path garbage = Files.writeString(temporary.resolve("garbage"), "{{{ no kubeconfig");
        String taken = cluster.url().replaceFirst(".*:", "");
        cluster.kubectl("create", "serviceaccount", "nobody", "--namespace=default");
        Path forbidden = cluster.serviceAccountKubeconfig("default", "nobody");
        return Stream.of(
                        new StartRow(
                                "an unknown gate",
                                good,
                                List.of("--feature-gates=Teleport=true"),
                                2,
                                "unknown feature gate \"Teleport\"; there is LoadBalancerIPMode"),
                        new StartRow(
                                "a gate that is neither true nor false",
                                good,
                                List.of("--feature-gates=LoadBalancerIPMode=maybe"),
                                2,
                                "is true or false, not \"maybe\""),
                        new StartRow(
                                "a controller that it cannot migrate from",
                                good,
                                List.of("--migrate-from=metallb,openelb"),
                                2,
                                "\"openelb\" is not known; known are metallb, cilium, kube-vip, purelb"),
                        new StartRow(
                                "a period that would keep providers busy",
                                good,
                                List.of("--resync-period=0s"),
                                2,
                                "'0s' is not a duration of at least 1s; write it as 90s, 30m or 1h30m"),
                        new StartRow(
                                "a period in another form than that of the kinds",
                                good,
                                List.of("--service-cidr-takeover-delay=PT1M"),
                                2,
                                "'PT1M' is not a duration of at least 1s; write it as 90s, 30m or 1h30m"),
                        new StartRow(
                                "deletion of what may be another cluster's",
                                good,
                                List.of("--delete-orphaned-load-balancers", "--cluster-name=kubernetes"),
                                2,
                                "needs a --cluster-name of this cluster's own"),
                        new StartRow("an unknown flag", good, List.of("--teleport"), 2, "--teleport"),
                        new StartRow("a port that is none", good, List.of("--http-port=eighty"), 2, "--http-port"),
                        new StartRow(
                                "a port that another process has",
                                good,
                                List.of("--http-port=" + taken),
                                1,
                                "the operator could not start: Port already bound: " + taken),
                        new StartRow(
                                "a kubeconfig that is missing", missing, List.of(), 1, missing + " cannot be read"),
                        new StartRow("a kubeconfig that is none", garbage, List.of(), 1, "kubeconfig"),
                        new StartRow(
                                "an API server that is not there",
                                nobody,
                                List.of(),
                                1,
                                "cannot connect to the API server at https://127.0.0.1:1"),
                        new StartRow("a wrong token", wrongToken, List.of(), 1, "does not accept the credentials"),
                        new StartRow("no permissions", forbidden, List.of(), 1, "apply Berth's RBAC manifests"),
                        new StartRow(
                                "a HAProxy that is missing",
                                good,
                                List.of("--plugin-dir=" + haproxy(temporary, "/nowhere/haproxy")),
                                1,
                                MISSING),
                        new StartRow(
                                "a HAProxy that is too old",
                                good,
                                List.of("--plugin-dir=" + haproxy(temporary, oldHaproxy(temporary))),
                                1,
                                TOO_OLD))
                .map(row -> DynamicTest.dynamicTest(row.rule(), () -> endsWithOneLine(row)));
    }

    private static final String MISSING = "/nowhere/haproxy";
    private static final String TOO_OLD = "HAProxy 2.4 is too old; install 2.6 or later";

    /** A folder of plug-ins with a HAProxy of this binary. */
    private static Path haproxy(Path temporary, String binary) throws IOException {
        Path folder = Files.createTempDirectory(temporary, "plugins");
        Files.writeString(
                folder.resolve("haproxy.properties"),
                "directory=%s\nbinary=%s\n".formatted(temporary.resolve("state"), binary));
        return folder;
    }

    private static String oldHaproxy(Path temporary) throws IOException {
        Path script = Files.writeString(
                temporary.resolve("old-haproxy"),
                "#!/bin/sh\necho 'HAProxy version 2.4.22-1 2023/02/14 - https://haproxy.org/'\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"))
                .toString();
    }

    @Test
    void providerHostWithoutAFitHaproxy_endsWithItsCodeAndOneLine(@TempDir Path temporary) throws IOException {
        Map<String, String> binaries = Map.of("/nowhere/haproxy", MISSING, oldHaproxy(temporary), TOO_OLD);
        for (Map.Entry<String, String> row : binaries.entrySet()) {
            BerthCommand host = BerthCommand.run(
                    "provider-host",
                    "--plugin-dir=" + haproxy(temporary, row.getKey()),
                    "--provider=haproxy",
                    "--listen=unix://" + temporary.resolve("lb.sock"));

            assertThat(host.exitCode()).as(host.err()).isEqualTo(1);
            assertThat(host.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("berth: ")
                    .contains(row.getValue());
        }
    }

    private static void endsWithOneLine(StartRow row) {
        try (OperatorProcess operator =
                OperatorProcess.start(row.kubeconfig(), row.flags().toArray(String[]::new))) {
            assertThat(operator.exitCode(Patience.USUAL)).as(operator.log()).isEqualTo(row.exitCode());
            assertThat(operator.log().lines())
                    .singleElement()
                    .asString()
                    .startsWith("berth: ")
                    .contains(row.line());
        }
    }
}
