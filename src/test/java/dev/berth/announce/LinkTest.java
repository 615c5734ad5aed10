package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Of which interfaces the others are told. */
class LinkTest {
    private static final DesiredAddress ASKED =
            new DesiredAddress(Ip.parse("10.0.199.5"), List.of(), L2Parameters.DEFAULT);

    private static Link link(String name, String... networks) {
        return new Link(
                name,
                "02:00:00:00:00:01",
                List.of(networks).stream().map(IpRange::parse).toList());
    }

    private static List<Link> links(int count) {
        return new ArrayList<>(IntStream.range(0, count)
                .mapToObj(number -> link("vlan%03d".formatted(number), "10.0.%d.0/24".formatted(number)))
                .toList());
    }

    @Test
    void fewInterfaces_areToldWhole_alsoThoseThatNoAddressNeeds() {
        assertThat(Link.told(links(Link.MOST), () -> List.of(ASKED))).isEqualTo(links(Link.MOST));
    }

    @Test
    void ofManyInterfaces_thoseThatAnAddressBelongsOnAreTold() {
        List<Link> told = Link.told(links(200), () -> List.of(ASKED));
        assertThat(told).hasSize(Link.MOST).extracting(Link::name).contains("vlan199", "vlan000");
        assertThat(Link.forAddress(ASKED.address(), L2Parameters.DEFAULT, told))
                .isEqualTo(Link.forAddress(ASKED.address(), L2Parameters.DEFAULT, links(200)));
    }

    @Test
    void ofManyNetworks_thoseThatHaveAnAddressAreTold() {
        Link many = link(
                "eth0",
                IntStream.range(0, 250).mapToObj("10.0.%d.0/24"::formatted).toArray(String[]::new));
        List<Link> told = Link.told(List.of(many), () -> List.of(ASKED));
        assertThat(told.getFirst().networks()).hasSize(Link.MOST_NETWORKS).contains(IpRange.parse("10.0.199.0/24"));
    }
}
