package dev.berth.controller.announcement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcement;
import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.controller.Backoff;
import dev.berth.controller.Heartbeats;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of which addresses, and how often, something else is said. */
class AnnouncementControlTest {
    private static final List<Ip> ADDRESSES = IntStream.range(0, 5_000)
            .mapToObj(index -> Ip.parse("10.0." + index / 250 + "." + index % 250))
            .toList();

    private static final Ip FIRST = ADDRESSES.getFirst();

    private record Later(Instant at, Runnable what) {}

    private final PriorityQueue<Later> timer = new PriorityQueue<>(Comparator.comparing(Later::at));
    private final Map<String, NodeReport> reports = new TreeMap<>();
    private final List<Collection<Ip>> told = new ArrayList<>();
    private Map<String, String> renewals = new TreeMap<>();
    private Instant now = Instant.parse("2026-01-02T00:00:00Z");
    private final StartGate gate = new StartGate();

    private final AnnouncementControl control = new AnnouncementControl(
            gate,
            new AnnouncementControl.Agents(
                    node -> Optional.ofNullable(reports.get(node)), reports::keySet, () -> Optional.of(renewals)),
            () -> ADDRESSES,
            () -> SampleClasses.one("berth.dev/l2", "l2", Capabilities.fromPools(IpMode.VIP), null, Classless.NEVER),
            told::add,
            new Timing(
                    () -> now,
                    () -> now,
                    (delay, what) -> {
                        timer.add(new Later(now.plus(delay), what));
                        return () -> {};
                    },
                    new Backoff(new Random(1))));

    @BeforeEach
    void begin() {
        gate.open();
    }

    private void report(String node, String ranges) {
        reports.put(
                node,
                new NodeReport(new TreeMap<>(Map.of(
                        Protocol.L2,
                        new NodeReport.Part(List.of(IpRange.parse(ranges)), List.of(), new TreeMap<>())))));
        control.reconcile(node);
    }

    private void pass(Duration time) {
        Instant end = now.plus(time);
        while (!timer.isEmpty() && !timer.peek().at().isAfter(end)) {
            Later next = timer.remove();
            now = next.at();
            next.what().run();
        }
        now = end;
    }

    private String by(Ip ip) {
        return control.of(ip, "berth.dev/l2").map(Announcement::by).orElse("-");
    }

    /** The operator is restarted after the node that had the address has lost its power. */
    @ParameterizedTest
    @CsvSource({
        "worker-1, 2026-01-01T23:00:00.000000Z",
        "worker-2, 2026-01-01T23:00:00.000000Z",
        "worker-1, 2026-01-01T23:59:10.000000Z",
        "worker-2, 2026-01-01T23:59:10.000000Z"
    })
    void atTheStart_aNodeWhoseAgentWasHeardOfBeforeOthers_doesNotHaveAnAddressThatAnotherHas(
            String dead, String renewed) {
        // Its clock is an hour ahead.
        renewals.put("worker-3", "2026-01-02T01:00:00.000000Z");
        for (String node : List.of("worker-1", "worker-2")) {
            reports.put(
                    node,
                    new NodeReport(new TreeMap<>(Map.of(
                            Protocol.L2,
                            new NodeReport.Part(List.of(IpRange.parse("10.0.0.0")), List.of(), new TreeMap<>())))));
            renewals.put(node, node.equals(dead) ? renewed : "2026-01-01T23:59:50.000000Z");
        }

        control.adopt();

        assertThat(by(FIRST)).isEqualTo(dead.equals("worker-1") ? "worker-2" : "worker-1");
    }

    @Test
    void firstChange_isToldAtOnce_andWhatFollowsTogether() {
        report("worker-1", "10.0.0.0");
        assertThat(told).hasSize(1);
        pass(Duration.ofMinutes(2));
        told.clear();

        report("worker-1", "10.0.0.0-10.0.0.1");
        assertThat(told).containsExactly(List.of(Ip.parse("10.0.0.1")));
        report("worker-1", "10.0.0.0-10.0.0.2");
        report("worker-1", "10.0.0.0-10.0.0.3");
        assertThat(told).hasSize(1);
        pass(AnnouncementControl.SHORTEST);
        assertThat(told).hasSize(2);
        assertThat(told.getLast()).containsExactlyInAnyOrder(Ip.parse("10.0.0.2"), Ip.parse("10.0.0.3"));
    }

    @Test
    void routerThatComesAndGoes_makesHundredAddressesASecondDue_atMost() {
        for (int second = 0; second < 600; second++) {
            report("worker-1", second % 2 == 0 ? "10.0.0.0-10.0.19.249" : "10.1.0.0");
            pass(Duration.ofSeconds(1));
        }
        assertThat(told.stream().mapToInt(Collection::size).sum()).isBetween(5_000, 100 * 600 + 5_000);
        assertThat(told).allSatisfy(batch -> assertThat(batch).doesNotHaveDuplicates());
    }

    @Test
    void agentThatDoesNotRenewItsLease_isNotHeardOf_untilItDoes() {
        report("worker-1", "10.0.0.0");
        control.adopt();
        renewals = Map.of("worker-1", "1");
        pass(AnnouncementControl.LOOK);
        assertThat(by(FIRST)).isEqualTo("worker-1");
        assertThat(control.silentAgents()).isZero();

        pass(Heartbeats.PATIENCE);
        assertThat(by(FIRST)).isEqualTo("unknown");
        assertThat(control.silentAgents()).isOne();
        assertThat(told.getLast()).contains(FIRST);

        reports.put("worker-2", NodeReport.NONE);
        control.reconcile("worker-2");
        pass(Heartbeats.PATIENCE.plus(AnnouncementControl.LOOK));
        assertThat(control.silentAgents())
                .as("one that was stopped is not missed")
                .isOne();

        renewals = Map.of("worker-1", "2");
        pass(AnnouncementControl.LOOK);
        assertThat(by(FIRST)).isEqualTo("worker-1");
        assertThat(control.silentAgents()).isZero();
    }

    @Test
    void reportOfANodeThatIsGone_countsNoMore() {
        report("worker-1", "10.0.0.0");
        control.adopt();
        reports.clear();
        pass(AnnouncementControl.LOOK);
        assertThat(by(FIRST)).isEqualTo("nobody");
    }

    @Test
    void classThatAgentsDoNotAnnounce_hasNothingSaid() {
        report("worker-1", "10.0.0.0");
        assertThat(control.of(FIRST, "berth.dev/pool")).isEmpty();
        assertThat(control.of(FIRST, null)).isEmpty();
    }
}
