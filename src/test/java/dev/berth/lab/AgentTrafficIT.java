package dev.berth.lab;

import static dev.berth.lab.Traffic.assertOnlyFailedWhatWasUnderWay;
import static dev.berth.lab.Traffic.await;
import static dev.berth.lab.Traffic.awaitReplies;
import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.url;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.NotAnnouncedReason;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.lab.Peer.Load;
import dev.berth.lab.Peer.Moment;
import dev.berth.lab.Peer.Reply;
import dev.berth.testing.Conflicts;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Three nodes with an agent each: who answers for an address, and what clients outside the cluster see of that. */
@LabOnly
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class AgentTrafficIT {
    /** The issue allows 2 s on a machine that does nothing else. */
    private static final Duration FAILOVER = Duration.ofSeconds(5);

    /** Who request at once. */
    private static final int CLIENTS = 2;

    private static Lab lab;
    private static OperatorProcess operator;
    private static List<LabAgent> agents;
    private static int pools;

    private String namespace;

    @BeforeAll
    static void start() {
        lab = Lab.start(KubeProxyMode.NFTABLES, 3);
        operator = lab.installation().startOperator();
        loadBalancerClass("l2", "{}");
        Path key = LabAgent.prepare(lab);
        agents = lab.nodes().stream().map(node -> new LabAgent(node, key)).toList();
        agents.forEach(LabAgent::start);
        agents.forEach(LabAgent::awaitReady);
    }

    private static void loadBalancerClass(String name, String parameters) {
        LoadBalancerClass l2 = new LoadBalancerClass();
        l2.setMetadata(new ObjectMetaBuilder().withName(name).build());
        l2.setSpec(Serialization.unmarshal(
                "{\"loadBalancerClass\": \"test.dev/%s\", \"provider\": \"l2\", \"parameters\": %s}"
                        .formatted(name, parameters),
                LoadBalancerClass.Spec.class));
        lab.installation().client().resource(l2).create();
    }

    @AfterAll
    static void stop() {
        agents.forEach(LabAgent::close);
        lab.close();
    }

    @BeforeEach
    void namespace() {
        namespace = lab.namespace("agents");
        pools++;
        assertThat(pools).as("pools that the network of the nodes has room for").isLessThanOrEqualTo(28);
        lab.installation()
                .pool(namespace, "10.77.0.%d/29".formatted(16 + 8 * pools), "fd77::%d:0/124".formatted(pools));
    }

    /** The next test finds three nodes that are equal, wherever this one has ended. */
    @AfterEach
    void heal() {
        lab.installation().client().services().inNamespace(namespace).delete();
        if (!operator.isAlive()) {
            operator = lab.installation().startOperator();
        }
        lab.nodes().forEach(node -> {
            node.pods().forEach(LabPod::close);
            connect(node, true);
            uncut(node);
            node.cordon(false);
        });
        agents.stream().filter(agent -> !agent.isRunning()).forEach(LabAgent::start);
        agents.forEach(LabAgent::awaitReady);
        Awaitility.await()
                .untilAsserted(() -> assertThat(agents).allSatisfy(agent -> {
                    assertThat(agent.metrics()).contains("berth_agent_agents 3.0");
                    assertThat(agent.addresses()).isEmpty();
                }));
    }

    private LabPod pod(int node, String name) {
        return lab.node(node).pod(namespace, namespace + "-" + name, Map.of("app", "web"));
    }

    private Service service(String name, UnaryOperator<ServiceBuilder> change) {
        return Traffic.service(lab, namespace, name, "l2", change);
    }

    private static String ip(Service service) {
        return Installation.ips(service).getFirst();
    }

    private static List<LabAgent> having(String ip) {
        return agents.stream().filter(agent -> agent.has(ip)).toList();
    }

    /** The one that has it, as soon as there is exactly one. */
    private static LabAgent owner(String ip) {
        return await(() -> having(ip), having -> having.size() == 1).getFirst();
    }

    /** The one that has it, as soon as there is exactly one, and not {@code before}. */
    private static LabAgent ownerOtherThan(LabAgent before, String ip) {
        return await(() -> having(ip), having -> having.size() == 1 && having.getFirst() != before)
                .getFirst();
    }

    /** A Service whose address is not on the node of its only pod, answered by now. */
    private Service serviceElsewhere(LabPod pod) {
        return IntStream.range(0, 8)
                .mapToObj(number -> service("web" + number, UnaryOperator.identity()))
                .filter(service -> owner(ip(service)).node() != pod.node())
                .peek(service -> awaitReplies(lab, service))
                .findFirst()
                .orElseThrow();
    }

    /** A Service, answered by now, whose address another node can have as well. */
    private Service serviceThatCanMove(String policy) {
        LabPod pod = pod(1, "a");
        if (policy.equals("Cluster")) {
            return serviceElsewhere(pod);
        }
        pod(2, "b");
        Service service = service("web", Traffic::local);
        awaitReplies(lab, service);
        await(
                () -> owner(ip(service)).announcements(),
                said -> said.contains(ip(service) + ": announced on interface eth0; one more node can deliver it"));
        return service;
    }

    private static void connect(LabNode node, boolean connected) {
        Namespace.HERE.ip("link set to-" + node.name() + (connected ? " up" : " down"));
    }

    private static void said(String what, Duration took) {
        System.out.printf("%s: %d ms%n", what, took.toMillis());
    }

    @Test
    void address_isOnOneNode_whichServesClientsOutside_inBothFamilies() {
        pod(1, "a");
        Service service = service(
                "web",
                change ->
                        change.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec());
        List<String> ips = Installation.ips(service);
        assertThat(ips).hasSize(2);
        for (String url : List.of(url(ips.getFirst()), url(ips.getLast()))) {
            assertThat(awaitReply(lab.client(), url).name()).isEqualTo(namespace + "-a");
        }
        // An address that moves while the agents find each other is on a node for a moment that has given it up
        // already.
        ips.forEach(ip -> await(
                () -> owner(ip),
                owner -> owner.announcements()
                                .contains(ip + ": announced on interface eth0; 2 more nodes can deliver it")
                        && agents.stream()
                                .filter(agent -> agent != owner)
                                .allMatch(agent -> agent.announcements()
                                        .contains(ip + ": node " + owner.node().name() + " announces it"))));
        lab.installation().deleteService(namespace, "web");
        await(() -> ips.stream().flatMap(ip -> having(ip).stream()).toList(), List::isEmpty);
    }

    @Test
    void whoAnnounces_isInTheColumn_andInTheConditionOfTheService_andSoIsWhyNobodyDoes() {
        LabPod pod = pod(1, "a");
        Service service = service("web", UnaryOperator.identity());
        String ip = ip(service);
        awaitAnnouncedByItsOwner(service);
        LabAgent first = owner(ip);
        first.node().cordon(true);
        LabAgent heir = ownerOtherThan(first, ip);
        Pattern convergence = Pattern.compile("berth_agent_convergence_seconds_count\\{protocol=\"l2\",?} [1-9]");
        await(heir::metrics, said -> convergence.matcher(said).find());
        awaitAnnouncedByItsOwner(service);
        pod.close();
        Traffic.awaitAnnounced(
                lab,
                service,
                "nobody",
                "False NoEndpoints: no node announces " + ip + ": its Services have no ready endpoint");
    }

    private static void awaitAnnouncedByItsOwner(Service service) {
        awaitAnnounced(service, () -> owner(ip(service)));
    }

    /** By whoever that is with each look: an agent that an earlier test has started comes last for its first seconds. */
    private static void awaitAnnounced(Service service, Supplier<LabAgent> owner) {
        Traffic.awaitAnnounced(
                lab,
                service,
                () -> owner.get().node().name(),
                node -> "True Announced: node %s announces %s by %s"
                        .formatted(node, ip(service), ip(service).contains(":") ? "NDP" : "ARP"));
    }

    /** Power is cut: its agent is gone, and its network. */
    private Duration powerCut(Service service) {
        LabAgent lost = await(
                () -> {
                    LabAgent before = owner(ip(service));
                    awaitReply(lab.client(), url(service));
                    return before;
                },
                before -> owner(ip(service)) == before);
        long cut = TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
        // First: an agent that still runs takes the address off an interface without a carrier.
        lost.kill();
        connect(lost.node(), false);
        Moment answered = lab.client().until(true, url(service)).join();
        Duration took = Duration.ofNanos(answered.at() - cut);
        said("power cut, to the first request that is answered", took);
        if (operator.isAlive()) {
            // Nobody takes back what the node that is gone has said.
            awaitAnnounced(
                    service,
                    () -> await(
                                    () -> having(ip(service)).stream()
                                            .filter(agent -> agent != lost)
                                            .toList(),
                                    having -> having.size() == 1)
                            .getFirst());
        }
        // Its kernel has not been restarted, so it comes back with the address.
        assertThat(lost.has(ip(service))).isTrue();
        return took;
    }

    /** A Service that another node than that of its only pod answers for, which therefore survives a power cut of it. */
    private Service serviceNeverOnTheNodeOf(LabPod pod, String family) {
        pod.node().cordon(true);
        Service service = service(
                "web", change -> change.editSpec().withIpFamilies(family).endSpec());
        await(
                () -> having(ip(service)),
                having -> having.size() == 1 && having.getFirst().node() != pod.node());
        return service;
    }

    private void powerReturns() {
        agents.stream().filter(agent -> !agent.isRunning()).forEach(agent -> {
            agent.start();
            connect(agent.node(), true);
            agent.awaitReady();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"IPv4", "IPv6"})
    void ownerThatLosesItsPower_isReplaced_andComesBackWithoutASecondOwner(String family) {
        Service service = serviceNeverOnTheNodeOf(pod(1, "a"), family);
        for (int times = Integer.getInteger("lab.cuts", 1); times > 0; times--) {
            Duration took = powerCut(service);
            for (int again = 0; again < 2 && took.compareTo(Limit.of(FAILOVER)) > 0; again++) {
                // It may be that the heir got no processor time.
                powerReturns();
                took = powerCut(service);
            }
            assertThat(took).isLessThan(Limit.of(FAILOVER));
            powerReturns();
            long lost = losses();
            double before = taken();
            // Beyond the time in which one that is new comes last: then it may have the address back, once.
            Awaitility.await()
                    .during(Duration.ofSeconds(6))
                    .untilAsserted(() -> assertThat(taken() - before).isLessThanOrEqualTo(1.0 + losses() - lost));
            owner(ip(service));
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
        }
    }

    /** How often all agents have taken an address so far. */
    private static double taken() {
        return agents.stream()
                .mapToDouble(agent -> metric(agent, "berth_agent_taken_total "))
                .sum();
    }

    /** How often agents that run have lost another, or the API server: where they get no processor time, addresses move. */
    private static long losses() {
        return agents.stream()
                .flatMap(agent -> agent.log().lines())
                .filter(line -> line.matches(".*; lost: \\[.+]|.*API server at .* does not answer"))
                .count();
    }

    /** The sum of the series that begin like this. */
    private static double metric(LabAgent agent, String series) {
        return agent.metrics()
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** Cuts the node from what a rule of nftables names. */
    private static void drop(LabNode node, String hook, String rule) {
        node.namespace().run("nft", "add table inet cut");
        node.namespace().run("nft", "add chain inet cut %s { type filter hook %s priority 0; }".formatted(hook, hook));
        node.namespace().run("nft", "add rule inet cut %s %s drop".formatted(hook, rule));
    }

    private static void uncut(LabNode node) {
        node.namespace().run("sh", "-c", "nft delete table inet cut 2> /dev/null || true");
    }

    @Test
    void nodeThatIsCutFromTheApiServer_leavesItsAddressToOneThatIsNot_andOneOwnerIsLeftWhenItIsBack() {
        Service service = serviceNeverOnTheNodeOf(pod(1, "a"), "IPv4");
        Service gone = service("gone", UnaryOperator.identity());
        owner(ip(gone));
        LabAgent cut = owner(ip(service));
        long began = System.nanoTime();
        drop(
                cut.node(),
                "output",
                "tcp dport " + URI.create(lab.controlPlane().url()).getPort());
        try {
            await(cut::metrics, said -> said.contains("berth_agent_api_server_up 0.0"));
            ownerOtherThan(cut, ip(service));
            said(
                    "cut from the API server, until another node has the address",
                    Duration.ofNanos(System.nanoTime() - began));
            assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();

            // Now it knows of nobody else.
            drop(cut.node(), "input", "udp dport 7948");
            await(() -> having(ip(service)), having -> having.size() == 2);
            assertThat(cut.has(ip(service))).isTrue();
            await(() -> having(ip(gone)), having -> having.contains(cut));
            lab.installation().deleteService(namespace, "gone");
            await(() -> having(ip(gone)), List.of(cut)::equals);
        } finally {
            uncut(cut.node());
        }
        await(() -> having(ip(gone)), List::isEmpty);
        owner(ip(service));
        assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();
    }

    /** What a Node says of itself by which it is to announce nothing. */
    enum Unfit {
        LABELLED(NotAnnouncedReason.NODE_EXCLUDED),
        OUT_OF_SERVICE(NotAnnouncedReason.NODE_OUT_OF_SERVICE),
        NETWORK_UNAVAILABLE(NotAnnouncedReason.NODE_NETWORK_UNAVAILABLE);

        private final NotAnnouncedReason reason;

        Unfit(NotAnnouncedReason reason) {
            this.reason = reason;
        }

        Node set(Node node, boolean unfit) {
            String label = "node.kubernetes.io/exclude-from-external-load-balancers";
            NodeBuilder changed = new NodeBuilder(node);
            return switch (this) {
                case LABELLED ->
                    unfit
                            ? changed.editMetadata()
                                    .addToLabels(label, "")
                                    .endMetadata()
                                    .build()
                            : changed.editMetadata()
                                    .removeFromLabels(label)
                                    .endMetadata()
                                    .build();
                case OUT_OF_SERVICE ->
                    unfit
                            ? changed.editOrNewSpec()
                                    .addNewTaint()
                                    .withKey("node.kubernetes.io/out-of-service")
                                    .withValue("nodeshutdown")
                                    .withEffect("NoExecute")
                                    .endTaint()
                                    .endSpec()
                                    .build()
                            : changed.editOrNewSpec().withTaints().endSpec().build();
                case NETWORK_UNAVAILABLE ->
                    changed.editStatus()
                            .removeMatchingFromConditions(
                                    condition -> condition.getType().equals("NetworkUnavailable"))
                            .addNewCondition()
                            .withType("NetworkUnavailable")
                            .withStatus(unfit ? "True" : "False")
                            .endCondition()
                            .endStatus()
                            .build();
            };
        }

        void set(LabNode node, boolean unfit) {
            Conflicts.untilNone(() -> {
                var object = lab.controlPlane().adminClient().nodes().withName(node.name());
                if (this == NETWORK_UNAVAILABLE) {
                    object.editStatus(found -> set(found, unfit));
                } else {
                    object.edit(found -> set(found, unfit));
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void nodeThatIsNotToAnnounce_handsItsAddressOver(Unfit unfit) {
        pod(1, "a");
        Service service = service("web", UnaryOperator.identity());
        LabAgent before = owner(ip(service));
        unfit.set(before.node(), true);
        try {
            await(before::announcements, said -> said.contains(ip(service) + ": " + unfit.reason.sentence()));
            ownerOtherThan(before, ip(service));
            assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();
        } finally {
            unfit.set(before.node(), false);
        }
    }

    @Test
    void withoutOperatorAndApiServer_addressesStay_andAreTakenOver() {
        Service service = serviceNeverOnTheNodeOf(pod(1, "a"), "IPv4");
        awaitReply(lab.client(), url(service));
        operator.close();
        // An agent needs no operator, also to begin.
        LabAgent again = owner(ip(service));
        again.kill();
        again.start().awaitReady();
        await(again::announcements, said -> said.contains(ip(service) + ":"));
        assertThat(owner(ip(service)).isRunning()).isTrue();
        try {
            lab.controlPlane().stopApiServer();
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
            assertThat(powerCut(service)).isLessThan(Limit.of(FAILOVER));
            // It cannot know that it should not have the address, and another answers for it.
            LabAgent back = agents.stream()
                    .filter(agent -> !agent.isRunning() && agent.has(ip(service)))
                    .findFirst()
                    .orElseThrow();
            back.start();
            connect(back.node(), true);
            ownerOtherThan(back, ip(service));
            await(back::health, said -> said.startsWith("not read from the API server yet: /api/v1/nodes"));
        } finally {
            lab.controlPlane().startApiServer();
            operator = lab.installation().startOperator();
        }
        agents.forEach(LabAgent::awaitReady);
        // What came meanwhile is seen.
        Service later = service("later", UnaryOperator.identity());
        await(
                () -> agents.stream().map(LabAgent::announcements).toList(),
                said -> said.stream().allMatch(text -> text.contains(ip(later) + ":")));
        assertThat(awaitReply(lab.client(), url(later)).ok()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cluster", "Local"})
    void nodeThatIsCordoned_handsItsAddressOver_andNoRequestFails_butOneThatIsUnderWay(String policy) {
        agents.forEach(LabAgent::awaitSteady);
        Service service = serviceThatCanMove(policy);
        Load result = loadWhileItMoves(service);
        said("planned move, policy " + policy + ", the slowest of 600 requests", Duration.ofMillis(result.max()));
        said("the same, the longest time without an answer", Duration.ofMillis(result.gap()));
        assertOnlyFailedWhatWasUnderWay(result, CLIENTS);
    }

    private Load loadWhileItMoves(Service service) {
        for (int times = 1; ; times++) {
            long lost = losses();
            LabAgent before = owner(ip(service));
            CompletableFuture<Load> load = lab.client().load(url(service), 600, CLIENTS, "5ms");
            before.node().cordon(true);
            ownerOtherThan(before, ip(service));
            Load result = load.join();
            if (losses() == lost || times == 3) {
                return result;
            }
            // Where agents get no processor time, it has moved more than once.
            before.node().cordon(false);
        }
    }

    @Test
    void agentThatIsStopped_handsItsAddressesOver_andNoRequestFails_butOneThatIsUnderWay_andLeavesNothing() {
        agents.forEach(LabAgent::awaitSteady);
        Service service = serviceElsewhere(pod(1, "a"));
        LabAgent before = owner(ip(service));
        CompletableFuture<Load> load = lab.client().load(url(service), 600, CLIENTS, "5ms");
        before.end();
        assertThat(before.addresses()).isEmpty();
        assertThat(owner(ip(service))).isNotSameAs(before);
        Load result = load.join();
        said("agent stopped, the slowest of 600 requests", Duration.ofMillis(result.max()));
        assertOnlyFailedWhatWasUnderWay(result, CLIENTS);
        before.start().awaitReady();
    }

    @Test
    void agentThatIsKilled_leavesItsAddresses_andTakesThemUpAgain() {
        LabPod pod = pod(1, "a");
        Service local = service("web", Traffic::local);
        awaitReply(lab.client(), url(local));
        LabAgent owner = owner(ip(local));
        assertThat(owner.node()).isSameAs(pod.node());
        CompletableFuture<Load> load = lab.client().load(url(local), 600, CLIENTS, "5ms");
        owner.kill();
        assertThat(owner.has(ip(local))).isTrue();
        // Not its own: never touched.
        owner.node().namespace().ip("address add 10.77.0.250/32 dev eth0");
        // As kube-proxy has it in mode ipvs, on every node.
        owner.node().namespace().ip("link add kube-ipvs0 type veth peer name ipvs-peer");
        owner.node().namespace().ip("address add " + ip(local) + "/32 dev kube-ipvs0");
        owner.start().awaitReady();
        await(owner::announcements, text -> text.contains(ip(local) + ": announced on interface eth0"));
        assertThat(load.join().failed()).isZero();
        owner.node().namespace().ip("link del kube-ipvs0");

        // What it should not have is found by the next process.
        owner.kill();
        lab.installation().deleteService(namespace, "web");
        assertThat(owner.has(ip(local))).isTrue();
        owner.start().awaitReady();
        await(owner::addresses, List::isEmpty);
        assertThat(owner.node().namespace().ip("-o address show dev eth0")).contains("10.77.0.250/32");
        owner.node().namespace().ip("address del 10.77.0.250/32 dev eth0");
    }

    @Test
    void policyLocal_followsTheEndpoints_andKeepsTheClientsAddress() {
        LabPod first = pod(1, "a");
        Service local = service("web", Traffic::local);
        Reply reply = awaitReply(lab.client(), url(local));
        assertThat(reply.source()).isEqualTo("10.78.0.2");
        assertThat(owner(ip(local)).node()).isSameAs(first.node());

        LabPod second = pod(2, "b");
        first.terminate();
        await(
                () -> having(ip(local)),
                having -> having.size() == 1 && having.getFirst().node() == second.node());
        first.close();
        Reply moved = awaitReply(lab.client(), url(local));
        assertThat(moved.name()).isEqualTo(namespace + "-b");
        assertThat(moved.source()).isEqualTo("10.78.0.2");

        second.close();
        await(() -> having(ip(local)), List::isEmpty);
        await(
                () -> agents.getFirst().announcements(),
                said -> said.contains(ip(local) + ": its Services have no ready endpoint"));
    }

    @Test
    void agentsThatAreCutFromEachOther_eachServeTheirSide_andOneIsLeftWhenTheyHearEachOtherAgain() {
        pod(1, "a");
        Service service = service("web", UnaryOperator.identity());
        LabAgent owner = owner(ip(service));
        List<LabAgent> others = agents.stream().filter(agent -> agent != owner).toList();
        drop(owner.node(), "input", "udp dport 7948");
        await(() -> having(ip(service)), having -> having.size() == 2);
        assertThat(others).anyMatch(agent -> agent.has(ip(service)));
        uncut(owner.node());
        // Not always the same: one that an earlier test has started comes last for its first seconds.
        await(
                () -> owner(ip(service)).announcements(),
                said -> said.contains(ip(service) + ": announced on interface eth0"));
        assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();
    }

    @Test
    void nodeThatHasAnAddressFromSomebodyElse_leavesItToAnother() {
        pod(1, "a");
        Service service = service("web", UnaryOperator.identity());
        LabAgent owner = owner(ip(service));
        LabAgent heir =
                agents.stream().filter(agent -> agent != owner).findFirst().orElseThrow();
        heir.node().namespace().ip("address add " + ip(service) + "/32 dev eth0");
        try {
            agents.stream()
                    .filter(agent -> agent != heir)
                    .forEach(agent -> agent.node().cordon(true));
            await(
                    heir::announcements,
                    text -> text.contains(ip(service) + ": the address is already configured on the node"));
            assertThat(owner(ip(service))).isNotSameAs(heir);
        } finally {
            heir.node().namespace().ip("address del " + ip(service) + "/32 dev eth0");
        }
    }

    @Test
    void addressThatNoInterfaceIsFor_saysWhy_andOneThatARouterHasToSend_isAnnouncedWhereItsClassNamesAnInterface() {
        pod(1, "a");
        String outside = lab.namespace("outside");
        lab.node(1).pod(outside, outside + "-a", Map.of("app", "web"));
        lab.installation().pool(outside, "198.51.100.0/29");
        loadBalancerClass("nope", "{\"interfaces\": \"nope0\"}");
        loadBalancerClass("named", "{\"interfaces\": \"eth0\"}");
        try {
            assertSaidWhy(outside);
        } finally {
            lab.installation().client().services().inNamespace(outside).delete();
        }
    }

    private void assertSaidWhy(String outside) {
        Service missing = Traffic.service(lab, namespace, "missing", "nope", UnaryOperator.identity());
        Service nowhere = Traffic.service(lab, outside, "nowhere", "l2", UnaryOperator.identity());
        Service routed = Traffic.service(lab, outside, "routed", "named", UnaryOperator.identity());

        awaitNobody(missing, NotAnnouncedReason.NO_NAMED_INTERFACE);
        awaitNobody(nowhere, NotAnnouncedReason.NO_INTERFACE);
        await(
                () -> owner(ip(routed)).announcements(),
                said -> said.contains(
                        ip(routed) + ": announced on interface eth0, of which no network has the address: a router must"
                                + " send there what is for it; "));
        lab.router().ip("route add " + ip(routed) + " dev eth0");
        assertThat(awaitReply(lab.client(), url(routed)).name()).isEqualTo(outside + "-a");
        lab.router().ip("route del " + ip(routed) + " dev eth0");
    }

    private static void awaitNobody(Service service, NotAnnouncedReason reason) {
        Traffic.awaitAnnounced(
                lab,
                service,
                "nobody",
                "False %s: no node announces %s: %s".formatted(reason.reason(), ip(service), reason.sentence()));
    }

    @Test
    void address_isOnTheInterfaceThatItsClassNames_alsoOnceThatIsAnotherOne() {
        pod(1, "a");
        loadBalancerClass("second", "{\"interfaces\": \"second0\"}");
        LabNode node = lab.node(2);
        secondInterface(node);
        try {
            Service service = Traffic.service(lab, namespace, "web", "second", UnaryOperator.identity());
            LabAgent owner = owner(ip(service));
            assertThat(owner.node()).isSameAs(node);
            awaitOnSecondInterface(node, service);

            node.namespace().ip("link del second0");
            secondInterface(node);
            awaitOnSecondInterface(node, service);
            lab.router().ip("route add " + ip(service) + "/32 dev second0");
            assertThat(awaitReply(lab.client(), url(service)).ok()).isTrue();

            node.namespace().ip("link del second0");
            awaitNobody(service, NotAnnouncedReason.NO_NAMED_INTERFACE);
            assertThat(owner.log()).doesNotContain("off interface", "putting " + ip(service));
        } finally {
            node.namespace().run("sh", "-c", "ip link del second0 2> /dev/null || true");
        }
    }

    /** That leads to the router, as a VLAN may, beside the one by which the node talks to others. */
    private static void secondInterface(LabNode node) {
        Namespace.HERE.ip("link add second0 netns %s type veth peer name second0 netns %s"
                .formatted(node.namespace().name(), lab.router().name()));
        node.namespace().ip("address add 10.81.0.1/24 dev second0");
        lab.router().ip("address add 10.81.0.254/24 dev second0");
        node.namespace().ip("link set second0 up");
        lab.router().ip("link set second0 up");
    }

    private static void awaitOnSecondInterface(LabNode node, Service service) {
        await(
                () -> node.namespace().ip("-o address show dev second0"),
                addresses -> addresses.contains(ip(service) + "/32"));
    }

    @Test
    void anotherMachineThatClaimsAnAddress_isNamed_andTheAddressStays() {
        pod(1, "a");
        Service service = service("web", UnaryOperator.identity());
        Namespace foreign = lab.loadBalancerHost();
        foreign.ip("address add " + ip(service) + "/32 dev eth0");
        try {
            String hardware = foreign.hardware();
            LabAgent owner = await(
                    () -> owner(ip(service)),
                    now -> now.announcements().contains("; another machine claims it: " + hardware));
            assertThat(owner.log())
                    .contains("the machine with hardware address " + hardware + " claims " + ip(service));
            assertThat(owner.metrics()).contains("berth_agent_conflicting_addresses 1.0");
            assertThat(owner.has(ip(service))).isTrue();
            awaitConflict(service, owner);
        } finally {
            foreign.ip("address del " + ip(service) + "/32 dev eth0");
        }
    }

    /** Linux answers ARP at each interface for the addresses of all. */
    @Test
    void anotherInterfaceOfTheNode_isNoOtherMachine_alsoBeforeTheAgentHasHeardOfOthers() {
        LabNode node = pod(1, "a").node();
        Service service = service("web", Traffic::local);
        LabAgent owner = owner(ip(service));
        assertThat(owner.node()).isSameAs(node);
        Namespace.HERE.ip("link add second0 netns %s type veth peer name to-second0"
                .formatted(node.namespace().name()));
        Namespace.HERE.ip("link set to-second0 master br-lab up");
        node.namespace().ip("link set second0 up");
        try {
            owner.kill();
            drop(
                    node,
                    "output",
                    "tcp dport " + URI.create(lab.controlPlane().url()).getPort());
            owner.start();
            // Each is answered before the next is sent.
            await(
                    () -> metric(owner, "berth_agent_neighbour_messages_total{protocol=\"arp\",kind=\"asked\""),
                    asked -> asked >= 3);
            assertThat(owner.has(ip(service))).isTrue();
            uncut(node);
            owner.awaitReady();
            assertThat(owner.log()).doesNotContain("another machine", "the machine with hardware address");
        } finally {
            uncut(node);
            node.namespace().ip("link del second0");
        }
    }

    @Test
    void agentThatOthersCannotFind_announcesNothing_untilItsNodeHasAnAddress() {
        pod(1, "a");
        Service service = service("web", UnaryOperator.identity());
        LabAgent late = agents.getLast();
        owner(ip(service));
        late.node().isRecreatedWithoutAddresses();
        try {
            await(late::health, said -> said.contains("Node node3 has no InternalIP"));
            ownerOtherThan(late, ip(service));

            late.end();
            late.start();
            // Longer than it listens for others.
            Awaitility.await()
                    .during(Duration.ofSeconds(3))
                    .until(() -> late.health().contains("Node node3 has no InternalIP"));
            ownerOtherThan(late, ip(service));
        } finally {
            late.node().isSaidToHave(late.node().ipv6());
        }
        late.awaitReady();
    }

    private static void awaitConflict(Service service, LabAgent owner) {
        String node = owner.node().name();
        Traffic.awaitAnnounced(
                lab,
                service,
                node,
                ("True AddressConflict: node %s announces %s by ARP; another machine claims the address, too: the log of the"
                                + " agent on node %s has its hardware address")
                        .formatted(node, ip(service), node));
    }

    /** Agents of two clusters have different keys. */
    @Test
    void agentsOfAnotherInstallation_thatAnnounceTheSameAddress_areNamedOnBothSides_andNoneFights() throws IOException {
        pod(1, "a");
        LabAgent left = agents.getLast();
        List<LabAgent> rest = agents.subList(0, 2);
        Path key = Files.writeString(lab.folder().resolve("other.key"), "a key of another cluster, for its agents\n");
        left.end();
        await(
                () -> rest.stream().map(LabAgent::metrics).toList(),
                metrics -> metrics.stream().allMatch(said -> said.contains("berth_agent_agents 2.0")));
        try (LabAgent other = new LabAgent(left.node(), key).start().awaitReady()) {
            long lost = losses();
            double told = rest.stream().mapToDouble(AgentTrafficIT::told).sum();
            Service service = service(
                    "web", change -> change.editSpec().withIpFamilies("IPv4").endSpec());
            LabAgent owner = await(
                            () -> rest.stream()
                                    .filter(agent -> agent.has(ip(service)))
                                    .toList(),
                            having -> having.size() == 1)
                    .getFirst();
            awaitNamed(other, owner, service);
            awaitNamed(owner, other, service);
            assertThat(owner.has(ip(service))).isTrue();
            assertThat(other.has(ip(service))).isTrue();
            // As often as where nobody claims it; and again for an agent that was lost, and is back.
            assertThat(rest.stream().mapToDouble(AgentTrafficIT::told).sum() - told)
                    .isPositive()
                    .isLessThanOrEqualTo(TELLINGS * (1.0 + losses() - lost));
            assertThat(told(other)).isLessThanOrEqualTo(TELLINGS);
        } finally {
            left.start().awaitReady();
        }
    }

    /** How many times neighbours are notified of an address that is taken. */
    private static final int TELLINGS = 7;

    private static double told(LabAgent agent) {
        return metric(agent, "berth_agent_neighbour_messages_total{protocol=\"arp\",kind=\"announced\"");
    }

    private static void awaitNamed(LabAgent claimant, LabAgent by, Service service) {
        await(
                by::announcements,
                said -> said.contains(ip(service) + ": announced")
                        && said.contains("; another machine claims it: "
                                + claimant.node().namespace().hardware()));
    }

    @Test
    void agent_isLight() {
        assertThat(agents).allSatisfy(agent -> {
            System.out.println("agent: resident memory " + agent.residentMemory() / 1024 + " MiB");
            assertThat(agent.residentMemory()).isLessThan(105 << 10);
        });
    }
}
