package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.L2Parameters;
import dev.berth.announce.Link;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KnownLinksTest {
    private static final long BEGAN = 5_000_000;
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.10");

    private final List<Exception> failures = new ArrayList<>();
    private final KnownLinks links = new KnownLinks(this::read);
    private int reads;
    private boolean isBroken;

    private HostLinks read(List<L2Parameters> classes) throws IOException {
        reads++;
        if (isBroken) {
            throw new IOException("broken");
        }
        return new HostLinks(List.of(new Link("eth" + reads, "02:00:00:00:00:01", List.of())), Map.of(), Set.of());
    }

    private String look(long now) {
        links.look(List.of(), now, failures::add);
        return links.now().links().stream().map(Link::name).findFirst().orElse("");
    }

    @Test
    void interfaces_areReadOnce_andThenEveryMinute() {
        assertThat(look(BEGAN)).isEqualTo("eth1");
        assertThat(look(BEGAN + KnownLinks.READ_AGAIN - 1)).isEqualTo("eth1");
        assertThat(look(BEGAN + KnownLinks.READ_AGAIN)).isEqualTo("eth2");
    }

    @Test
    void interfacesThatChange_areReadAtOnce_andOnce() {
        look(BEGAN);
        links.change();
        links.change();
        assertThat(look(BEGAN + 1)).isEqualTo("eth2");
        assertThat(look(BEGAN + 2)).isEqualTo("eth2");
    }

    @Test
    void classesThatChange_haveThemReadAtOnce() {
        look(BEGAN);
        links.look(List.of(L2Parameters.DEFAULT), BEGAN + 1, failures::add);
        assertThat(reads).isEqualTo(2);
    }

    @Test
    void thoseThatCannotBeRead_areAsBefore_andAreReadAgainNextTime() {
        look(BEGAN);
        isBroken = true;
        links.change();
        assertThat(look(BEGAN + 1)).isEqualTo("eth1");
        assertThat(failures).hasSize(1);
        isBroken = false;
        assertThat(look(BEGAN + 2)).isEqualTo("eth3");
    }

    private boolean takeLost(int index) {
        return links.takeLost(Stream.of(new LostAddresses.Lost(ADDRESS, index)));
    }

    @Test
    void addressThatIsLost_isSaidOnce() {
        assertThat(takeLost(3)).isFalse();
        links.lose(ADDRESS, 3);
        assertThat(takeLost(3)).isTrue();
        assertThat(takeLost(3)).isFalse();
    }

    @Test
    void addressThatAnotherInterfaceHasLost_isNotLost() {
        links.lose(ADDRESS, 3);
        assertThat(takeLost(4)).isFalse();
    }

    @Test
    void whereSomethingWasMissed_anythingMayBeLost_andInterfacesAreReadAgain() {
        look(BEGAN);
        links.miss();
        assertThat(takeLost(3)).isTrue();
        assertThat(takeLost(3)).isFalse();
        assertThat(look(BEGAN + 1)).isEqualTo("eth2");
    }
}
