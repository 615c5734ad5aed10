package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What docs/l2.md and docs/bgp.md show of what agents say. */
class AnnouncementsPageTest {
    private static final Path L2 = Path.of("docs/l2.md");

    /** The block of code after the sentence that introduces it. */
    private static List<String> shown(String page) throws IOException {
        return Files.readAllLines(Path.of("docs", page)).stream()
                .dropWhile(line -> !line.contains("127.0.0.1:7947/announcements"))
                .dropWhile(line -> !line.startsWith("    "))
                .takeWhile(line -> line.startsWith("    "))
                .map(String::strip)
                .toList();
    }

    @Test
    void ofL2_areAsThePageShows() throws IOException {
        assertThat(shown("l2.md"))
                .containsExactly(
                        "192.168.1.240: " + new Verdict.Announces("eth0", 2, true).sentence(),
                        "192.168.1.241: " + new Verdict.Silent(NotAnnouncedReason.ANOTHER_NODE, "worker-2").sentence(),
                        "192.168.1.242: " + new Verdict.Silent(NotAnnouncedReason.NO_ENDPOINTS, "").sentence());
    }

    private static Announcement announcement(
            String address, SequencedMap<String, List<String>> silent, String... nodes) {
        return new Announcement(Ip.parse(address), Protocol.L2, List.of(nodes), List.of(), List.of(), silent, 3);
    }

    @Test
    void whoAnnouncesAnAddress_isAsThePageShows() throws IOException {
        SequencedMap<String, List<String>> silent = new TreeMap<>();
        silent.put(NotAnnouncedReason.NO_ENDPOINTS.reason().name(), List.of("worker-1", "worker-2", "worker-3"));
        Announcement announced = announcement("192.168.1.240", new TreeMap<>(), "worker-1");

        List<List<String>> columns = TypedPage.step(L2, "kubectl get addresses -o custom-columns")
                .printed()
                .lines()
                .skip(1)
                .map(line -> List.of(line.split("\\s+", -1)).subList(0, 2))
                .toList();
        assertThat(columns)
                .containsExactly(
                        List.of("192.168.1.240", announced.by()),
                        List.of(
                                "192.168.1.242",
                                announcement("192.168.1.242", silent).by()));
        assertThat(TypedPage.step(L2, "kubectl get service web -o jsonpath").printed())
                .isEqualToIgnoringWhitespace(announced.sentence());
    }

    @Test
    void ofBgp_areAsThePageShows() throws IOException {
        Route route = new Route(
                Ip.parse("203.0.113.1"), Ip.parse("192.168.1.12"), List.of("router"), List.of(), Optional.empty());

        assertThat(shown("bgp.md"))
                .containsExactly(
                        "203.0.113.1: " + new RouteVerdict.Announces(route).sentence(),
                        "203.0.113.2: " + new RouteVerdict.Silent(NotAnnouncedReason.NO_LOCAL_ENDPOINTS).sentence());
    }
}
