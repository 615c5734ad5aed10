package dev.berth.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.ip.IpRange;
import dev.berth.kube.FieldManagers;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes what this node announces into the AgentReport of its name, if it says something else. A thread of its own: an API
 * server that does not answer must hold up nothing else.
 */
final class AgentReports {
    private static final long PAUSE = 1_000;

    /** Of runs of addresses in one report, so that the API server takes it. */
    private static final int MOST = 10_000;

    private final String node;
    private final ApiServer server;
    private final ClusterView cluster;
    private final Renewal renewal;
    private final Warnings warnings;
    private final ReportPace pace;

    private final Map<Protocol, Latest> parts = new EnumMap<>(Protocol.class);

    private @Nullable Written written;
    private final OrderedWrites writes = new OrderedWrites();

    /**
     * What was written last.
     *
     * @param uid of the Node: with it the API server deletes the report
     */
    private record Written(String uid, NodeReport report) {}

    /** What is so of one protocol, put into words once somebody asks. */
    private static final class Latest {
        private final Object basis;
        private final Supplier<NodeReport.Part> making;
        private NodeReport.@Nullable Part made;

        Latest(Object basis, Supplier<NodeReport.Part> making) {
            this.basis = basis;
            this.making = making;
        }

        NodeReport.Part part() {
            NodeReport.Part part = made == null ? making.get() : made;
            made = part;
            return part;
        }
    }

    AgentReports(AgentParts parts, Renewal renewal) {
        this.node = parts.node();
        this.server = parts.server();
        this.cluster = parts.cluster();
        this.renewal = renewal;
        this.warnings = parts.warnings();
        this.pace = new ReportPace(parts.random(), millis());
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /**
     * From now on this is so of one protocol. Waits for nothing.
     *
     * @param basis what the part is made from, all of it: compared by equals, for there may be many addresses
     */
    void now(Protocol protocol, Object basis, Supplier<NodeReport.Part> part) {
        synchronized (parts) {
            Latest before = parts.get(protocol);
            if (before == null || !before.basis.equals(basis)) {
                parts.put(protocol, new Latest(basis, part));
            }
        }
    }

    void start() {
        Thread.ofPlatform().daemon().name("reports").start(this::run);
    }

    private void run() {
        try {
            while (!writes.isOver()) {
                try {
                    report();
                } catch (RuntimeException failure) {
                    warnings.warn("AgentReport: " + ApiServer.message(failure));
                }
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** One round; called by one thread. */
    void report() throws InterruptedException {
        // Of a Node that is gone the API server deletes the report.
        Optional<String> uid = cluster.uid(node);
        if (uid.isEmpty()) {
            return;
        }
        renewal.renew();
        NodeReport report = current();
        Written now = new Written(uid.get(), report);
        // Nothing is decided yet: what an earlier process has announced, and written, stays.
        if (report.parts().isEmpty() || !pace.isDue(!now.equals(written), cluster.nodeCount(), millis())) {
            return;
        }
        try {
            writes.next(() -> {
                write(report, uid.get(), ApiServer.ANSWER);
                written = now;
                pace.wrote(millis());
            });
        } catch (IOException failure) {
            pace.failed(millis());
            warnings.warn("AgentReport: " + ApiServer.message(failure));
        }
    }

    private NodeReport current() {
        SequencedMap<Protocol, Latest> latest;
        synchronized (parts) {
            latest = new TreeMap<>(parts);
        }
        SequencedMap<Protocol, NodeReport.Part> now = new TreeMap<>();
        latest.forEach((protocol, one) -> now.put(protocol, one.part()));
        return new NodeReport(now);
    }

    private void write(NodeReport report, String uid, Duration patience) throws IOException, InterruptedException {
        server.apply(
                "/apis/berth.dev/v1alpha1/agentreports/" + node,
                FieldManagers.agent(node),
                applied(node, uid, report),
                patience);
    }

    /**
     * Says that nothing is announced any more, as far as the API server answers in this time; twice that, if it has not answered the
     * report before.
     */
    void close(Duration patience) {
        Optional<String> uid = cluster.uid(node);
        try {
            writes.last(patience, () -> {
                if (uid.isPresent()) {
                    write(NodeReport.NONE, uid.get(), patience);
                }
            });
        } catch (IOException failure) {
            warnings.warn("AgentReport: " + ApiServer.message(failure));
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What is applied.
     *
     * @param uid of the Node, with which it goes
     */
    static String applied(String node, String uid, NodeReport report) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "berth.dev/v1alpha1").put("kind", "AgentReport");
        object.putObject("metadata")
                .put("name", node)
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", node)
                .put("uid", uid);
        ObjectNode spec = object.putObject("spec");
        report.parts().forEach((protocol, part) -> {
            ObjectNode says = spec.putObject(protocol.provider());
            says.put(
                    "announced",
                    part.announced().stream()
                            .mapToInt(range -> range.size().intValue())
                            .sum());
            put(says.putArray("addresses"), part.announced());
            if (!part.conflicting().isEmpty()) {
                put(says.putArray("conflicting"), part.conflicting());
            }
            ArrayNode silent = says.putArray("silent");
            part.silent().forEach((reason, ranges) -> {
                ObjectNode one = silent.addObject().put("reason", reason);
                put(one.putArray("addresses"), ranges);
            });
        });
        return object.toString();
    }

    /** Beyond that nobody knows: it takes more than 10,000 gaps between addresses. */
    private static void put(ArrayNode array, List<IpRange> ranges) {
        ranges.stream().limit(MOST).forEach(range -> array.add(range.toString()));
    }
}
