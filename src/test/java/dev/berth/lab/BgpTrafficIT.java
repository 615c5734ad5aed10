package dev.berth.lab;

import static dev.berth.lab.Traffic.assertOnlyFailedWhatWasUnderWay;
import static dev.berth.lab.Traffic.await;
import static dev.berth.lab.Traffic.awaitEach;
import static dev.berth.lab.Traffic.awaitReplies;
import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.awaitSome;
import static dev.berth.lab.Traffic.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.kube.Conditions;
import dev.berth.lab.Peer.Load;
import dev.berth.lab.Peer.Reply;
import dev.berth.testing.ChildProcess;
import dev.berth.testing.Conflicts;
import dev.berth.testing.Installation;
import dev.berth.testing.Monitoring;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Promtool;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes, each with an agent and a speaker, and BIRD as their router: what it learns, and what clients beyond it see. */
@LabOnly
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class BgpTrafficIT {
    /** Who request at once. */
    private static final int CLIENTS = 2;

    private static Lab lab;
    private static LabRouter router;
    private static OperatorProcess operator;
    private static List<LabSpeaker> speakers;
    private static List<LabAgent> agents;
    private static int pools;

    private String namespace;

    @BeforeAll
    static void start() {
        lab = Lab.start(KubeProxyMode.NFTABLES, 3);
        operator = lab.installation().startOperator();
        router = new LabRouter(lab);
        loadBalancerClass("bgp", Map.of());
        peer("router", "");
        Path key = LabAgent.prepare(lab);
        speakers =
                lab.nodes().stream().map(node -> new LabSpeaker(node).start()).toList();
        agents = new ArrayList<>();
        for (int node = 0; node < speakers.size(); node++) {
            agents.add(
                    new LabAgent(lab.nodes().get(node), key, speakers.get(node).flag()).start());
        }
        agents.forEach(LabAgent::awaitReady);
        awaitPeer("router", BgpTrafficIT::isReady);
    }

    @AfterAll
    static void stop() {
        agents.forEach(LabAgent::close);
        speakers.forEach(LabSpeaker::close);
        router.close();
        operator.close();
        lab.close();
    }

    @BeforeEach
    void namespace() {
        namespace = lab.namespace("bgp");
        pools++;
        lab.installation().pool(namespace, "10.79.%d.0/29".formatted(pools), "fd79::%d:0/124".formatted(pools));
    }

    /** The next test finds three nodes that are equal, and one peer, wherever this one has ended. */
    @AfterEach
    void heal() {
        if (!operator.isAlive()) {
            operator = lab.installation().startOperator();
        }
        router.ask("enable node1");
        router.password("");
        router.takesIpv6NextHops(true);
        router.asn(LabRouter.ASN);
        peer("router", "");
        admin().resources(BGPPeer.class).withName("router6").delete();
        admin().resources(BGPPeer.class).withName("frr").delete();
        admin().resources(BGPPeer.class).withName("bird").delete();
        admin().resources(BGPPeer.class).withName("leaf").delete();
        admin().resources(BGPPeer.class).withName("far").delete();
        admin().services().inNamespace(namespace).delete();
        lab.nodes().forEach(node -> {
            node.pods().forEach(LabPod::close);
            exclude(node, false);
            node.cordon(false);
        });
        speakers.stream().filter(speaker -> !speaker.isRunning()).forEach(LabSpeaker::start);
        agents.stream()
                .filter(agent -> !agent.isRunning())
                .forEach(agent -> agent.start().awaitReady());
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                lab.router().ip("-4 route show") + lab.router().ip("-6 route show"))
                        .doesNotContain("10.79.")
                        .doesNotContain("fd79:"));
        awaitPeer("router", BgpTrafficIT::isReady);
    }

    private static KubernetesClient admin() {
        return lab.controlPlane().adminClient();
    }

    private static void loadBalancerClass(String name, Map<String, String> parameters) {
        LoadBalancerClass one = new LoadBalancerClass();
        one.setMetadata(new ObjectMetaBuilder().withName(name).build());
        one.setSpec(Serialization.unmarshal(
                Serialization.asJson(
                        Map.of("loadBalancerClass", "test.dev/" + name, "provider", "bgp", "parameters", parameters)),
                LoadBalancerClass.Spec.class));
        lab.installation().client().resource(one).create();
    }

    /** A session by IPv4, or IPv6 if the name ends in 6; that named frr is with the second router. */
    private static void peer(String name, String more) {
        peer(name, LabRouter.ASN_OF_NODES, more);
    }

    private static void peer(String name, long myAsn, String more) {
        peer(name, LabRouter.ASN, myAsn, more);
    }

    private static void peer(String name, long peerAsn, long myAsn, String more) {
        String address = List.of("frr", "bird").contains(name)
                ? BgpPage.ROUTER_IPV4
                : name.endsWith("6") ? LabRouter.IPV6 : LabRouter.IPV4;
        admin().resource("""
                apiVersion: berth.dev/v1alpha1
                kind: BGPPeer
                metadata: {name: %s}
                spec: {peerAddress: "%s", peerASN: %d, myASN: %d, holdTime: 30s, keepaliveTime: 10s,
                  connectRetryTime: 2s%s}
                """.formatted(name, address, peerAsn, myAsn, more))
                .forceConflicts()
                .serverSideApply();
    }

    private static BGPPeer awaitPeer(String name, Predicate<BGPPeer> wanted) {
        return await(
                () -> admin().resources(BGPPeer.class).withName(name).get(),
                peer -> peer.getStatus() != null && wanted.test(peer));
    }

    private static boolean isReady(BGPPeer peer) {
        return ready(peer).getMessage().startsWith("3 of 3 nodes have a session")
                && ready(peer).getStatus().equals("True")
                && ready(peer).getObservedGeneration().equals(peer.getMetadata().getGeneration());
    }

    /** The operator's part of the status may come after that of an agent. */
    private static Condition ready(BGPPeer peer) {
        return Conditions.find(Conditions.of(peer.getStatus()), Conditions.READY)
                .orElseGet(() -> new ConditionBuilder()
                        .withStatus("Unknown")
                        .withReason("")
                        .withMessage("")
                        .build());
    }

    /** What went wrong last, for each node that has said how its session is; empty: nothing. */
    private static List<String> lastErrors(BGPPeer peer) {
        return Objects.requireNonNullElse(peer.getStatus().nodes(), List.<BGPPeer.NodeSession>of()).stream()
                .map(node -> Objects.requireNonNullElse(node.lastError(), ""))
                .toList();
    }

    private LabPod pod(int node, String name) {
        return lab.node(node).pod(namespace, namespace + "-" + name, Map.of("app", "web"));
    }

    private Service service(String loadBalancerClass, UnaryOperator<ServiceBuilder> change) {
        return Traffic.service(lab, namespace, "web", loadBalancerClass, change);
    }

    private static String ip(Service service) {
        return Installation.ips(service).getFirst();
    }

    /** Waits until the router's kernel sends what is for an address to these nodes. */
    private static void awaitNextHops(String ip, String... nodes) {
        await(() -> router.nextHops(ip), List.of(nodes)::equals);
    }

    private static String[] allNodes() {
        return lab.nodes().stream().map(LabNode::ipv4).toArray(String[]::new);
    }

    private static void said(String what, Load load) {
        System.out.printf(
                "%s: %d of %d requests failed, the slowest took %d ms%n",
                what, load.failed(), load.requests(), load.max());
    }

    @Test
    void policyCluster_isAnnouncedByEachNode_inBothFamilies_andTheRouterSpreads() {
        pod(1, "a");
        Service service = service(
                "bgp",
                change ->
                        change.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec());
        List<String> ips = Installation.ips(service);
        awaitNextHops(ips.getFirst(), allNodes());
        awaitNextHops(ips.getLast(), lab.nodes().stream().map(LabNode::ipv6).toArray(String[]::new));
        for (String url : List.of(url(ips.getFirst()), url(ips.getLast()))) {
            // Each node's kube-proxy learns of the address by itself.
            List<Reply> replies =
                    await(() -> lab.client().get(url, 30), all -> all.stream().allMatch(Reply::ok));
            // Each node puts its own address in the client's place.
            assertThat(replies.stream().map(Reply::source).collect(Collectors.toSet()))
                    .hasSizeGreaterThan(1);
        }
        assertThat(agents.getFirst().announcements())
                .contains(ips.getFirst() + ": announced by BGP to router; next hop 10.77.0.11\n");
        assertThat(agents.getFirst().metrics())
                .contains("berth_agent_bgp_sessions 1.0")
                .contains("berth_agent_bgp_routes 2.0")
                .containsPattern("berth_agent_convergence_seconds_count\\{protocol=\"bgp\",?} [1-9]");
        Promtool.requireAnswers(lab.folder(), agents.getFirst().metrics(), Monitoring.panels(Monitoring.Source.AGENT));
        Traffic.awaitAnnounced(
                lab,
                service,
                "3 nodes",
                "True Announced: nodes node1, node2, node3 announce %s by BGP; nodes node1, node2, node3 announce %s by BGP"
                        .formatted(ips.getFirst(), ips.getLast()));
        assertThat(lab.controlPlane().kubectl("get", "agentreport", "node1", "--no-headers"))
                .matches("(?s)node1 +0 +2 .*");
        BGPPeer peer = awaitPeer("router", BgpTrafficIT::isReady);
        assertThat(ready(peer).getMessage()).isEqualTo("3 of 3 nodes have a session");
        assertThat(peer.getStatus().nodes())
                .extracting(BGPPeer.NodeSession::node, BGPPeer.NodeSession::state)
                .containsExactlyInAnyOrder(
                        tuple("node1", "Established"), tuple("node2", "Established"), tuple("node3", "Established"));
        assertThat(operator.metric("berth_service_announced_seconds_count")).isPositive();
    }

    @Test
    void policyLocal_followsTheEndpoints_keepsTheClientsAddress_andNoRequestFails_butOneThatIsUnderWay() {
        LabPod first = pod(1, "a");
        Service local = service("bgp", Traffic::local);
        awaitNextHops(ip(local), lab.node(1).ipv4());
        assertThat(awaitReply(lab.client(), url(local)).source()).isEqualTo("10.78.0.2");
        await(
                () -> agents.getLast().announcements(),
                said -> said.contains(
                        ip(local) + ": externalTrafficPolicy is Local, and the node has no ready endpoint"));

        LabPod second = pod(2, "b");
        awaitNextHops(ip(local), lab.node(1).ipv4(), lab.node(2).ipv4());
        awaitEachAnswers(local, first, second);
        CompletableFuture<Load> load = lab.client().load(url(local), 600, CLIENTS, "5ms");
        long began = System.nanoTime();
        first.terminate();
        awaitNextHops(ip(local), lab.node(2).ipv4());
        System.out.printf(
                "endpoint terminates, until the router's kernel has no route there: at most %d ms%n",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        first.close();
        said("an endpoint terminates", load.join());
        assertOnlyFailedWhatWasUnderWay(load.join(), CLIENTS);
        assertThat(awaitReply(lab.client(), url(local)).name()).isEqualTo(second.name());

        Traffic.awaitAnnounced(lab, local, "node2", "True Announced: node node2 announces " + ip(local) + " by BGP");
        second.close();
        awaitNextHops(ip(local));
        Traffic.awaitAnnounced(
                lab,
                local,
                "nobody",
                "False NoEndpoints: no node announces " + ip(local) + ": its Services have no ready endpoint");
        await(
                () -> agents.getFirst().announcements(),
                said -> said.contains(ip(local) + ": its Services have no ready endpoint"));
    }

    /** Each by the kube-proxy of its node, which learns of it by itself. */
    private static void awaitEachAnswers(Service local, LabPod... pods) {
        for (LabPod pod : pods) {
            awaitSome(lab.client(), url(local), reply -> pod.name().equals(reply.name()));
        }
        awaitEach(lab.client(), url(local), 20, Reply::ok);
    }

    @Test
    void agentThatIsBack_findsWhatIsAnnounced_andPutsItRight() {
        pod(1, "a");
        Service gone = service("bgp", UnaryOperator.identity());
        awaitNextHops(ip(gone), allNodes());
        List<Session> before = sessions();
        agents.getFirst().kill();
        Service next = Traffic.service(lab, namespace, "next", "bgp", UnaryOperator.identity());
        lab.installation().deleteService(namespace, "web");
        awaitNextHops(ip(gone), lab.node(1).ipv4());
        awaitNextHops(ip(next), lab.node(2).ipv4(), lab.node(3).ipv4());
        agents.getFirst().start().awaitReady();
        awaitNextHops(ip(gone));
        awaitNextHops(ip(next), allNodes());
        List<Session> now = sessions();
        assertThat(areSame(before, now)).as("%s, before %s", now, before).isTrue();
    }

    /** A session as BIRD has it. */
    private record Session(String name, String info, LocalTime since) {
        static Session of(String line) {
            List<String> words = List.of(line.strip().split("\\s+", -1));
            return new Session(words.getFirst(), words.getLast(), LocalTime.parse(words.get(4)));
        }

        /** BIRD reckons the time again with each answer, and may be off by a millisecond. */
        boolean isSame(Session other) {
            return name.equals(other.name)
                    && info.equals(other.info)
                    && Duration.between(since, other.since).abs().toMillis() < 100;
        }

        boolean isUp() {
            return info.equals("Established");
        }
    }

    private static List<Session> sessions() {
        return router.ask("show protocols")
                .lines()
                .filter(line -> line.startsWith("node") && line.contains("BGP"))
                .map(Session::of)
                // Those of a peer that only some tests have come and go.
                .filter(session -> !session.name().endsWith("_6"))
                .toList();
    }

    private static boolean areSame(List<Session> some, List<Session> others) {
        return some.size() == others.size()
                && IntStream.range(0, some.size()).allMatch(i -> some.get(i).isSame(others.get(i)));
    }

    @Test
    void agentOrSpeakerThatIsKilled_isMissedByNobody() {
        pod(1, "a");
        // All traffic goes by that node alone.
        Service local = service("bgp", Traffic::local);
        awaitNextHops(ip(local), lab.node(1).ipv4());
        awaitReply(lab.client(), url(local));
        CompletableFuture<Load> load = lab.client().load(url(local), 600, CLIENTS, "10ms");
        agents.getFirst().kill();
        agents.getFirst().start().awaitReady();
        said("the agent is killed", load.join());
        assertThat(load.join().failed()).isZero();

        List<Session> before = sessions();
        load = lab.client().load(url(local), 800, CLIENTS, "15ms");
        speakers.getFirst().kill();
        speakers.getFirst().start();
        await(BgpTrafficIT::sessions, now -> !areSame(before, now));
        awaitPeer("router", BgpTrafficIT::isReady);
        said("the speaker is killed", load.join());
        assertThat(load.join().failed()).isZero();
        assertThat(router.nextHops(ip(local))).containsExactly(lab.node(1).ipv4());
    }

    @Test
    void nodeThatIsExcluded_announcesNothing_andAgentThatIsStoppedTakesItsRoutesBack() {
        pod(1, "a");
        Service service = service("bgp", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        awaitReply(lab.client(), url(service));
        exclude(lab.node(2), true);
        awaitNextHops(ip(service), lab.node(1).ipv4(), lab.node(3).ipv4());
        await(() -> agents.get(1).announcements(), said -> said.contains(ip(service) + ": the Node is labelled"));
        exclude(lab.node(2), false);
        awaitNextHops(ip(service), allNodes());
        agents.getLast().end();
        awaitNextHops(ip(service), lab.node(1).ipv4(), lab.node(2).ipv4());
        assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
    }

    @Test
    void nodeThatIsDrained_withdrawsWhatOthersAnnounce_beforeItsPodsGo_andNoRequestFails_butOneThatIsUnderWay() {
        LabPod first = pod(1, "a");
        LabPod second = pod(2, "b");
        Service cluster = service("bgp", UnaryOperator.identity());
        Service local = Traffic.service(lab, namespace, "local", "bgp", Traffic::local);
        awaitNextHops(ip(cluster), allNodes());
        awaitNextHops(ip(local), lab.node(1).ipv4(), lab.node(2).ipv4());
        awaitReplies(lab, cluster);
        awaitEachAnswers(local, first, second);
        CompletableFuture<Load> load = lab.client().load(url(cluster), 600, CLIENTS, "5ms");
        CompletableFuture<Load> localLoad = lab.client().load(url(local), 600, CLIENTS, "5ms");
        try {
            lab.node(1).cordon(true);
            awaitNextHops(ip(cluster), lab.node(2).ipv4(), lab.node(3).ipv4());
            awaitNextHops(ip(local), lab.node(2).ipv4());
            await(
                    () -> agents.getFirst().announcements(),
                    said -> said.contains(ip(cluster) + ": the Node is cordoned"));
            first.terminate();
            Load result = load.join();
            said("a node is drained, policy Cluster", result);
            assertOnlyFailedWhatWasUnderWay(result, CLIENTS);
            said("a node is drained, policy Local", localLoad.join());
            assertOnlyFailedWhatWasUnderWay(localLoad.join(), CLIENTS);

            // The last that can deliver it stays.
            lab.node(2).cordon(true);
            awaitNextHops(ip(cluster), lab.node(3).ipv4());
            assertThat(router.nextHops(ip(local))).containsExactly(lab.node(2).ipv4());
            lab.node(3).cordon(true);
            awaitNextHops(ip(cluster), allNodes());
        } finally {
            lab.nodes().forEach(node -> node.cordon(false));
        }
        awaitNextHops(ip(cluster), allNodes());
    }

    private static void exclude(LabNode node, boolean excluded) {
        String label = "node.kubernetes.io/exclude-from-external-load-balancers";
        Conflicts.untilNone(() -> admin().nodes()
                .withName(node.name())
                .edit(object -> excluded
                        ? new NodeBuilder(object)
                                .editMetadata()
                                .addToLabels(label, "")
                                .endMetadata()
                                .build()
                        : new NodeBuilder(object)
                                .editMetadata()
                                .removeFromLabels(label)
                                .endMetadata()
                                .build()));
    }

    @Test
    void classThatNamesAPeer_orItsLabels_isAnnouncedToThatOne_withItsCommunities() {
        peer("router6", "");
        awaitPeer("router6", BgpTrafficIT::isReady);
        loadBalancerClass("marked", Map.of("peers", "router6", "communities", "64512:7,64512:1:2"));
        pod(1, "a");
        Service service = service("marked", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        String routes = router.routes(ip(service));
        assertThat(routes)
                .contains("node1_6", "node2_6", "node3_6")
                .doesNotContain("[node1 ")
                .contains("BGP.community: (64512,7)")
                .contains("BGP.large_community: (64512, 1, 2)")
                .doesNotContain("4294967295");
        assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();

        loadBalancerClass("selecting", Map.of("peerSelector", "family=six"));
        Service selected = Traffic.service(lab, namespace, "selected", "selecting", UnaryOperator.identity());
        await(
                () -> agents.getFirst().announcements(),
                said -> said.contains(ip(selected) + ": no usable BGPPeer that the class allows"));
        lab.controlPlane().kubectl("label", "bgppeer", "router6", "family=six");
        awaitNextHops(ip(selected), allNodes());
        assertThat(router.routes(ip(selected))).contains("node1_6").doesNotContain("[node1 ");
        admin().resources(BGPPeer.class).withName("router6").delete();
        awaitNextHops(ip(service));
    }

    @Test
    void classWithAnAggregationLength_announcesTheNetwork_andKeepsItUntilItsLastAddressGoes() {
        loadBalancerClass("network", Map.of("aggregationLength", "29"));
        pod(1, "a");
        Service first = service("network", UnaryOperator.identity());
        Service second = Traffic.service(lab, namespace, "second", "network", UnaryOperator.identity());
        String network = "10.79.%d.0/29".formatted(pools);
        awaitNextHops(network, allNodes());
        assertThat(router.nextHops(ip(first))).isEmpty();
        assertThat(awaitReply(lab.client(), url(first)).ok()).isTrue();
        assertThat(awaitReply(lab.client(), url(second)).ok()).isTrue();
        assertThat(agents.getFirst().announcements())
                .contains(ip(first) + ": announced by BGP to router; next hop 10.77.0.11, as " + network);
        admin().services().inNamespace(namespace).withName("web").delete();
        await(() -> agents.getFirst().announcements(), all -> !all.contains(ip(first) + ":"));
        assertThat(router.nextHops(network)).containsExactly(allNodes());
        admin().services().inNamespace(namespace).withName("second").delete();
        awaitNextHops(network);
    }

    @Test
    void ipv4ByIpv6NextHops_reachesThePods_andThatARouterDoesNotTakeThemIsSaid() {
        router.takesIpv6NextHops(false);
        peer("router6", ", ipv4NextHop: IPv6, families: [IPv4, IPv6]");
        loadBalancerClass("by6", Map.of("peers", "router6"));
        pod(1, "a");
        Service service = service("by6", UnaryOperator.identity());
        Awaitility.await()
                .untilAsserted(() -> assertThat(agents.getFirst().announcements())
                        .contains(ip(service)
                                + ": announced by BGP to router6; next hop 10.77.0.11; not negotiated, so not"
                                + " announced to: router6"));
        assertThat(router.nextHops(ip(service))).isEmpty();
        awaitPeer(
                "router6",
                peer -> ready(peer).getReason().equals("FamilyNotNegotiated")
                        && ready(peer).getMessage().contains("node1: IPv4 was not negotiated"));

        router.takesIpv6NextHops(true);
        awaitPeer("router6", BgpTrafficIT::isReady);
        await(
                () -> lab.router().ip("-4 route show exact " + ip(service)),
                route -> lab.nodes().stream().allMatch(node -> route.contains("via inet6 " + node.ipv6())));
        awaitReply(lab.client(), url(service));
        assertThat(lab.client().get(url(service), 30)).allMatch(Reply::ok);

        LabNode renumbered = lab.node(2);
        renumbered.namespace().ip("address add fd77::22/64 dev eth0 nodad");
        try {
            renumbered.isSaidToHave("fd77::22");
            await(
                    () -> lab.router().ip("-4 route show exact " + ip(service)),
                    route -> route.contains("via inet6 fd77::22 ") && !route.contains(renumbered.ipv6() + " "));
            assertThat(lab.client().get(url(service), 30)).allMatch(Reply::ok);

            renumbered.isSaidToHave("fd77::22", renumbered.ipv6());
            Awaitility.await()
                    .untilAsserted(() -> assertThat(agents.get(1).log())
                            .containsOnlyOnce("the Node has several InternalIPs of one family: routes have the first of"
                                    + " each as next hop, 10.77.0.12, fd77::22; not used: " + renumbered.ipv6()));
        } finally {
            renumbered.namespace().ip("address del fd77::22/64 dev eth0");
            renumbered.isSaidToHave(renumbered.ipv6());
        }
    }

    @Test
    void bird_asThePageHasIt_spreadsOverAllNodes() {
        try (LabBird bird = new LabBird(lab, "10.79.0.0/16")) {
            peer("bird", "");
            pod(1, "a");
            Service service = service("bgp", UnaryOperator.identity());
            await(() -> bird.nextHops(ip(service)), List.of(allNodes())::equals);
            awaitReply(bird.client(), url(service));
            assertThat(sources(bird.client(), url(service))).hasSizeGreaterThan(1);
            awaitPeer("bird", BgpTrafficIT::isReady);
        }
    }

    /** Which nodes requests come by. */
    private static Set<String> sources(Peer client, String url) {
        return client.get(url, 30).stream().map(Reply::source).collect(Collectors.toSet());
    }

    @Test
    void frr_asThePageHasIt_spreadsOverAllNodes_andKeepsTheRoutesOfASpeakerThatStartsAgain() {
        try (LabFrr frr = new LabFrr(lab, "10.79.0.0/16", 16)) {
            peer("frr", "");
            pod(1, "a");
            Service service = service("bgp", UnaryOperator.identity());
            await(() -> frr.nextHops(ip(service)), List.of(allNodes())::equals);
            awaitReply(frr.client(), url(service));
            assertThat(sources(frr.client(), url(service))).hasSizeGreaterThan(1);
            awaitPeer("frr", BgpTrafficIT::isReady);
            CompletableFuture<Load> load = frr.client().load(url(service), 600, CLIENTS, "15ms");
            List<Session> before = sessions();
            speakers.getFirst().kill();
            speakers.getFirst().start();
            await(BgpTrafficIT::sessions, now -> !areSame(before, now));
            awaitPeer("frr", BgpTrafficIT::isReady);
            said("the speaker is killed, FRR is the router", load.join());
            assertThat(load.join().failed()).isZero();
            assertThat(frr.nextHops(ip(service))).containsExactly(allNodes());
        }
    }

    @Test
    void withoutOperatorAndApiServer_routesStay_andWhatChangesMeanwhileIsPutRight() {
        pod(1, "a");
        Service service = service("bgp", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        awaitReplies(lab, service);
        try {
            operator.close();
            lab.controlPlane().stopApiServer();
            // Its agent alone can tell it what it had announced.
            List<Session> before = sessions();
            speakers.getFirst().kill();
            speakers.getFirst().start();
            await(
                    BgpTrafficIT::sessions,
                    now -> !areSame(before, now) && now.stream().allMatch(Session::isUp));
            awaitNextHops(ip(service), allNodes());
            assertThat(lab.client().get(url(service), 30)).allMatch(Reply::ok);
        } finally {
            lab.controlPlane().startApiServer();
            operator = lab.installation().startOperator();
        }
        agents.forEach(LabAgent::awaitReady);
        Service later = Traffic.service(lab, namespace, "later", "bgp", UnaryOperator.identity());
        awaitNextHops(ip(later), allNodes());
    }

    @Test
    void sessionThatFlaps_takesItsNodesRoutesAway_andBringsThemBack() {
        pod(1, "a");
        Service service = service("bgp", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        awaitReplies(lab, service);
        for (int flaps = 0; flaps < 2; flaps++) {
            router.ask("disable node1");
            awaitNextHops(ip(service), lab.node(2).ipv4(), lab.node(3).ipv4());
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
            await(
                    () -> agents.getFirst().announcements(),
                    said -> said.contains("next hop 10.77.0.11; no session, so not announced to: router\n"));
            await(() -> agents.getFirst().metrics(), said -> said.contains("berth_agent_bgp_routes 0.0"));
            router.ask("enable node1");
            awaitNextHops(ip(service), allNodes());
        }
        awaitPeer(
                "router",
                peer -> isReady(peer)
                        && Objects.requireNonNull(peer.getStatus().nodes()).stream()
                                .allMatch(node -> node.state().equals("Established")));
    }

    @Test
    void routerOfTheOwnAutonomousSystem_getsTheLocalPreference() {
        loadBalancerClass("preferred", Map.of("localPref", "250"));
        router.asn(LabRouter.ASN_OF_NODES);
        peer("router", LabRouter.ASN_OF_NODES, LabRouter.ASN_OF_NODES, "");
        awaitPeer("router", BgpTrafficIT::isReady);
        pod(1, "a");
        Service service = service("preferred", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        assertThat(router.routes(ip(service))).contains("BGP.local_pref: 250").doesNotContain("BGP.local_pref: 100");
        assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();
    }

    /** By itself a packet of a session with another autonomous system gets to the next machine, and no further. */
    @Test
    void routerBeyondAnother_hasASessionWithEbgpMultihop() {
        try (LabRouter far = LabRouter.beyond(lab, lab.client().namespace(), 2)) {
            admin().resource("""
                    apiVersion: berth.dev/v1alpha1
                    kind: BGPPeer
                    metadata: {name: far}
                    spec: {peerAddress: 10.78.0.2, peerASN: %d, myASN: %d, ebgpMultihop: 2, connectRetryTime: 2s}
                    """.formatted(LabRouter.ASN, LabRouter.ASN_OF_NODES))
                    .create();
            awaitPeer("far", BgpTrafficIT::isReady);
            pod(1, "a");
            Service service = service("bgp", UnaryOperator.identity());
            // birdc fails while there is no route.
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .ignoreExceptions()
                    .until(
                            () -> far.routes(ip(service)),
                            routes -> Stream.of(allNodes()).allMatch(node -> routes.contains("BGP.next_hop: " + node)));
        }
    }

    /** FRR, too, knows its neighbour by nothing but the interface. */
    @Test
    void unnumberedPeer_isHeardOnItsInterface_hearsLinkLocalNextHops_andLosesNoRouteWhileTheAgentStartsAgain() {
        try (LabFrr frr = LabFrr.unnumbered(lab, lab.node(1), "10.79.0.0/16", "fd79::/16")) {
            admin().resource("""
                    apiVersion: berth.dev/v1alpha1
                    kind: BGPPeer
                    metadata: {name: leaf}
                    spec: {peerInterface: %s, peerASN: %d, myASN: %d, connectRetryTime: 2s,
                      nodeSelector: {matchLabels: {kubernetes.io/hostname: node1}}}
                    """.formatted(LabFrr.UPLINK, LabRouter.ASN, LabRouter.ASN_OF_NODES))
                    .create();
            pod(1, "a");
            Service service = service(
                    "bgp",
                    change -> change.editSpec()
                            .withIpFamilyPolicy("RequireDualStack")
                            .endSpec());
            List<String> ips = Installation.ips(service);

            await(
                    () -> frr.namespace().ip("-4 route show exact " + ips.getFirst()),
                    route -> route.contains("via inet6 fe80:"));
            await(
                    () -> frr.namespace().ip("-6 route show exact " + ips.getLast()),
                    route -> route.contains("via fe80:"));
            awaitReply(frr.client(), url(ips.getFirst()));
            awaitReply(frr.client(), url(ips.getLast()));
            awaitPeer("leaf", peer -> ready(peer).getStatus().equals("True"));

            Path routes = lab.folder().resolve("routes-frr.log");
            try (ChildProcess _ = frr.namespace().start("routes", lab.folder(), "ip", "-o", "monitor", "route")) {
                agents.getFirst().kill();
                agents.getFirst().start().awaitReady();
                // It has taken over, and had the speaker do something.
                Service other = Traffic.service(lab, namespace, "other", "bgp", UnaryOperator.identity());
                await(
                        () -> frr.namespace().ip("-4 route show exact " + ip(other)),
                        route -> route.contains("via inet6 fe80:"));
                Awaitility.await()
                        .untilAsserted(() ->
                                assertThat(routes).content().contains(ip(other)).doesNotContain("Deleted"));
            }

            agents.getFirst().kill();
            speakers.getFirst().kill();
            agents.getFirst().start();
            // At first it may not have heard the router either.
            BGPPeer unspoken = awaitPeer(
                    "leaf",
                    peer -> ready(peer).getReason().equals("NotEstablished")
                            && lastErrors(peer).stream()
                                    .allMatch(error -> error.startsWith("gobgpd does not respond: ")));
            assertThat(unspoken.getStatus().nodes()).hasSize(1);
            speakers.getFirst().start();
            awaitPeer("leaf", peer -> ready(peer).getStatus().equals("True"));
        }
        // The link is gone with the router.
        BGPPeer without = awaitPeer("leaf", peer -> ready(peer).getReason().equals("Unusable"));
        assertThat(without.getStatus().nodes())
                .singleElement()
                .satisfies(node ->
                        assertThat(node.lastError()).startsWith("node node1 has no interface up0, or it is down"));
    }

    @Test
    void passwordOfASession_isThatOfItsSecret_andWhatIsMissingIsSaid() {
        peer("router", ", passwordSecret: {name: router-md5}");
        BGPPeer without =
                awaitPeer("router", peer -> ready(peer).getMessage().startsWith("0 of 3 nodes have a session"));
        assertThat(ready(without).getReason()).isEqualTo("Unusable");
        assertThat(ready(without).getMessage()).contains("; node1: Secret \"router-md5\" is missing");
        router.password("first");
        secret("first");
        awaitPeer("router", BgpTrafficIT::isReady);
        secret("second");
        BGPPeer refused = awaitPeer("router", peer -> ready(peer).getReason().equals("NotEstablished"));
        assertThat(refused.getStatus().nodes())
                .anySatisfy(node -> assertThat(node.state()).isEqualTo("Connecting"));
        router.password("second");
        awaitPeer("router", BgpTrafficIT::isReady);
    }

    /** GoBGP does not tell what a router sends in place of its OPEN message. */
    @Test
    void routerThatRejectsASession_isNotSaidToBeAway() {
        peer("router", LabRouter.ASN_OF_NODES + 1L, "");
        awaitPeer(
                "router",
                peer -> ready(peer).getReason().equals("NotEstablished")
                        && lastErrors(peer)
                                .contains(LabRouter.IPV4 + " does not answer at port 179, or rejects the session"));
    }

    @Test
    void sessionComesFromTheSourceAddress_andANodeThatDoesNotHaveItIsSaid() {
        LabNode node = lab.node(1);
        String source = "10.77.0.111";
        Namespace namespace = Namespace.create("source");
        lab.plug(namespace, BgpPage.ROUTER_IPV4, BgpPage.ROUTER_IPV6);
        node.namespace().ip("address add " + source + "/24 dev eth0");
        try (LabRouter other =
                LabRouter.of(lab, namespace, "source", new LabRouter.Neighbour(node.name(), source, "fd77::111"))) {
            peer("bird", ", sourceAddress: " + source);
            BGPPeer one = awaitPeer("bird", peer -> ready(peer).getMessage().startsWith("1 of 3 nodes have a session"));
            assertThat(ready(one).getReason()).isEqualTo("Unusable");
            assertThat(ready(one).getMessage())
                    .contains("node2: sourceAddress " + source + " is not an address of node node2");
            pod(1, "a");
            Service service = service("bgp", UnaryOperator.identity());
            await(() -> other.nextHops(ip(service)), List.of(node.ipv4())::equals);
        } finally {
            node.namespace().ip("address del " + source + "/24 dev eth0");
            lab.remove(namespace);
        }
    }

    @Test
    void withoutGracefulRestart_theRouterDropsTheRoutesOfASpeakerThatIsKilled() {
        peer("router", ", gracefulRestartTime: 0s");
        awaitPeer("router", BgpTrafficIT::isReady);
        pod(1, "a");
        Service service = service("bgp", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        speakers.getFirst().kill();
        try {
            awaitNextHops(ip(service), lab.node(2).ipv4(), lab.node(3).ipv4());
        } finally {
            speakers.getFirst().start();
        }
        awaitNextHops(ip(service), allNodes());
    }

    @Test
    void serviceWithoutEndpoints_isAnnounced_ifItsClassSaysSo() {
        loadBalancerClass("always", Map.of("withoutEndpoints", "Announce"));
        Service service = service("always", UnaryOperator.identity());
        awaitNextHops(ip(service), allNodes());
        Traffic.awaitAnnounced(
                lab,
                service,
                "3 nodes",
                "True Announced: nodes node1, node2, node3 announce %s by BGP".formatted(ip(service)));
    }

    private static void secret(String password) {
        admin().resource(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace("berth-agents")
                        .withName("router-md5")
                        .endMetadata()
                        .withStringData(Map.of("password", password))
                        .build())
                .serverSideApply();
    }

    @Test
    void agentWithASpeaker_isLight() {
        agents.forEach(agent ->
                System.out.println("agent with BGP: resident memory " + agent.residentMemory() / 1024 + " MiB"));
        assertThat(agents)
                .allSatisfy(agent -> assertThat(agent.residentMemory()).isLessThan(128 << 10));
    }
}
