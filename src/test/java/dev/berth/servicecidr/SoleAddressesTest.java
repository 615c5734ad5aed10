package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SoleAddressesTest {
    private static final long SEEDS = Math.min(300, Long.getLong("property.seeds", 300));

    private static List<ServiceRange> ranges(String... cidrs) {
        return Stream.of(cidrs).map(ServiceRange::parse).toList();
    }

    private static SoleAddresses of(List<ServiceRange> going, List<ServiceRange> staying) {
        return new SoleAddresses(going, staying);
    }

    private static List<String> taken(SoleAddresses sole, ClusterIps ips) {
        return sole.taken(ips).map(one -> one.ip().toString()).toList();
    }

    @Test
    void whatARangeThatStaysHas_isNotSole() {
        ClusterIps ips = Sample.index("10.0.0.1", "10.0.0.64", "10.0.0.65", "10.0.0.127", "10.0.0.200", "10.0.1.1");
        SoleAddresses sole = of(ranges("10.0.0.0/24"), ranges("10.0.0.64/26", "10.0.1.0/24"));

        assertThat(taken(sole, ips)).containsExactly("10.0.0.1", "10.0.0.64", "10.0.0.127", "10.0.0.200");
        assertThat(sole.count(ips)).isEqualTo(4);
    }

    @Test
    void aRangeThatLiesInOneThatStays_hasNone() {
        SoleAddresses sole = of(ranges("10.0.0.0/28"), ranges("10.0.0.0/24"));

        assertThat(sole.count(Sample.index("10.0.0.1"))).isZero();
        assertThat(taken(sole, Sample.index("10.0.0.1"))).isEmpty();
    }

    @Test
    void ofRangesInOneAnother_anAddressCountsOnce() {
        assertThat(of(ranges("10.0.0.0/24", "10.0.0.0/28"), List.of()).count(Sample.index("10.0.0.1")))
                .isEqualTo(1);
    }

    /** The naive search asks each range of each address. */
    @Test
    void theyAreThoseThatANaiveSearchFinds() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<ServiceRange> going = some(random);
            List<ServiceRange> staying = some(random);
            ClusterIps ips = new ClusterIps();
            random.ints(80, 0, 256).forEach(low -> ips.put(Sample.ip("10.0.0." + low)));

            List<ClusterIp> naive = ips.stream()
                    .filter(taken -> going.stream().anyMatch(range -> range.contains(taken.ip())))
                    .filter(taken -> staying.stream().noneMatch(range -> range.contains(taken.ip())))
                    .toList();

            SoleAddresses sole = of(going, staying);
            String world = "seed " + seed + ": " + going + " but for " + staying;
            assertThat(sole.taken(ips)).as(world).containsExactlyElementsOf(naive);
            assertThat(sole.count(ips)).as(world).isEqualTo(naive.size());
        }
    }

    private static List<ServiceRange> some(Random random) {
        List<ServiceRange> ranges = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            ranges.add(ServiceRange.around(Ip.parse("10.0.0." + random.nextInt(256)), 24 + random.nextInt(7)));
        }
        return ranges;
    }
}
