package dev.berth.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IpSetTest {
    private static final long SEEDS = Math.min(150, Long.getLong("property.seeds", 150));
    private static final int WIDTH = 40;

    @Test
    void runsThatTouch_becomeOne() {
        IpSet set = IpSet.of(List.of(IpRange.parse("192.0.2.0/31"), IpRange.parse("192.0.2.2-192.0.2.5")));

        assertThat(set.runs()).containsExactly(IpRange.parse("192.0.2.0-192.0.2.5"));
    }

    @Test
    void theLastIpv4_doesNotTouchTheFirstIpv6() {
        IpSet set = IpSet.of(List.of(IpRange.parse("255.255.255.255"), IpRange.parse("::")));

        assertThat(set.runs()).hasSize(2);
        assertThat(set.contains(Ip.parse("::1"))).isFalse();
    }

    @Test
    void aSlash64_isOneRun_andLosesOneAddressInOneStep() {
        IpSet set = IpSet.of(List.of(IpRange.parse("2001:db8::/64")));
        set.remove(Ip.parse("2001:db8::7"));

        assertThat(set.runs()).hasSize(2);
        assertThat(set.size()).isEqualTo(BigInteger.TWO.pow(64).subtract(BigInteger.ONE));
    }

    @Test
    void everything_canBeAddedAndTakenAway() {
        IpSet set = IpSet.of(List.of(IpRange.parse("::/0"), IpRange.parse("0.0.0.0/0")));
        assertThat(set.lowestMissing(IpRange.parse("::/0"))).isEmpty();

        set.removeAll(IpRange.parse("::/0"));
        set.removeAll(IpRange.parse("0.0.0.0/0"));

        assertThat(set.runs()).isEmpty();
    }

    @Test
    void anyAddsAndRemoves_areAsInANaiveSet() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            String prefix = random.nextBoolean() ? "192.0.2." : "2001:db8::";
            IpSet set = new IpSet();
            TreeSet<Integer> model = new TreeSet<>();
            for (int step = 0; step < 60; step++) {
                int from = random.nextInt(WIDTH);
                int to = Math.min(WIDTH - 1, from + random.nextInt(6));
                IpRange range = new IpRange(ip(prefix, from), ip(prefix, to));
                if (random.nextInt(5) < 3) {
                    set.addAll(range);
                    IntStream.rangeClosed(from, to).forEach(model::add);
                } else {
                    set.removeAll(range);
                    IntStream.rangeClosed(from, to).forEach(model::remove);
                }
                compare(seed, set, model, prefix, range, from, to);
            }
        }
    }

    private static void compare(
            long seed, IpSet set, java.util.Set<Integer> model, String prefix, IpRange range, int from, int to) {
        assertThat(set.size()).as("seed %s: size", seed).isEqualTo(BigInteger.valueOf(model.size()));
        for (int i = 0; i < WIDTH; i++) {
            assertThat(set.contains(ip(prefix, i))).as("seed %s: %s", seed, i).isEqualTo(model.contains(i));
        }
        Optional<Ip> missing = IntStream.rangeClosed(from, to)
                .filter(i -> !model.contains(i))
                .mapToObj(i -> ip(prefix, i))
                .findFirst();
        assertThat(set.lowestMissing(range)).as("seed %s: lowest missing", seed).isEqualTo(missing);
        List<IpRange> runs = set.runs();
        for (int i = 1; i < runs.size(); i++) {
            assertThat(runs.get(i - 1).upper().next())
                    .as("seed %s: runs neither touch nor overlap", seed)
                    .isLessThan(runs.get(i).lower());
        }
    }

    private static Ip ip(String prefix, int last) {
        return Ip.parse(prefix + (prefix.endsWith(":") ? Integer.toHexString(last) : Integer.toString(last)));
    }
}
