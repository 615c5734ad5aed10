package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an agent reports of what it has decided. */
class NodeReportTest {
    private static Ip ip(int last) {
        return Ip.parse("192.0.2." + last);
    }

    private static List<String> texts(List<IpRange> ranges) {
        return ranges.stream().map(IpRange::toString).toList();
    }

    @Test
    void addressesThatFollowEachOther_areOneRun() {
        SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();
        Stream.of(1, 2, 3, 5).forEach(last -> verdicts.put(ip(last), new Verdict.Announces("eth0", 1, true)));
        NodeReport.Part part = NodeReport.Part.ofL2(verdicts, _ -> true, _ -> false);
        assertThat(texts(part.announced())).containsExactly("192.0.2.1-192.0.2.3", "192.0.2.5");
        assertThat(part.silent()).isEmpty();
    }

    @Test
    void whatAnotherNodeAnnouncesByArp_isNotReported_andWhatNobodyDoesIs() {
        SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();
        verdicts.put(ip(1), new Verdict.Silent(NotAnnouncedReason.ANOTHER_NODE, "worker-2"));
        verdicts.put(ip(2), new Verdict.Silent(NotAnnouncedReason.NO_INTERFACE, "worker-2"));
        verdicts.put(ip(3), new Verdict.Silent(NotAnnouncedReason.NO_INTERFACE, ""));
        verdicts.put(ip(4), new Verdict.Announces("eth0", 0, true));
        NodeReport.Part part = NodeReport.Part.ofL2(verdicts, ip -> !ip.equals(ip(4)), _ -> false);
        assertThat(part.announced()).isEmpty();
        assertThat(part.silent().keySet()).containsExactly("AgentNotReady", "NoInterface");
        assertThat(texts(Objects.requireNonNull(part.silent().get("NoInterface"))))
                .containsExactly("192.0.2.3");
    }

    @Test
    void addressThatAnotherMachineClaims_isReported_whereTheNodeHasIt() {
        SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();
        Stream.of(1, 2, 3).forEach(last -> verdicts.put(ip(last), new Verdict.Announces("eth0", 1, true)));
        verdicts.put(ip(4), new Verdict.Silent(NotAnnouncedReason.ANOTHER_NODE, "worker-2"));
        NodeReport.Part part = NodeReport.Part.ofL2(verdicts, ip -> !ip.equals(ip(3)), ip -> !ip.equals(ip(1)));
        assertThat(texts(part.announced())).containsExactly("192.0.2.1-192.0.2.2");
        assertThat(texts(part.conflicting())).containsExactly("192.0.2.2");
    }

    @Test
    void routeThatNoRouterIsTold_isNotAnnounced() {
        SequencedMap<Ip, RouteVerdict> verdicts = new TreeMap<>();
        Stream.of(1, 2)
                .forEach(last -> verdicts.put(
                        ip(last),
                        new RouteVerdict.Announces(
                                new Route(ip(last), ip(250), List.of("router"), List.of(), Optional.empty()))));
        verdicts.put(ip(3), new RouteVerdict.Silent(NotAnnouncedReason.NO_LOCAL_ENDPOINTS));
        NodeReport.Part part =
                NodeReport.Part.ofBgp(verdicts, route -> route.address().equals(ip(1)));
        assertThat(texts(part.announced())).containsExactly("192.0.2.1");
        assertThat(texts(Objects.requireNonNull(part.silent().get("NoSession"))))
                .containsExactly("192.0.2.2");
        assertThat(texts(Objects.requireNonNull(part.silent().get("NoLocalEndpoints"))))
                .containsExactly("192.0.2.3");
    }

    @Test
    void eachReason_isOnThePage() throws IOException {
        String page = Files.readString(Path.of("docs/l2.md"));
        assertThat(NotAnnouncedReason.values())
                .allSatisfy(reason -> assertThat(page).contains("`" + reason.reason() + "`"))
                .allSatisfy(reason -> assertThat(
                                NotAnnouncedReason.sentence(reason.reason().name()))
                        .isEqualTo(reason.sentence()));
    }
}
