package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.testing.BerthCommand;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PortStatus;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Services that another controller served become Berth's, with the pools that the page in docs/migration makes of
 * that controller's own: none of them ever changes its address.
 */
@ExtendWith(SharedInstallation.class)
class MigrationIT {
    private static final String EXAMPLES = "docs/examples/migration/";
    private static final String CRDS = "src/test/resources/dev/berth/it/peers/";
    private static final String NAMESPACE = "shop";
    private static final String FINALIZER = "berth.dev/load-balancer-cleanup";
    private static final String CLOUD_PROVIDER_FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

    private ControlPlane controlPlane;
    private Installation berth;
    private final Map<String, List<String>> before = new LinkedHashMap<>();

    /** Each write of a Service that is to keep what it publishes, and does not. */
    private final List<String> changes = new ArrayList<>();

    private @Nullable Watch watch;

    @BeforeEach
    void install(Installation shared) {
        // What is there before the start must be untouched until then.
        shared.stopOperator();
        berth = shared;
        controlPlane = berth.controlPlane();
        namespace(NAMESPACE);
    }

    @AfterEach
    void stop() {
        if (watch != null) {
            watch.close();
        }
    }

    private void namespace(String name) {
        Namespace namespace = new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .build();
        berth.client().resource(namespace).create();
    }

    // ---- what the other controller leaves

    private void peerHas(String... files) {
        for (String file : files) {
            controlPlane.kubectl("apply", "-f", file);
            if (file.startsWith(CRDS)) {
                controlPlane.kubectl("wait", "--for=condition=Established", "--timeout=50s", "-f", file);
            }
        }
    }

    private static UnaryOperator<ServiceBuilder> labelled(String key, String value) {
        return builder -> builder.editMetadata().addToLabels(key, value).endMetadata();
    }

    private static UnaryOperator<ServiceBuilder> ofClass(String value) {
        return builder -> builder.editSpec().withLoadBalancerClass(value).endSpec();
    }

    private static UnaryOperator<ServiceBuilder> port(int port) {
        return builder ->
                builder.editSpec().editFirstPort().withPort(port).endPort().endSpec();
    }

    private static ServiceBuilder dualStack(ServiceBuilder builder) {
        return builder.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec();
    }

    private static UnaryOperator<ServiceBuilder> carrying(String finalizer) {
        return builder -> builder.editMetadata().addToFinalizers(finalizer).endMetadata();
    }

    @SafeVarargs
    private static UnaryOperator<ServiceBuilder> with(UnaryOperator<ServiceBuilder>... changes) {
        return builder -> {
            ServiceBuilder changed = builder;
            for (UnaryOperator<ServiceBuilder> change : changes) {
                changed = change.apply(changed);
            }
            return changed;
        };
    }

    /** A Service as the other controller leaves it. */
    private void served(String name, UnaryOperator<ServiceBuilder> change, String... ips) {
        Service service = berth.service(NAMESPACE, name, change);
        service.getStatus()
                .getLoadBalancer()
                .setIngress(Stream.of(ips)
                        .map(ip -> new LoadBalancerIngress(null, ip, null, portsAsKubeVipSays(service)))
                        .toList());
        berth.client().resource(service).patchStatus();
        before.put(name, List.of(ips));
    }

    private static @Nullable List<PortStatus> portsAsKubeVipSays(Service service) {
        return service.getMetadata().getLabels().containsKey("implementation")
                ? List.of(new PortStatus(
                        null, service.getSpec().getPorts().getFirst().getPort(), "TCP"))
                : null;
    }

    /** From now on: no Service may change what it publishes, not for a moment. */
    private void watchIngress() {
        var services = berth.client().services().inNamespace(NAMESPACE);
        String now = services.list().getMetadata().getResourceVersion();
        watch = services.watch(new ListOptionsBuilder().withResourceVersion(now).build(), new Watcher<Service>() {
            @Override
            public void eventReceived(Action action, Service service) {
                List<String> kept = before.get(service.getMetadata().getName());
                if (kept != null && !kept.equals(ips(service))) {
                    changes.add(service.getMetadata().getName() + " " + ips(service));
                }
            }

            @Override
            public void onClose(@Nullable WatcherException cause) {
                if (cause != null) {
                    changes.add("the watch ended: " + cause);
                }
            }
        });
    }

    // ---- what is to be so

