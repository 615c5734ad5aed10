package dev.berth.lab;

import static dev.berth.demo.Narration.kubectl;
import static dev.berth.demo.Narration.say;
import static dev.berth.demo.Narration.seconds;
import static dev.berth.demo.Narration.timed;
import static dev.berth.demo.Narration.title;

import dev.berth.demo.Unexpected;
import dev.berth.lab.Peer.Reply;
import dev.berth.testing.Installation;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The second part of {@code make demo}, for root on Linux: packets. A client beyond a router is answered at the address of a
 * Service, also after the node that had it is gone. Ends with exit code 0 if all was as expected, else with 1.
 */
final class TrafficDemo {
    private static final String SCENE = "src/test/resources/dev/berth/demo/lan.yaml";
    private static final String NAMESPACE = "default";
    private static final String[] ANNOUNCED = {
        "get", "addresses", "-o", "custom-columns=ADDRESS:.spec.address,ANNOUNCED-BY:.status.announcement.by"
    };

    private final Lab lab;
    private final List<LabAgent> agents;

    private TrafficDemo(Lab lab, List<LabAgent> agents) {
        this.lab = lab;
        this.agents = agents;
    }

    /** No arguments. */
    public static void main(String... arguments) throws Exception {
        Playground.requireLab();
        Program.run(TrafficDemo::play);
    }

    private static int play() {
        long start = System.nanoTime();
        title("Packets: a client, a router, and three nodes in network namespaces");
        try (Lab lab = timed(
                        "Kubernetes %s, kube-proxy on each node".formatted(KubeBinaries.KUBERNETES),
                        () -> Lab.start(KubeProxyMode.NFTABLES, 3));
                OperatorProcess _ = timed("Berth", () -> lab.installation().startOperator())) {
            List<LabAgent> agents = timed("an agent on each node", () -> agents(lab));
            try {
                new TrafficDemo(lab, agents).show();
            } finally {
                agents.forEach(LabAgent::close);
            }
        } catch (RuntimeException failure) {
            System.out.flush();
            System.err.println("\n" + Objects.requireNonNullElse(failure.getMessage(), failure.toString()));
            return 1;
        }
        say("%nEverything was as expected, and everything is stopped: %.0f s.", seconds(start));
        return 0;
    }

    private static List<LabAgent> agents(Lab lab) {
        Path key = LabAgent.prepare(lab);
        List<LabAgent> agents = lab.nodes().stream()
                .map(node -> new LabAgent(node, key).start())
                .toList();
        agents.forEach(LabAgent::awaitReady);
        return agents;
    }

    private void show() {
        lab.awaitPodsAllowed(NAMESPACE);
        lab.nodes().forEach(node -> node.pod(NAMESPACE, "page-" + node.number(), Map.of("app", "page")));
        kubectl(lab.controlPlane(), "apply", "-f", SCENE);
        String ip = Installation.ips(lab.installation().awaitAddress(NAMESPACE, "page"))
                .getFirst();
        String url = Traffic.url(ip);
        LabAgent before = awaitOwner(ip);
        answered("", Traffic.awaitReply(lab.client(), url), before);
        announced(before);

        title("The node that has the address loses its power");
        long cut = TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
        Namespace.HERE.ip("link set to-" + before.node().name() + " down");
        before.kill();
        long at = lab.client().until(true, url).join().at();
        LabAgent after = awaitOwner(ip, before);
        answered(", %.1f s later".formatted((at - cut) / 1e9), Traffic.awaitReply(lab.client(), url), after);
        announced(after);
    }

    private LabAgent awaitOwner(String ip, LabAgent... gone) {
        return Traffic.await(
                        () -> agents.stream()
                                .filter(agent -> !List.of(gone).contains(agent) && agent.has(ip))
                                .toList(),
                        having -> having.size() == 1)
                .getFirst();
    }

    private static void answered(String when, Reply reply, LabAgent owner) {
        say(
                "client: page-%d on %s answers%s",
                owner.node().number(), owner.node().name(), when);
        Unexpected.unless(
                ("page-" + owner.node().number()).equals(reply.name()),
                "an answer of the Pod on " + owner.node().name(),
                String.valueOf(reply));
    }

    private void announced(LabAgent owner) {
        Traffic.await(
                () -> lab.controlPlane().kubectl(ANNOUNCED),
                said -> said.contains(owner.node().name()));
        kubectl(lab.controlPlane(), ANNOUNCED);
    }
}
