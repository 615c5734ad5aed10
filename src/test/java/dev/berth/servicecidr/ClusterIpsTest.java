package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterIpsTest {
    private static final long SEEDS = Long.getLong("property.seeds", 3_000);
    private static final long FIRST = Long.getLong("property.first", 0);
    private static final int WIDTH = 48;
    private static final IpRange RANGE = IpRange.parse("10.0.0.0/24");

    @Test
    void anObject_isFoundByItsAddress_untilItIsRemoved() {
        ClusterIp object = Sample.ip("10.0.0.7");
        ClusterIps index = Sample.index(List.of(object));

        assertThat(index.get(object.ip())).contains(object);
        assertThat(index.isTaken(object.ip())).isTrue();

        index.remove(object.ip());

        assertThat(index.get(object.ip())).isEmpty();
        assertThat(index.isTaken(object.ip())).isFalse();
    }

    @Test
    void aNewObjectOfAnAddress_takesTheOldOnesPlace() {
        ClusterIps index = Sample.index("10.0.0.7");
        index.track(List.of(RANGE));

        assertThat(index.countOfAllocator(RANGE)).isEqualTo(1);

        index.put(Sample.foreign("10.0.0.7"));

        assertThat(index.get(Ip.parse("10.0.0.7"))).contains(Sample.foreign("10.0.0.7"));
        assertThat(index.size()).isEqualTo(1);
        assertThat(index.count(RANGE)).isEqualTo(1);
        assertThat(index.countOfAllocator(RANGE)).isZero();
    }

    @Test
    void removingWhatIsNotThere_changesNothing() {
        ClusterIps index = Sample.index("10.0.0.7");
        index.track(List.of(RANGE));

        index.remove(Ip.parse("10.0.0.8"));

        assertThat(index.count(RANGE)).isEqualTo(1);
    }

    @Test
    void theNextFreeAddress_isSoughtFromTheStartOfTheRange_notBelow() {
        ClusterIps index = Sample.index("10.0.0.0");

        assertThat(index.nextFree(Ip.parse("9.0.0.1"), RANGE)).contains(Ip.parse("10.0.0.1"));
        assertThat(index.nextFree(Ip.parse("10.0.0.9"), RANGE)).contains(Ip.parse("10.0.0.9"));
        assertThat(index.nextFree(Ip.parse("10.0.1.0"), RANGE)).isEmpty();
    }

    @Test
    void ofLargestFreeBlocks_theLowestIsNamed() {
        assertThat(Sample.index("10.0.0.3", "10.0.0.7").largestFree(IpRange.parse("10.0.0.0-10.0.0.9")))
                .contains(IpRange.parse("10.0.0.0-10.0.0.2"));
        assertThat(Sample.index().largestFree(RANGE)).contains(RANGE);
    }

    @Test
    void aRangeTrackedAgain_countsWhatIsThereAlready_andOthersAreNoLongerKept() {
        ClusterIps index = Sample.index("10.0.0.1", "10.0.0.2", "10.1.0.1");
        index.track(List.of(RANGE));
        index.track(List.of(IpRange.parse("10.1.0.0/24"), IpRange.parse("10.0.0.0/8")));

        index.put(Sample.ip("10.1.0.2"));

        assertThat(index.count(IpRange.parse("10.1.0.0/24"))).isEqualTo(2);
        assertThat(index.count(IpRange.parse("10.0.0.0/8"))).isEqualTo(4);
        assertThat(index.count(RANGE)).isEqualTo(2);
    }

    @Test
    void allObjectsReplaced_areCountedAgain() {
        ClusterIps index = Sample.index("10.0.0.1", "10.0.0.2");
        index.track(List.of(RANGE));

        index.replaceAll(List.of(Sample.ip("10.0.0.9")));

        assertThat(index.stream()).containsExactly(Sample.ip("10.0.0.9"));
        assertThat(index.count(RANGE)).isEqualTo(1);
        assertThat(index.nextFree(Ip.parse("10.0.0.1"), RANGE)).contains(Ip.parse("10.0.0.1"));
    }

    @Test
    void theFamilies_areKeptApart() {
        ClusterIps index = Sample.index("255.255.255.255", "::");

        assertThat(index.stream()).map(ClusterIp::ip).containsExactly(Ip.parse("255.255.255.255"), Ip.parse("::"));
        assertThat(index.count(IpRange.parse("::/0"))).isEqualTo(1);
        assertThat(index.nextFree(Ip.parse("::"), IpRange.parse("::/0"))).contains(Ip.parse("::1"));
    }

    @Test
    void overAnySeeds_everyAnswer_isThatOfANaiveMap() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            Random random = new Random(seed);
            String prefix = random.nextBoolean() ? "10.0.0." : "fd00::";
            ClusterIps index = new ClusterIps();
            NavigableMap<Integer, ClusterIp> naive = new TreeMap<>();
            List<IpRange> tracked =
                    List.of(any(prefix, random).range(), any(prefix, random).range());
            index.track(tracked);
            for (int step = 0; step < 60; step++) {
                change(index, naive, prefix, random);
                compare(seed + ", step " + step, index, naive, prefix, any(prefix, random));
                for (IpRange range : tracked) {
                    compareCounts(seed + ", step " + step, index, naive, range);
                }
            }
        });
    }

    private static void compareCounts(
            String seed, ClusterIps index, NavigableMap<Integer, ClusterIp> naive, IpRange range) {
        List<ClusterIp> in = naive.values().stream()
                .filter(object -> range.contains(object.ip()))
                .toList();
        assertThat(List.of(index.count(range), index.countOfAllocator(range)))
                .as("seed %s: counts of %s", seed, range)
                .isEqualTo(List.of(
                        (long) in.size(),
                        in.stream().filter(ClusterIp::ofAllocator).count()));
    }

    private record Part(int from, int to, IpRange range) {}

    private static Part any(String prefix, Random random) {
        int from = random.nextInt(WIDTH);
        int to = from + random.nextInt(WIDTH - from);
        return new Part(from, to, new IpRange(ip(prefix, from), ip(prefix, to)));
    }

    private static Ip ip(String prefix, int last) {
        return Ip.parse(prefix + (prefix.endsWith(":") ? Integer.toHexString(last) : Integer.toString(last)));
    }

    private static void change(ClusterIps index, NavigableMap<Integer, ClusterIp> naive, String prefix, Random random) {
        int last = random.nextInt(WIDTH);
        if (random.nextInt(5) < 3) {
            Ip ip = ip(prefix, last);
            ClusterIp object = random.nextInt(4) == 0 ? Sample.foreign(ip.toString()) : Sample.ip(ip);
            index.put(object);
            naive.put(last, object);
        } else {
            index.remove(ip(prefix, last));
            naive.remove(last);
        }
    }

    private static void compare(
            String seed, ClusterIps index, NavigableMap<Integer, ClusterIp> naive, String prefix, Part part) {
        assertThat(index.size()).as("seed %s: size", seed).isEqualTo(naive.size());
        assertThat(index.stream().toList()).as("seed %s: all", seed).isEqualTo(List.copyOf(naive.values()));
        assertThat(index.stream(part.range()).toList())
                .as("seed %s: those of %s", seed, part)
                .isEqualTo(List.copyOf(
                        naive.subMap(part.from(), true, part.to(), true).values()));
        compareCounts(seed, index, naive, part.range());
        assertThat(index.get(part.range().lower()))
                .as("seed %s: get %s", seed, part)
                .isEqualTo(Optional.ofNullable(naive.get(part.from())));
        List<Integer> free = IntStream.rangeClosed(part.from(), part.to())
                .filter(last -> !naive.containsKey(last))
                .boxed()
                .toList();
        assertThat(index.free(part.range()))
                .as("seed %s: free of %s", seed, part)
                .isEqualTo(BigInteger.valueOf(free.size()));
        int from = part.from() + (part.to() - part.from()) / 2;
        assertThat(index.nextFree(ip(prefix, from), part.range()))
                .as("seed %s: from %s of %s", seed, from, part)
                .isEqualTo(
                        free.stream().filter(last -> last >= from).findFirst().map(last -> ip(prefix, last)));
        assertThat(index.largestFree(part.range()))
                .as("seed %s: largest of %s", seed, part)
                .isEqualTo(largest(free)
                        .map(run -> new IpRange(ip(prefix, run.getFirst()), ip(prefix, run.getLast()))));
    }

    private static Optional<List<Integer>> largest(List<Integer> free) {
        List<Integer> largest = List.of();
        List<Integer> run = new ArrayList<>();
        @Nullable Integer before = null;
        for (Integer last : free) {
            if (before == null || last != before + 1) {
                run.clear();
            }
            run.add(last);
            before = last;
            if (run.size() > largest.size()) {
                largest = List.copyOf(run);
            }
        }
        return largest.isEmpty() ? Optional.empty() : Optional.of(largest);
    }
}