    private void awaitOurs(String... names) {
        for (String name : names) {
            Service service = berth.await(
                    NAMESPACE, name, now -> now.getMetadata().getFinalizers().contains(FINALIZER));
            assertThat(ips(service)).isEqualTo(before.get(name));
            assertThat(berth.addressesOf(NAMESPACE, name)).containsExactlyInAnyOrderElementsOf(ips(service));
        }
    }

    private void awaitSkipped(String name, String reason, String message) {
        await().untilAsserted(() -> assertThat(berth.events(NAMESPACE, name)).anySatisfy(event -> {
            assertThat(event.getKey()).isEqualTo(reason);
            assertThat(event.getValue()).contains(message);
        }));
        Service service = berth.get(NAMESPACE, name);
        assertThat(service.getMetadata().getFinalizers()).doesNotContain(FINALIZER);
        assertThat(ips(service)).isEqualTo(before.get(name));
        assertThat(berth.addressesOf(NAMESPACE, name)).isEmpty();
    }

    private void assertNothingChanged() {
        assertThat(changes).isEmpty();
        for (Map.Entry<String, List<String>> entry : before.entrySet()) {
            assertThat(ips(berth.get(NAMESPACE, entry.getKey()))).isEqualTo(entry.getValue());
        }
    }

    private List<String> allBefore() {
        return before.values().stream().flatMap(List::stream).toList();
    }

    /** A new Service gets an address, and none of those that were there. */
    private void newcomer(String name, UnaryOperator<ServiceBuilder> change) {
        berth.service(NAMESPACE, name, change);
        assertThat(ips(berth.awaitAddress(NAMESPACE, name))).doesNotContainAnyElementsOf(allBefore());
    }

    private void assertShared(String ip, String... services) {
        Address address = Optional.ofNullable(
                        berth.client().resources(Address.class).withName(ip).get())
                .orElseThrow();
        assertThat(Installation.claimsOf(address))
                .extracting(Address.Claim::name)
                .containsExactlyInAnyOrder(services);
    }

    // ---- the peers

    @Test
    void servicesOfMetalLB_keepTheirAddresses() {
        peerHas(CRDS + "metallb-crd.yaml");
        namespace("metallb-system");
        peerHas(EXAMPLES + "metallb.yaml");
        served("plain", annotated("metallb.io/ip-allocated-from-pool", "edge"), "192.0.2.16");
        served("asked", annotated("metallb.io/loadBalancerIPs", "192.0.2.20"), "192.0.2.20");
        served("old", annotated("metallb.universe.tf/address-pool", "edge"), "192.0.2.17");
        served("dual", MigrationIT::dualStack, "192.0.2.18", "2001:db8:0:10::");
        served("dns-tcp", with(annotated("metallb.io/allow-shared-ip", "dns"), port(53)), "192.0.2.19");
        served("dns-web", with(annotated("metallb.universe.tf/allow-shared-ip", "dns"), port(443)), "192.0.2.19");
        served("elsewhere", annotated("metallb.io/address-pool", "edge"), "203.0.113.9");
        watchIngress();

        controlPlane.kubectl("apply", "-f", EXAMPLES + "metallb-pools.yaml");
        berth.startOperator("--migrate-from=metallb");

        awaitOurs("plain", "asked", "old", "dual", "dns-tcp", "dns-web");
        assertShared("192.0.2.19", "dns-tcp", "dns-web");
        awaitSkipped("elsewhere", "ServedByOtherController", "add 203.0.113.9 to AddressPool \"edge\"");
        newcomer("classy", ofClass(Installation.DEFAULT_CLASS));
        newcomer("shares", with(ofClass(Installation.DEFAULT_CLASS), annotated("metallb.io/allow-shared-ip", "web")));

        controlPlane.kubectl(
                "patch",
                "addresspool",
                "edge",
                "--type=json",
                "-p=[{\"op\":\"add\",\"path\":\"/spec/addresses/-\",\"value\":\"203.0.113.9\"}]");
        awaitOurs("elsewhere");
        // Nobody else serves Services without a class any more, so Berth does.
        newcomer("classless", UnaryOperator.identity());
        assertNothingChanged();
    }

