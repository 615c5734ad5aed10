package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RangeUnionTest {
    private static final long SEEDS = Math.min(300, Long.getLong("property.seeds", 300));

    private static RangeUnion of(String... cidrs) {
        return new RangeUnion(Stream.of(cidrs).map(ServiceRange::parse).toList());
    }

    private static List<String> text(List<ServiceRange> ranges) {
        return ranges.stream().map(ServiceRange::toString).toList();
    }

    @Test
    void ofRangesInOneAnother_theOutermostStays() {
        assertThat(text(of("10.0.0.64/26", "10.0.0.0/24", "10.0.0.0/24", "10.0.0.0/25", "10.0.1.0/24", "fd00::/64")
                        .ranges()))
                .containsExactly("10.0.0.0/24", "10.0.1.0/24", "fd00::/64");
    }

    @Test
    void whatARangeNeverGives_itDoesNotContain() {
        RangeUnion union = of("10.0.0.0/24", "10.0.1.0/24");

        assertThat(union.contains(Ip.parse("10.0.0.254"))).isTrue();
        assertThat(union.contains(Ip.parse("10.0.0.255"))).isFalse();
        assertThat(union.contains(Ip.parse("10.0.1.0"))).isFalse();
        assertThat(union.contains(Ip.parse("10.0.2.1"))).isFalse();
        assertThat(union.contains(Ip.parse("fd00::1"))).isFalse();
    }

    @Test
    void anInnerRangesEnds_areGivenByTheOuterOne() {
        assertThat(of("10.0.0.0/24", "10.0.0.64/26").contains(Ip.parse("10.0.0.64")))
                .isTrue();
    }

    @Test
    void aUnionContains_whatOneOfItsRangesContains() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<ServiceRange> ranges = new ArrayList<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                ranges.add(ServiceRange.around(ip(random), 26 + random.nextInt(7)));
            }
            RangeUnion union = new RangeUnion(ranges);
            for (int low = 0; low < 256; low++) {
                Ip ip = Ip.parse("10.0.0." + low);
                assertThat(union.contains(ip))
                        .as("seed %d: %s of %s", seed, ip, ranges)
                        .isEqualTo(ranges.stream().anyMatch(range -> range.contains(ip)));
            }
        }
    }

    private static Ip ip(Random random) {
        return Ip.parse("10.0.0." + random.nextInt(256));
    }
}
