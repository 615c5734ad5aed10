package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static dev.berth.testing.Installation.condition;
import static dev.berth.testing.Installation.ips;
import static dev.berth.testing.Installation.sharing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.BerthCommand;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import dev.berth.testing.TypedPage;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What administrators get wrong, or may not expect: what they are told, and what it costs them. */
@ExtendWith(SharedInstallation.class)
class MistakesIT {
    private static final String PAGE = " (see docs/annotations.md)";

    private static Installation berth;
    private static Administrator admin;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        admin = new Administrator(shared);
        berth.operator();
    }

    private static void awaitEvent(String namespace, String about, String reason, String note) {
        await().untilAsserted(
                        () -> assertThat(berth.events(namespace, about)).containsOnlyOnce(Map.entry(reason, note)));
    }

    @Test
    void aMisspeltAnnotation_isSaidInOneEventAndACondition_untilItIsCorrected() {
        String namespace = berth.namespace("misspelt");
        berth.pool(namespace, "198.18.0.0/28");
        berth.service(namespace, "web", annotated("berth.dev/adresses", "198.18.0.7"));

        String said = admin.awaitSaid(namespace, "web", WellKnownNames.ANNOTATIONS_IGNORED, "UnknownAnnotation");
        assertThat(said)
                .isEqualTo("annotation berth.dev/adresses is not known; did you mean berth.dev/addresses?" + PAGE);
        awaitEvent(namespace, "web", "UnknownAnnotation", said);

        admin.annotate(namespace, "web", "berth.dev/adresses-", "berth.dev/addresses=198.18.0.7");
        admin.awaitIps(namespace, "web", "198.18.0.7");
        admin.awaitNotSaid(namespace, "web", WellKnownNames.ANNOTATIONS_IGNORED);
    }

    @Test
    void anAnnotationOfAnotherController_isSaidInOneEventAndACondition() {
        String namespace = berth.namespace("foreign");
        berth.pool(namespace, "198.18.0.16/28");
        berth.service(namespace, "web", annotated("metallb.io/loadBalancerIPs", "198.18.0.20"));
        berth.service(namespace, "mail", annotated("kube-vip.io/loadbalancerIPs", "198.18.0.21"));
        berth.service(namespace, "dns", annotated("lbipam.cilium.io/sharing-key", "dns"));

        for (Map.Entry<String, String> each : Map.of(
                        "web",
                                "annotation metallb.io/loadBalancerIPs belongs to metallb and is not read; use"
                                        + " berth.dev/addresses, or start Berth with --migrate-from=metallb (see"
                                        + " docs/annotations.md)",
                        "mail",
                                "annotation kube-vip.io/loadbalancerIPs belongs to kube-vip and is not read; use"
                                        + " berth.dev/addresses, or start Berth with --migrate-from=kube-vip (see"
                                        + " docs/annotations.md)",
                        "dns",
                                "annotation lbipam.cilium.io/sharing-key belongs to cilium and is not read; use"
                                        + " berth.dev/sharing-key, or start Berth with --migrate-from=cilium (see"
                                        + " docs/annotations.md)")
                .entrySet()) {
            assertThat(admin.awaitSaid(
                            namespace,
                            each.getKey(),
                            WellKnownNames.ANNOTATIONS_IGNORED,
                            "AnnotationOfOtherController"))
                    .isEqualTo(each.getValue());
            awaitEvent(namespace, each.getKey(), "AnnotationOfOtherController", each.getValue());
        }
    }

    @Test
    void anAddressOfOnePool_andTheNameOfAnother_areSaidAtOnce_andTheAddressIsKept() {
        String namespace = berth.namespace("contradiction");
        berth.pool(namespace, "198.18.0.32/28");
        berth.service(namespace, "web", annotated(WellKnownNames.ADDRESSES, "198.18.0.40"));
        admin.awaitIps(namespace, "web", "198.18.0.40");

        admin.annotate(namespace, "web", "berth.dev/address-pool=office");
        assertThat(admin.awaitSaid(namespace, "web", WellKnownNames.ADDRESS_ASSIGNED, "AddressOfOtherPool"))
                .isEqualTo("holds 198.18.0.40; the Service requests 198.18.0.40, which is in AddressPool \"" + namespace
                        + "\", and also requests an address from AddressPool \"office\", which does not exist; if"
                        + " recreated, it would get no address; correct one of the two annotations" + PAGE);
        assertThat(ips(berth.get(namespace, "web"))).containsExactly("198.18.0.40");

        admin.annotate(namespace, "web", "berth.dev/address-pool=" + namespace);
        admin.awaitSaid(namespace, "web", WellKnownNames.ADDRESS_ASSIGNED, "Assigned");
    }

    @Test
    void anotherPool_movesAServiceOnlyOnceItsAddressIsGivenUp_andOnceThereIsOne() {
        String namespace = berth.namespace("move");
        String office = namespace + "-office";
        berth.pool(namespace, "198.18.0.48/28");
        berth.pool(office, namespace, UnaryOperator.identity(), "198.18.0.64/32");
        berth.service(namespace, "web", annotated(WellKnownNames.ADDRESS_POOL, namespace));
        berth.service(namespace, "first", annotated(WellKnownNames.ADDRESS_POOL, office));
        admin.awaitIps(namespace, "web", "198.18.0.48");
        admin.awaitIps(namespace, "first", "198.18.0.64");

        admin.annotate(namespace, "web", "berth.dev/address-pool=" + office);
        String said = admin.awaitSaid(namespace, "web", WellKnownNames.ADDRESS_ASSIGNED, "ReplacementPending");
        String command = "kubectl annotate service web --namespace=" + namespace
                + " berth.dev/replace-address=198.18.0.48 --overwrite";
        assertThat(said).endsWith(command);

        admin.kubectl(command.substring("kubectl ".length()).split(" "));
        berth.await(
                namespace,
                "web",
                service -> condition(service, WellKnownNames.ADDRESS_ASSIGNED)
                        .filter(now -> now.getReason().equals("ReplacementPending")
                                && now.getMessage().contains("\"" + office + "\" (0 of 1 free)"))
                        .isPresent());
        assertThat(ips(berth.get(namespace, "web"))).containsExactly("198.18.0.48");

        berth.deleteService(namespace, "first");
        admin.awaitIps(namespace, "web", "198.18.0.64");
        berth.awaitAddressesOf(namespace, "web", "198.18.0.64");
    }

    @Test
    void deletingAPoolInUse_isSaidOnItsServices_untilAPoolHasTheAddressesAgain() {
        String namespace = berth.namespace("deleted");
        AddressPool pool = berth.pool(namespace, "198.18.0.80/28");
        berth.service(namespace, "web");
        admin.awaitIps(namespace, "web", "198.18.0.80");

        berth.client().resource(pool).delete();
        String said = admin.awaitSaid(namespace, "web", WellKnownNames.ADDRESS_STRANDED, "PoolDeleted");
        assertThat(said)
                .isEqualTo("AddressPool \"" + namespace
                        + "\", which had 198.18.0.80, was deleted; the Service keeps the address until the Service is"
                        + " deleted or a new AddressPool with the same name reclaims it");
        awaitEvent(namespace, "web", "PoolDeleted", said);
        assertThat(ips(berth.get(namespace, "web"))).containsExactly("198.18.0.80");

        berth.pool(namespace + "-anew", namespace, UnaryOperator.identity(), "198.18.0.80/28");
        admin.awaitNotSaid(namespace, "web", WellKnownNames.ADDRESS_STRANDED);
    }

    @Test
    void deletingThePoolAroundAnAddressThatWasReservedByHand_costsItsServiceNothing() {
        String namespace = berth.namespace("reserved");
        AddressPool pool = berth.pool(namespace, "198.18.0.96/28");
        berth.service(namespace, "web");
        admin.awaitIps(namespace, "web", "198.18.0.96");
        admin.reserve("198.18.0.99", namespace, "mail");
        berth.service(namespace, "mail");
        admin.awaitIps(namespace, "mail", "198.18.0.99");

        berth.client().resource(pool).delete();
        admin.awaitSaid(namespace, "web", WellKnownNames.ADDRESS_STRANDED, "PoolDeleted");
        berth.pool(namespace, "198.18.1.96/28");
        admin.kubectl("annotate", "addresspool", namespace, "berth.dev/release-stranded=1");
        admin.awaitIps(namespace, "web", "198.18.1.96");

        assertThat(admin.ipsOf(namespace, "mail")).containsExactly("198.18.0.99");
        admin.awaitNotSaid(namespace, "mail", WellKnownNames.ADDRESS_STRANDED);
    }

    @Test
    void theReasonForWaiting_beginsWithWhatTheServiceAskedFor() {
        String namespace = berth.namespace("reasons");
        for (String other : List.of("a", "b", "c")) {
            berth.pool(
                    namespace + "-" + other,
                    namespace,
                    with("suspended", true),
                    "198.18.3." + (100 + other.charAt(0) % 10));
        }
        String example = namespace + "-example";
        String quota = namespace + "-quota";
        berth.pool(example, namespace, with("excluded", List.of("198.18.3.5")), "198.18.3.0/29");
        berth.pool(quota, namespace, with("quota", Map.of("perNamespace", 1)), "198.18.3.16/29");
        berth.service(namespace, "first", annotated(WellKnownNames.ADDRESS_POOL, quota));
        admin.awaitIps(namespace, "first", "198.18.3.16");

        assertThat(admin.waits(
                        namespace,
                        "misspelt",
                        annotated(WellKnownNames.ADDRESS_POOL, namespace + "-exmaple"),
                        "PoolNotFound"))
                .startsWith("requested AddressPool \"" + namespace + "-exmaple\" does not exist (did you mean \""
                        + example + "\"?)");
        assertThat(admin.waits(
                        namespace,
                        "asleep",
                        annotated(WellKnownNames.ADDRESS_POOL, namespace + "-b"),
                        "NotAllowedByPools"))
                .startsWith("no AddressPool allows an IPv4 address for this Service: AddressPool \"" + namespace
                        + "-b\" is suspended;")
                .endsWith("; "
                        + (admin.kubectl("get", "addresspools", "-o", "name")
                                        .lines()
                                        .count()
                                - 1)
                        + " other pools are not requested" + PAGE);
        assertThat(admin.waits(namespace, "second", annotated(WellKnownNames.ADDRESS_POOL, quota), "QuotaExceeded"))
                .startsWith("no IPv4 address: AddressPool \"" + quota + "\" (quota: ");
        assertThat(admin.waits(
                        namespace,
                        "six",
                        builder -> annotated(WellKnownNames.ADDRESS_POOL, example)
                                .apply(builder)
                                .editSpec()
                                .withIpFamilies("IPv6")
                                .endSpec(),
                        "NoPoolForFamily"))
                .startsWith("no AddressPool that it requests has IPv6 addresses (of 1)");
        String clusterIp = berth.get("default", "kubernetes").getSpec().getClusterIP();
        for (Map.Entry<String, String> each : Map.of(
                        "198.18.3.5",
                        "AddressPool \"" + example + "\" excludes it",
                        "198.18.255.1",
                        "it is outside of every AddressPool",
                        clusterIp,
                        "ServiceCIDR \"kubernetes\" has it")
                .entrySet()) {
            assertThat(admin.waits(
                            namespace,
                            "at-" + each.getKey().replace('.', '-'),
                            annotated(WellKnownNames.ADDRESSES, each.getKey()),
                            "AddressNotAvailable"))
                    .isEqualTo("no AddressPool has " + each.getKey() + ": " + each.getValue() + PAGE);
        }
        String empty = namespace + "-empty";
        berth.pool(empty, namespace, with("excluded", List.of("198.18.3.40")), "198.18.3.40");
        assertThat(admin.waits(
                        namespace, "of-empty", annotated(WellKnownNames.ADDRESS_POOL, empty), "NotAllowedByPools"))
                .startsWith("no AddressPool allows an IPv4 address for this Service: AddressPool \"" + empty
                        + "\" has no IPv4 address to allocate: all are excluded, belong to another pool, or"
                        + " are used by the cluster;");
        assertThat(admin.waits(
                        namespace,
                        "in-empty",
                        builder -> annotated(WellKnownNames.ADDRESS_POOL, empty)
                                .andThen(annotated(WellKnownNames.ADDRESSES, "198.18.3.40"))
                                .apply(builder),
                        "AddressNotAvailable"))
                .startsWith(
                        "no AddressPool that it requests has 198.18.3.40: AddressPool \"" + empty + "\" excludes it;")
                .endsWith(PAGE);
    }

    private static UnaryOperator<Map<String, Object>> with(String field, Object value) {
        return spec -> {
            spec.put(field, value);
            return spec;
        };
    }

    @Test
    void aClassThatNamesAPoolThatIsNotThere_isNotReady_untilItIs() {
        String namespace = berth.namespace("class");
        LoadBalancerClass object = new LoadBalancerClass();
        object.setMetadata(new ObjectMetaBuilder().withName(namespace).build());
        object.setSpec(new LoadBalancerClass.Spec(
                "test.dev/" + namespace,
                null,
                null,
                null,
                List.of(namespace + "-pool"),
                null,
                null,
                null,
                null,
                null,
                null));
        berth.client().resource(object).create();

        admin.kubectl("wait", "--for=condition=Ready=False", "--timeout=50s", "loadbalancerclass/" + namespace);
        assertThat(admin.kubectl(
                        "get",
                        "loadbalancerclass",
                        namespace,
                        "-o",
                        "jsonpath={.status.conditions[?(@.type==\"PoolsFound\")].message}"))
                .isEqualTo("AddressPool \"" + namespace + "-pool\", which it names, does not exist; its Services wait");

        berth.pool(namespace + "-pool", namespace, UnaryOperator.identity(), "198.18.3.64/28");
        admin.kubectl("wait", "--for=condition=Ready", "--timeout=50s", "loadbalancerclass/" + namespace);
    }

    @Test
    void whoGetsWhich_andWhoGetsNone_isSaidBeforeStrandedAddressesAreTakenBack() {
        String namespace = berth.namespace("ahead");
        berth.pool(namespace, "198.18.5.0-198.18.5.3");
        for (String sharer : List.of("a", "b")) {
            berth.service(
                    namespace,
                    sharer,
                    builder -> annotated(WellKnownNames.SHARING_KEY, "key")
                            .apply(builder)
                            .editSpec()
                            .editFirstPort()
                            .withPort((int) sharer.charAt(0))
                            .endPort()
                            .endSpec());
            admin.awaitIps(namespace, sharer, "198.18.5.0");
        }
        berth.service(namespace, "c", annotated(WellKnownNames.ADDRESSES, "198.18.5.1"));
        admin.awaitIps(namespace, "c", "198.18.5.1");
        berth.service(namespace, "d");
        admin.awaitIps(namespace, "d", "198.18.5.2");

        admin.kubectl(
                "patch",
                "addresspool",
                namespace,
                "--type=merge",
                "--patch={\"spec\":{\"addresses\":[\"198.18.5.3\",\"198.18.5.8\"]}}");
        await().untilAsserted(() -> assertThat(strandedMessage(namespace))
                .endsWith(("; currently, NS/c would get no address (AddressNotAvailable), NS/a would get"
                                + " 198.18.5.3, NS/b would get 198.18.5.3, NS/d would get 198.18.5.8")
                        .replace("NS", namespace)));

        admin.kubectl("annotate", "addresspool", namespace, "berth.dev/release-stranded=2");
        berth.await(
                namespace,
                "d",
                service -> List.of("198.18.5.3", "198.18.5.8").containsAll(ips(service))
                        && !ips(service).isEmpty());
        berth.await(namespace, "c", service -> ips(service).isEmpty());
    }

    /** docs/address-pools.md, Changing a pool. */
    @Test
    void aPoolThatWasEdited_saysWhatThePageShows() throws IOException {
        admin.kubectl("create", "namespace", "prod");
        berth.pool("edge", "prod", UnaryOperator.identity(), "192.0.2.9");
        berth.service("prod", "web");
        admin.awaitIps("prod", "web", "192.0.2.9");
        admin.kubectl("patch", "addresspool", "edge", "--type=merge", "--patch={\"spec\":{\"priority\":50}}");
        admin.kubectl(
                "patch",
                "addresspool",
                "edge",
                "--type=merge",
                "--patch={\"spec\":{\"addresses\":[\"192.0.2.0/29\"]}}");

        TypedPage.Step page = TypedPage.step(Path.of("docs/address-pools.md"), "kubectl get addresspool edge");
        String format = page.typed().substring(page.typed().indexOf("jsonpath="));
        await().untilAsserted(() -> assertThat(
                        admin.kubectl("get", "addresspool", "edge", "-o", format.replace("'", ""))
                                .strip())
                .isEqualTo(page.printed()));
    }

    @Test
    void aServiceWithOneOfTwoFamilies_isCountedAmongThoseThatWait() {
        String namespace = berth.namespace("one-family");
        berth.pool(namespace, "198.18.6.0/28");
        berth.service(
                namespace,
                "web",
                builder ->
                        builder.editSpec().withIpFamilyPolicy("PreferDualStack").endSpec());
        admin.awaitSaid(namespace, "web", WellKnownNames.ADDRESS_ASSIGNED, "PartiallyAssigned");

        await().untilAsserted(() -> assertThat(
                        berth.operator().metric("berth_services_waiting", "reason", "PartiallyAssigned"))
                .isEqualTo(1));
    }

    @Test
    void eachField_isExplained_andEnumsAndDefaultsAreSaid() {
        for (String kind : List.of(
                "addresses",
                "addresspools",
                "agentreports",
                "bgppeers",
                "clusteripreservations",
                "loadbalancerclasses",
                "servicecidrpolicies")) {
            assertThat(admin.kubectl("explain", kind + ".spec"))
                    .as(kind)
                    .contains("FIELDS:")
                    .doesNotContain("<no description>");
        }
        assertThat(admin.kubectl("explain", "addresspool.spec")).contains("CIDRs (192.0.2.0/28)");
        assertThat(admin.kubectl("explain", "loadbalancerclass.spec.classless"))
                .containsSubsequence("ENUM:", "Never", "Auto", "Always", "DESCRIPTION:", "Defaults to Never.");
    }

    @Test
    void aRangeInUpperCase_isTaken() {
        String namespace = berth.namespace("upper");
        berth.pool(namespace, "2001:DB8:6::/124");
        berth.service(
                namespace,
                "web",
                builder -> builder.editSpec().withIpFamilies("IPv6").endSpec());

        admin.awaitIps(namespace, "web", "2001:db8:6::");
    }

    @Test
    void whoHasWhat_isOneCommandAway() {
        String namespace = berth.namespace("who");
        String pool = namespace + "-main";
        berth.pool(pool, namespace, UnaryOperator.identity(), "198.18.7.0/29", "2001:db8:7::/125");
        berth.service(namespace, "first", sharing("k", 80));
        admin.awaitIps(namespace, "first", "198.18.7.0");
        berth.service(namespace, "second", sharing("k", 443));
        admin.awaitIps(namespace, "second", "198.18.7.0");
        berth.service(
                namespace,
                "six",
                builder -> annotated("berth.dev/retain", "true")
                        .apply(builder)
                        .editSpec()
                        .withIpFamilies("IPv6")
                        .endSpec());
        admin.awaitIps(namespace, "six", "2001:db8:7::");
        String object = BerthCommand.run("address", "2001:DB8:7:0::0").out().strip();

        await().untilAsserted(() -> {
            assertThat(columns(admin.kubectl("get", "address", "198.18.7.0", "--no-headers"), 7))
                    .containsExactly("198.18.7.0", "198.18.7.0", namespace, "first", "second", pool, "berth.dev/pool");
            for (String label : List.of("pool=" + pool, "namespace=" + namespace)) {
                assertThat(admin.kubectl("get", "addresses", "-l", "berth.dev/" + label, "-o", "name")
                                .lines())
                        .as(label)
                        .containsExactly("address.berth.dev/198.18.7.0", "address.berth.dev/" + object);
            }
            assertThat(admin.kubectl("get", "addresses", "-l", "berth.dev/class=berth.dev_pool", "-o", "name")
                            .lines())
                    .contains("address.berth.dev/198.18.7.0");
        });

        berth.deleteService(namespace, "six");
        await().untilAsserted(() -> assertThat(admin.kubectl("get", "address", object, "--no-headers", "-o", "wide"))
                .containsSubsequence("2001:db8:7::", namespace, "six", pool, "Reserved"));
    }

    private static List<String> columns(String row, int most) {
        return Pattern.compile(" +").splitAsStream(row.strip()).limit(most).toList();
    }

    @Test
    void whatIsOddOfAPool_isInItsRow() {
        String namespace = berth.namespace("odd");
        String asleep = namespace + "-asleep";
        String broken = namespace + "-broken";
        String small = namespace + "-small";
        berth.pool(asleep, namespace, with("suspended", true), "198.18.8.0/29", "198.18.8.16");
        String excluded = namespace + "-excluded";
        berth.pool(
                excluded,
                namespace,
                with("excluded", List.of("198.18.8.64/28")),
                "198.18.8.64",
                "198.18.8.66",
                "198.18.8.68",
                "198.18.8.70");
        berth.pool(broken, namespace, with("autoAssign", false), "198.18.8.32-198.18.8.30", "198.18.8.40");
        berth.pool(small, namespace, UnaryOperator.identity(), "198.18.8.48/31");
        berth.service(namespace, "a", annotated(WellKnownNames.ADDRESS_POOL, small));
        berth.service(namespace, "b", annotated(WellKnownNames.ADDRESS_POOL, small));
        berth.awaitAddress(namespace, "a");
        berth.awaitAddress(namespace, "b");
        admin.kubectl(
                "patch", "addresspool", small, "--type=merge", "--patch={\"spec\":{\"addresses\":[\"198.18.8.48\"]}}");

        await().untilAsserted(() -> {
            assertThat(columns(admin.kubectl("get", "addresspool", asleep, "--no-headers"), 6))
                    .containsExactly(asleep, "198.18.8.0/29,198.18.8.16", "9", "0", "True", "Suspended");
            assertThat(admin.kubectl("get", "addresspool", asleep, "-o", "jsonpath={.status.conditions[*].message}"))
                    .contains("it is suspended, and nothing new is allocated from it");
            assertThat(columns(admin.kubectl("get", "addresspool", broken, "--no-headers"), 6))
                    .containsExactly(
                            broken,
                            "198.18.8.32-198.18.8.30,198.18.8.40",
                            "1",
                            "0",
                            "False",
                            "NoAutoAssign,InvalidAddresses");
            assertThat(columns(admin.kubectl("get", "addresspool", excluded, "--no-headers"), 8))
                    .startsWith(excluded, "198.18.8.64,198.18.8.66,198.18.8.68", "+", "1", "more...", "0", "True")
                    .last()
                    .asString()
                    .startsWith("NoAllocatableAddresses");
            // One that the pool has, and one that comes on top.
            assertThat(columns(admin.kubectl("get", "addresspool", small, "--no-headers"), 6))
                    .containsExactly(small, "198.18.8.48", "0", "1", "1", "True");
        });
    }

    private static String strandedMessage(String pool) {
        return admin.kubectl(
                "get", "addresspool", pool, "-o", "jsonpath={.status.conditions[?(@.type==\"Stranded\")].message}");
    }
}