    @Test
    void whatMetalLBAnnouncesBy_isExported_asTheApiServerTakesIt() throws IOException {
        peerHas(CRDS + "metallb-crd.yaml");
        namespace("metallb-system");
        peerHas(EXAMPLES + "metallb.yaml", EXAMPLES + "metallb-announcing.yaml");

        BerthCommand export =
                BerthCommand.run("export", "--from=metallb", "--kubeconfig=" + controlPlane.adminKubeconfig());

        assertThat(export.exitCode()).as(export.err()).isZero();
        assertThat(export.out()).isEqualTo(Files.readString(Path.of(EXAMPLES + "metallb-announcing-berth.yaml")));
        assertThat(controlPlane.kubectl("apply", "--filename=" + EXAMPLES + "metallb-announcing-berth.yaml"))
                .contains("bgppeer.berth.dev/tor created", "edge-bgp created", "mail-l2 created");
    }

    @Test
    void servicesOfCilium_keepTheirAddresses_alsoWhenThePoolsComeLast() {
        peerHas(CRDS + "cilium-crd.yaml", EXAMPLES + "cilium.yaml");
        UnaryOperator<ServiceBuilder> blue = labelled("color", "blue");
        served("plain", blue, "192.0.2.33");
        served("l2", with(blue, ofClass("io.cilium/l2-announcer")), "192.0.2.34");
        served("asked", with(blue, annotated("lbipam.cilium.io/ips", "198.51.100.47")), "198.51.100.47");
        served("old", with(blue, annotated("io.cilium/lb-ipam-ips", "192.0.2.35")), "192.0.2.35");
        served("a", with(blue, annotated("lbipam.cilium.io/sharing-key", "k"), port(1234)), "192.0.2.36");
        served("b", with(blue, annotated("lbipam.cilium.io/sharing-key", "k"), port(2345)), "192.0.2.36");
        served("dual", with(blue, MigrationIT::dualStack), "192.0.2.37", "2001:db8:0:20::1");
        served("red", labelled("color", "red"), "192.0.2.38");
        served("two", blue, "192.0.2.39", "192.0.2.40");
        watchIngress();

        OperatorProcess operator = berth.startOperator("--migrate-from=cilium");
        berth.service(NAMESPACE, "waits", with(blue, ofClass(Installation.DEFAULT_CLASS)));
        berth.await(
                NAMESPACE,
                "waits",
                now -> Installation.condition(now, "berth.dev/AddressAssigned").isPresent());
        controlPlane.kubectl("apply", "-f", EXAMPLES + "cilium-pools.yaml");

        awaitOurs("plain", "l2", "asked", "old", "a", "b", "dual");
        assertShared("192.0.2.36", "a", "b");
        assertThat(ips(berth.awaitAddress(NAMESPACE, "waits"))).doesNotContainAnyElementsOf(allBefore());
        awaitSkipped("red", "ServedByOtherController", "AddressPool \"blue\" does not select its labels");
        awaitSkipped("two", "ServedByOtherController", "Berth assigns one IPv4 address");
        await().untilAsserted(
                        () -> assertThat(operator.metric("berth_services_skipped", "reason", "ServedByOtherController"))
                                .isEqualTo(2));
        for (int i = 0; i < 11; i++) {
            newcomer("new-" + i, with(blue, ofClass(Installation.DEFAULT_CLASS)));
        }
        assertNothingChanged();

        // A second start finds it as it is; of 22 addresses 9 were in use, and 12 were allocated: one is left.
        operator.stop();
        berth.startOperator("--migrate-from=cilium");
        newcomer("after", with(blue, ofClass(Installation.DEFAULT_CLASS)));
        berth.service(NAMESPACE, "too-many", with(blue, ofClass(Installation.DEFAULT_CLASS)));
        berth.await(
                NAMESPACE,
                "too-many",
                now -> Installation.condition(now, "berth.dev/AddressAssigned")
                        .filter(condition -> condition.getReason().equals("PoolExhausted"))
                        .isPresent());
        assertNothingChanged();
    }

