package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The lines of an agent's /announcements that docs/l2.md and docs/bgp.md show. */
class AnnouncementsPageTest {
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
                        "192.168.1.240: " + new Verdict.Announces("eth0", 2).sentence(),
                        "192.168.1.241: " + new Verdict.Silent(Reason.ANOTHER_NODE, "worker-2").sentence(),
                        "192.168.1.242: " + new Verdict.Silent(Reason.NO_ENDPOINTS, "").sentence());
    }

    @Test
    void ofBgp_areAsThePageShows() throws IOException {
        Route route = new Route(
                Ip.parse("203.0.113.1"), Ip.parse("192.168.1.12"), List.of("router"), List.of(), Optional.empty());

        assertThat(shown("bgp.md"))
                .containsExactly(
                        "203.0.113.1: " + new RouteVerdict.Announces(route).sentence(),
                        "203.0.113.2: " + new RouteVerdict.Silent(Reason.NO_LOCAL_ENDPOINTS).sentence());
    }
}
