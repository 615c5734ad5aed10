package dev.berth.it;

import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.testing.BerthCommand;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A cluster is recreated, from the same manifests: its Services are others by uid, and have their addresses again. */
@ExtendWith(SharedInstallation.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExportIT {
    private static final int PLAIN = 30;

    /** After each reset as a new cluster has it. */
    private Installation berth;

    /** What each Service of the first cluster published. */
    private final Map<String, List<String>> before = new LinkedHashMap<>();

    private Path export;
    private Path backup;

    @BeforeAll
    void firstCluster(Installation shared, @TempDir Path files) throws Exception {
        berth = shared;
        berth.stopOperator();
        ControlPlane cluster = berth.controlPlane();
        declare();
        OperatorProcess operator = berth.startOperator();
        // What came first goes: the addresses are not those that the same Services would get in order.
        berth.service("shop", "gone");
        berth.awaitAddress("shop", "gone");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < PLAIN; i++) {
            names.add("plain-" + i);
        }
        names.addAll(List.of("dual", "dns-tcp", "dns-web", "kept"));
        for (String name : names) {
            create(name);
        }
        for (String name : names) {
            Service service = berth.await("shop", name, now -> ips(now).size() == (name.equals("dual") ? 2 : 1));
            before.put(name, ips(service));
        }
        assertThat(before.get("dns-tcp")).isEqualTo(before.get("dns-web"));
        cluster.kubectl("delete", "service", "gone", "--namespace=shop");
        cluster.kubectl("delete", "service", "kept", "--namespace=shop");
        await().untilAsserted(() -> assertThat(berth.addresses())
                .flatExtracting(Installation::claimsOf)
                .filteredOn(claim -> List.of("gone", "kept").contains(claim.name()))
                .extracting(Address.Claim::name, Address.Claim::uid)
                .containsExactly(tuple("kept", null)));
        operator.stop();
        export = Files.writeString(files.resolve("reservations.yaml"), export(cluster));
        backup = Files.writeString(
                files.resolve("addresses.yaml"),
                cluster.kubectl("get", "addresses", "--output=yaml")
                        .replaceAll("(?m)^    (uid|resourceVersion|creationTimestamp|generation):.*\n", ""));
    }

    @BeforeEach
    void newCluster() {
        berth.reset();
    }

    private void declare() {
        berth.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("shop")
                        .endMetadata()
                        .build())
                .create();
        berth.pool("shop", "198.51.100.0/25", "2001:db8::/120");
    }

    private void create(String name) {
        berth.service("shop", name, builder -> {
            if (name.equals("dual")) {
                builder.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec();
            }
            if (name.equals("kept")) {
                builder.editMetadata()
                        .addToAnnotations("berth.dev/retain", "true")
                        .endMetadata();
            }
            if (name.startsWith("dns")) {
                builder.editMetadata()
                        .addToAnnotations("berth.dev/sharing-key", "dns")
                        .endMetadata()
                        .editSpec()
                        .editFirstPort()
                        .withPort(name.endsWith("tcp") ? 53 : 443)
                        .endPort()
                        .endSpec();
            }
            return builder;
        });
    }

    private static String export(ControlPlane cluster) {
        BerthCommand export = BerthCommand.run("export", "--kubeconfig=" + cluster.adminKubeconfig());
        assertThat(export.exitCode()).as(export.err()).isZero();
        return export.out();
    }

    private void assertAllAsBefore() {
        for (Map.Entry<String, List<String>> entry : before.entrySet()) {
            Service service = berth.await(
                    "shop",
                    entry.getKey(),
                    now -> now.getMetadata().getFinalizers().contains("berth.dev/load-balancer-cleanup")
                            && ips(now).size() == entry.getValue().size());
            assertThat(ips(service)).as(entry.getKey()).isEqualTo(entry.getValue());
            await().untilAsserted(() -> assertThat(berth.addresses())
                    .flatExtracting(Installation::claimsOf)
                    .filteredOn(claim -> claim.name().equals(entry.getKey()))
                    .isNotEmpty()
                    .extracting(Address.Claim::uid)
                    .allMatch(uid -> Objects.equals(uid, service.getMetadata().getUid())));
        }
    }

    /** In another order than in the first cluster. */
    private List<String> services() {
        return new ArrayList<>(before.keySet()).reversed();
    }

    @Test
    void export_saysWhoHasWhat_andNothingThatOnlyItsClusterKnows() throws IOException {
        assertThat(Files.readString(export))
                .startsWith("---\n")
                .contains("key: \"dns\"", "retain: true", "pool: \"shop\"", "class: \"berth.dev/pool\"", "port: 443")
                .doesNotContain("uid", "resourceVersion", "creationTimestamp", "managedFields", "status");
    }

    @Test
    void export_appliedToANewCluster_givesEveryServiceItsOldAddress() {
        declare();
        berth.controlPlane().kubectl("apply", "-f", export.toString());
        List<String> names = services();
        names.subList(0, names.size() / 2).forEach(this::create);
        berth.startOperator();
        // Some come before the operator, some after it, and one that was never there.
        berth.service("shop", "new");
        names.subList(names.size() / 2, names.size()).forEach(this::create);

        assertAllAsBefore();
        assertThat(ips(berth.awaitAddress("shop", "new")))
                .doesNotContainAnyElementsOf(
                        before.values().stream().flatMap(List::stream).toList());
    }

    @Test
    void backupOfTheAddressesThemselves_givesEveryServiceItsOldAddress_forAllItsOldUids() {
        declare();
        berth.controlPlane().kubectl("create", "-f", backup.toString());
        services().forEach(this::create);

        berth.startOperator();

        assertAllAsBefore();
    }
}