    @Test
    void servicesOfKubeVip_keepTheirAddresses_onceItsFinalizerIsOff() {
        peerHas(EXAMPLES + "kube-vip.yaml");
        UnaryOperator<ServiceBuilder> theirs =
                with(labelled("implementation", "kube-vip"), carrying(CLOUD_PROVIDER_FINALIZER));
        String annotation = "kube-vip.io/loadbalancerIPs";
        served("plain", with(theirs, annotated(annotation, "192.0.2.48"), loadBalancerIp("192.0.2.48")), "192.0.2.48");
        served(
                "dual",
                with(
                        theirs,
                        MigrationIT::dualStack,
                        annotated(annotation, "192.0.2.49,2001:db8:0:30::1"),
                        loadBalancerIp("192.0.2.49")),
                "192.0.2.49",
                "2001:db8:0:30::1");
        served(
                "classed",
                with(theirs, ofClass("kube-vip.io/kube-vip-class"), annotated(annotation, "192.0.2.50")),
                "192.0.2.50");
        // kube-vip lets two share without a word of theirs; the page says how to put it into words.
        for (String name : List.of("share-a", "share-b")) {
            UnaryOperator<ServiceBuilder> keyed =
                    annotated(annotation, "192.0.2.51", "berth.dev/sharing-key", "192.0.2.51");
            served(name, with(theirs, keyed, port(name.endsWith("a") ? 81 : 82)), "192.0.2.51");
        }
        served("dhcp", with(labelled("implementation", "kube-vip"), annotated(annotation, "0.0.0.0")), "203.0.113.77");
        watchIngress();

        controlPlane.kubectl("apply", "-f", EXAMPLES + "kube-vip-pools.yaml");
        berth.startOperator("--migrate-from=kube-vip");

        String patch =
                "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"" + CLOUD_PROVIDER_FINALIZER + "\"]}}";
        for (String name : List.of("plain", "dual", "classed", "share-a", "share-b")) {
            awaitSkipped(
                    name,
                    "ServedByOtherController",
                    "kubectl patch service " + name + " --namespace=shop --patch='" + patch + "'");
        }
        awaitSkipped("dhcp", "ServedByOtherController", "by which kube-vip asks a DHCP server");
        newcomer("early", ofClass(Installation.DEFAULT_CLASS));
        for (String name : List.of("plain", "dual", "classed", "share-a", "share-b")) {
            controlPlane.kubectl("patch", "service", name, "--namespace=shop", "--patch=" + patch);
        }

        awaitOurs("plain", "dual", "classed", "share-a", "share-b");
        assertShared("192.0.2.51", "share-a", "share-b");
        newcomer("late", ofClass(Installation.DEFAULT_CLASS));
        assertNothingChanged();
    }

    private static UnaryOperator<ServiceBuilder> loadBalancerIp(String ip) {
        return builder -> builder.editSpec().withLoadBalancerIP(ip).endSpec();
    }

    @Test
    void servicesOfPureLB_keepTheirAddresses() {
        peerHas(CRDS + "purelb-crd.yaml");
        namespace("purelb-system");
        peerHas(EXAMPLES + "purelb.yaml");
        UnaryOperator<ServiceBuilder> theirs =
                annotated("purelb.io/allocated-by", "PureLB", "purelb.io/allocated-from", "default");
        served("plain", theirs, "192.0.2.64");
        served("classed", with(theirs, ofClass("purelb.io/purelbv2")), "192.0.2.65");
        served("asked", with(theirs, annotated("purelb.io/addresses", "192.0.2.70")), "192.0.2.70");
        served("grouped", with(theirs, annotated("purelb.io/service-group", "bgp")), "198.51.100.64");
        served("dual", with(theirs, MigrationIT::dualStack), "192.0.2.66", "2001:db8:0:40::");
        served("a", with(theirs, annotated("purelb.io/allow-shared-ip", "k"), port(81)), "192.0.2.67");
        served("b", with(theirs, annotated("purelb.io/allow-shared-ip", "k"), port(82)), "192.0.2.67");
        watchIngress();

        controlPlane.kubectl("apply", "-f", EXAMPLES + "purelb-pools.yaml");
        berth.startOperator("--migrate-from=purelb");

        awaitOurs("plain", "classed", "asked", "grouped", "dual", "a", "b");
        assertShared("192.0.2.67", "a", "b");
        newcomer("new", UnaryOperator.identity());
        newcomer("new-grouped", annotated("purelb.io/service-group", "bgp"));
        assertNothingChanged();
    }

    @Test
    void withoutTheFlag_aStatusTakesNoAddress() {
        // CVE-2020-8554: anyone who may write a status could take any address by it.
        berth.pool(NAMESPACE, "192.0.2.80/31");
        served("intruder", ofClass(Installation.DEFAULT_CLASS), "192.0.2.80");

        berth.startOperator();
        berth.service(NAMESPACE, "honest", ofClass(Installation.DEFAULT_CLASS));

        // Nor does anybody else get what another controller publishes.
        assertThat(ips(berth.awaitAddress(NAMESPACE, "honest"))).containsExactly("192.0.2.81");
        assertThat(berth.addressesOf(NAMESPACE, "intruder")).isEmpty();
        awaitSkipped("intruder", "ServedByOtherController", "ingress 192.0.2.80");
    }
}
