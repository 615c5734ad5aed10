package dev.berth.lab;

import static dev.berth.lab.Traffic.await;
import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.url;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.lab.Peer.Reply;
import dev.berth.testing.Installation;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What real kube-proxies do with the address and the ipMode that Berth publishes, without any load balancer. */
@LabOnly
@ParameterizedClass(name = "{0}")
@EnumSource(KubeProxyMode.class)
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class IpModePacketsIT {

    private static Lab lab;

    @Parameter
    private KubeProxyMode mode;

    private String namespace;

    @BeforeParameterizedClassInvocation
    static void start(KubeProxyMode mode) {
        lab = Lab.start(mode, 2);
        lab.installation().operator();
        lab.installation().loadBalancerClass("vip", "VIP");
        lab.installation().loadBalancerClass("proxy", "Proxy");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        lab.close();
    }

    @BeforeEach
    void pods() {
        namespace = lab.namespace("packets");
    }

    private LabPod pod(int node) {
        return lab.node(node).pod(namespace, namespace + "-" + node, Map.of("app", "web"));
    }

    private Service service(String loadBalancerClass, String pool, UnaryOperator<ServiceBuilder> change) {
        lab.installation().pool(namespace, pool);
        return Traffic.service(lab, namespace, "web", loadBalancerClass, change);
    }

    /** Each has tables of its own, in which the others see nothing. */
    @Test
    void kubeProxy_programsTheKernelByTheModesOwnCommand() {
        String rules = lab.node(1)
                .namespace()
                .run(
                        "sh",
                        "-c",
                        switch (mode) {
                            case NFTABLES -> "nft list tables";
                            case IPTABLES -> "iptables-save -t nat";
                            case LEGACY_IPTABLES -> "xtables-legacy-multi iptables-save -t nat";
                        });
        assertThat(rules).contains(mode == KubeProxyMode.NFTABLES ? "table ip kube-proxy" : "KUBE-SERVICES");
    }

    @Test
    void vip_isReachedFromPodsAndNodes_withoutALoadBalancer() {
        LabPod here = pod(1);
        LabPod there = pod(2);
        Service service = service(
                "vip",
                "10.77.0.100/30",
                change -> change.editSpec()
                        .addNewPort()
                        .withName("udp")
                        .withProtocol("UDP")
                        .withPort(53)
                        .withNewTargetPort(LabPod.PORT)
                        .endPort()
                        .endSpec());
        String udp = Installation.ips(service).getFirst() + ":53";

        for (Peer client : List.of(here.client(), lab.node(2).client())) {
            assertThat(awaitReply(client, url(service)).name()).isIn(here.name(), there.name());
            assertThat(await(() -> client.udp(udp), Reply::ok).name()).isIn(here.name(), there.name());
        }
    }

    /** However the packets get to the node: by a route here, by ARP or BGP otherwise. */
    @Test
    void vip_isServedByANode_thatPacketsOfAClientOutsideArriveAt() {
        LabPod there = pod(2);
        Service service = service("vip", "10.77.1.0/30", UnaryOperator.identity());
        String route =
                Installation.ips(service).getFirst() + "/32 via " + lab.node(1).ipv4();
        lab.router().ip("route add " + route);
        try {
            assertThat(awaitReply(lab.client(), url(service)).name()).isEqualTo(there.name());
        } finally {
            lab.router().ip("route del " + route);
        }
    }

    @Test
    void vip_isServedByTheNodeOfAnAgent_thatAnswersArpForIt() {
        LabPod there = pod(2);
        lab.controlPlane().adminClient().resource("""
                apiVersion: berth.dev/v1alpha1
                kind: LoadBalancerClass
                metadata: {name: l2}
                spec: {loadBalancerClass: test.dev/l2, provider: l2}
                """).create();
        try (LabAgent agent = new LabAgent(lab.node(1), LabAgent.prepare(lab)).start()) {
            Service service = service("l2", "10.77.0.120/30", UnaryOperator.identity());
            assertThat(awaitReply(lab.client(), url(service)).name()).isEqualTo(there.name());
            agent.end();
        }
    }

    @Test
    void vip_keepsTheSourceAddressOfAPod_withTrafficPolicyLocal() {
        LabPod here = pod(1);
        LabPod there = pod(2);
        Service service = service("vip", "10.77.0.104/30", Traffic::local);
        awaitReply(here.client(), url(service));

        assertThat(sources(here, there, service)).isNotEmpty().containsOnly(here.ipv4());
    }

    @Test
    void vip_showsTheNodesAddress_withTrafficPolicyCluster() {
        LabPod here = pod(1);
        LabPod there = pod(2);
        Service service = service("vip", "10.77.0.116/30", UnaryOperator.identity());
        awaitReply(here.client(), url(service));

        assertThat(sources(here, there, service))
                .isNotEmpty()
                .containsOnly(lab.node(1).ipv4());
    }

    /** Where {@code there} saw the requests of {@code here} from. */
    private static List<String> sources(LabPod here, LabPod there, Service service) {
        return here.client().get(url(service), 20).stream()
                .filter(reply -> there.name().equals(reply.name()))
                .map(Reply::source)
                .toList();
    }

    @Test
    void proxy_isLeftToTheLoadBalancer_fromPodsAndNodes() {
        LabPod here = pod(1);
        Service vip = service("vip", "10.77.0.108/30", UnaryOperator.identity());
        awaitReply(here.client(), url(vip));
        Service proxied = Traffic.service(lab, namespace, "proxied", "proxy", UnaryOperator.identity());
        // By its cluster IP it is there: kube-proxy knows the Service.
        awaitReply(here.client(), "http://" + proxied.getSpec().getClusterIP() + "/");

        assertThat(here.client().get(url(proxied)).ok()).isFalse();
        assertThat(lab.node(1).client().get(url(proxied)).ok()).isFalse();
    }

    @Test
    void healthCheckNodePort_answersOnlyOnNodesWithAReadyEndpoint() {
        LabPod only = pod(1);
        Service service = service("vip", "10.77.0.112/30", Traffic::local);
        int port = service.getSpec().getHealthCheckNodePort();

        await(() -> lab.node(1).httpStatus(port, "/healthz"), status -> status == 200);
        await(() -> lab.node(2).httpStatus(port, "/healthz"), status -> status == 503);

        only.ready(false);
        await(() -> lab.node(1).httpStatus(port, "/healthz"), status -> status == 503);
    }

    @Test
    void vip_ofIPv6_isReachedFromPods() {
        LabPod here = pod(1);
        Service service = service(
                "vip",
                "fd77::1:0/124",
                change -> change.editSpec()
                        .withIpFamilyPolicy("SingleStack")
                        .withIpFamilies("IPv6")
                        .endSpec());

        Reply reply = awaitReply(here.client(), url(Installation.ips(service).getFirst()));

        assertThat(reply.name()).isEqualTo(here.name());
    }
}
