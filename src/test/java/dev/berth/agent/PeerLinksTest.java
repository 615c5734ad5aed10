package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Neighbour;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerLinksTest {
    /** An interface of every host; it has no link-local address, so nothing is sent. */
    private static final List<String> LOOPBACK = List.of("lo");

    /** What is wrong with a peer must be reported also while gobgpd does not answer. */
    @Test
    void speakerThatDoesNotAnswer_isAskedAgain_andKeepsNoInterfaceFromBeingKnown() throws SocketException {
        List<String> answers = new ArrayList<>();
        try (PeerLinks links = new PeerLinks(() -> {}, new Warnings(() -> 0))) {
            PeerLinks.Sessions away = () -> {
                answers.add("away");
                throw new IOException("UNAVAILABLE");
            };
            PeerLinks.Sessions there = () -> {
                answers.add("there");
                return List.<Neighbour>of();
            };
            assertThat(links.look(LOOPBACK, away)).containsOnlyKeys("lo");
            assertThat(links.look(LOOPBACK, there)).containsOnlyKeys("lo");
            assertThat(links.look(LOOPBACK, away)).containsOnlyKeys("lo");
        }
        assertThat(answers).containsExactly("away", "there");
    }
}
