package dev.berth.lab;

import static dev.berth.demo.Narration.kubectl;
import static dev.berth.demo.Narration.say;
import static dev.berth.demo.Narration.seconds;
import static dev.berth.demo.Narration.timed;
import static dev.berth.demo.Narration.title;

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
        LabAgent before = awaitSettled(ip);
        answered("", before);

        title("The node that has the address loses its power");
        long cut = TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
        Namespace.HERE.ip("link set to-" + before.node().name() + " down");
        before.kill();
        long at = lab.client().until(true, Traffic.url(ip)).join().at();
        answered(", %.1f s later".formatted((at - cut) / 1e9), awaitSettled(ip, before));
    }

    /**
     * What is seen at one time. An agent that has just begun may have the address until another's has run for as long.
     *
     * @param having the agents whose nodes have the address
     * @param announced what the status of the address says
     */
    private record Seen(List<LabAgent> having, String announced, Reply reply) {
        boolean isSettled() {
            return having.size() == 1
                    && announced.contains(having.getFirst().node().name())
                    && page(having.getFirst()).equals(reply.name());
        }
    }

    private Seen see(String ip, List<LabAgent> gone) {
        return new Seen(
                agents.stream()
                        .filter(agent -> !gone.contains(agent) && agent.has(ip))
                        .toList(),
                lab.controlPlane().kubectl(ANNOUNCED),
                lab.client().get(Traffic.url(ip)));
    }

    private LabAgent awaitSettled(String ip, LabAgent... gone) {
        return Traffic.await(() -> see(ip, List.of(gone)), Seen::isSettled)
                .having()
                .getFirst();
    }

    private static String page(LabAgent agent) {
        return "page-" + agent.node().number();
    }

    private void answered(String when, LabAgent owner) {
        say("client: %s on %s answers%s", page(owner), owner.node().name(), when);
        kubectl(lab.controlPlane(), ANNOUNCED);
    }
}
