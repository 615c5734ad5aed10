package dev.berth.pool;

import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.testing.Answers;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolSetTest {
    private static List<IpRange> ranges(PoolSet book, String pool) {
        return book.named(pool).orElseThrow().ranges();
    }

    @Test
    void aRangeThatOverlapsItsOwnPool_isCountedOnceAndSaid() {
        PoolSet book = poolSet(pool("edge", "192.0.2.0/30", "192.0.2.2-192.0.2.5"));

        assertThat(book.faults("edge"))
                .containsExactly(
                        "range 192.0.2.2-192.0.2.5 overlaps 192.0.2.0-192.0.2.3 of the same pool; remove one of them");
        assertThat(ranges(book, "edge")).containsExactly(IpRange.parse("192.0.2.0-192.0.2.5"));
    }

    @Test
    void ofTwoPoolsThatOverlap_theOlderKeepsItsRanges() {
        PoolSet book =
                poolSet(pool("a-younger", 10, 1, "192.0.2.2-192.0.2.9"), pool("z-older", 0, 100, "192.0.2.0/30"));

        assertThat(ranges(book, "z-older")).containsExactly(IpRange.parse("192.0.2.0/30"));
        assertThat(ranges(book, "a-younger")).containsExactly(IpRange.parse("192.0.2.4-192.0.2.9"));
        assertThat(book.faults("z-older")).isEmpty();
        assertThat(book.faults("a-younger"))
                .containsExactly(
                        "range 192.0.2.2-192.0.2.9 overlaps AddressPool \"z-older\" (192.0.2.0-192.0.2.3); nothing is allocated from the overlap");
        assertThat(book.poolOf(Ip.parse("192.0.2.2")).map(Pool::name)).contains("z-older");
    }

    @Test
    void anOverlapWithAServiceCidr_isAFault() {
        PoolSet book = PoolSet.of(
                List.of(pool("edge", "10.96.0.0/24")),
                List.of(new ExcludedRange("ServiceCIDR \"kubernetes\"", List.of(IpRange.parse("10.96.0.0/12")), true)));

        assertThat(book.faults("edge"))
                .containsExactly(
                        "range 10.96.0.0-10.96.0.255 overlaps ServiceCIDR \"kubernetes\" (10.96.0.0-10.111.255.255); nothing is allocated from the overlap");
        assertThat(ranges(book, "edge")).isEmpty();
    }

    @Test
    @Answers("metallb/metallb#364")
    void theAddressOfANode_isLeftOutWithoutAWord() {
        PoolSet book = PoolSet.of(
                List.of(pool("edge", "192.0.2.0/30")),
                List.of(new ExcludedRange("Node \"a\"", List.of(IpRange.parse("192.0.2.1")), false)));

        assertThat(book.faults("edge")).isEmpty();
        assertThat(ranges(book, "edge"))
                .containsExactly(IpRange.parse("192.0.2.0"), IpRange.parse("192.0.2.2-192.0.2.3"));
        assertThat(book.poolOf(Ip.parse("192.0.2.1"))).isEmpty();
    }

    @Test
    void addressOfNoPool_hasACause() {
        PoolDeclaration pool = new PoolDeclaration(
                "edge",
                Instant.EPOCH,
                List.of("192.0.2.0/28", "10.96.0.0/30"),
                List.of("192.0.2.4"),
                true,
                PoolPolicy.OPEN,
                false);
        PoolSet book = PoolSet.of(
                List.of(pool),
                List.of(
                        new ExcludedRange(
                                "Node \"a\"",
                                List.of(IpRange.parse("192.0.2.1"), IpRange.parse("198.51.100.1")),
                                false),
                        new ExcludedRange("ServiceCIDR \"kubernetes\"", List.of(IpRange.parse("10.96.0.0/12")), true)));

        assertThat(book.whyInNone(Ip.parse("192.0.2.2"))).isEmpty();
        assertThat(book.whyInNone(Ip.parse("192.0.2.1"))).contains("Node \"a\" has it");
        assertThat(book.whyInNone(Ip.parse("10.96.0.1"))).contains("ServiceCIDR \"kubernetes\" has it");
        assertThat(book.whyInNone(Ip.parse("10.97.0.1"))).contains("ServiceCIDR \"kubernetes\" has it");
        assertThat(book.whyInNone(Ip.parse("192.0.2.4"))).contains("AddressPool \"edge\" excludes it");
        assertThat(book.whyInNone(Ip.parse("192.0.2.15")))
                .contains("AddressPool \"edge\" does not allocate it: it is the end of a network");
        // Which Nodes a cluster has beside the pools changes all the time, and changes nothing.
        assertThat(book.whyInNone(Ip.parse("198.51.100.1"))).contains("it is outside of every AddressPool");
        assertThat(book.whyInNone(Ip.parse("203.0.113.1"))).contains("it is outside of every AddressPool");
    }

    @Test
    @Answers("metallb/metallb#2779")
    void aRangeBesideANode_isAllocatedWhole_withoutAFault() {
        PoolSet book = PoolSet.of(
                List.of(pool("edge", "192.168.1.5-192.168.1.37")),
                List.of(new ExcludedRange("Node \"a\"", List.of(IpRange.parse("192.168.1.2")), false)));

        assertThat(book.faults("edge")).isEmpty();
        assertThat(ranges(book, "edge")).containsExactly(IpRange.parse("192.168.1.5-192.168.1.37"));
    }

    @Test
    void whatIsExcluded_isLeftOut() {
        PoolSet book = excluding("192.0.2.0");

        assertThat(ranges(book, "edge")).containsExactly(IpRange.parse("192.0.2.1-192.0.2.3"));
        assertThat(book.faults("edge")).isEmpty();
        assertThat(book.named("edge").orElseThrow().isWhole()).isTrue();
    }

    private static PoolSet excluding(String... excluded) {
        PoolDeclaration plain = pool("edge", "192.0.2.0/30");
        return poolSet(new PoolDeclaration(
                plain.name(), plain.created(), plain.addresses(), List.of(excluded), false, plain.policy(), false));
    }

    @Test
    void whileAnExclusionCannotBeRead_nothingNewIsAllocated_forItMayBeAnyAddress() {
        PoolSet book = excluding("192.0.2.0", "192.0.2.9-192.0.2.8");

        assertThat(book.named("edge").orElseThrow().isWhole()).isFalse();
        assertThat(book.faults("edge"))
                .containsExactly(
                        "excluded 192.0.2.9-192.0.2.8 ends before it starts; swap the bounds or write it as a CIDR",
                        "nothing is allocated from it until that is corrected");
        // What Services have of it stays theirs.
        assertThat(ranges(book, "edge")).containsExactly(IpRange.parse("192.0.2.1-192.0.2.3"));
    }

    @Test
    void oneBadRange_doesNotSpoilTheOthers() {
        PoolSet book = poolSet(pool("edge", "192.0.2.5/28", "198.51.100.1", "nonsense"));

        assertThat(ranges(book, "edge")).containsExactly(IpRange.parse("198.51.100.1"));
        assertThat(book.faults("edge"))
                .containsExactly(
                        "range 192.0.2.5/28 has host bits set; write 192.0.2.0/28 for the network, or 192.0.2.5 for the one address",
                        "range \"nonsense\" is not an IP address");
    }

    @Test
    void pools_areAskedByPriorityThenName() {
        PoolSet book =
                poolSet(pool("b", 0, 10, "192.0.2.1"), pool("a", 5, 10, "192.0.2.2"), pool("z", 9, 1, "192.0.2.3"));

        assertThat(book.pools().stream().map(Pool::name)).containsExactly("z", "a", "b");
    }

    private static PoolDeclaration withoutEnds(String... addresses) {
        PoolDeclaration plain = pool("edge", addresses);
        return new PoolDeclaration(
                plain.name(), plain.created(), plain.addresses(), List.of(), true, plain.policy(), false);
    }

    @Test
    void networkAndBroadcast_areLeftOutWhenAskedFor_ofCidrsOnly() {
        assertThat(ranges(poolSet(withoutEnds("192.0.2.0/30", "198.51.100.0-198.51.100.3", "nonsense")), "edge"))
                .containsExactly(IpRange.parse("192.0.2.1-192.0.2.2"), IpRange.parse("198.51.100.0/30"));
        assertThat(ranges(poolSet(withoutEnds("192.0.2.0/31", "192.0.2.8/32")), "edge"))
                .containsExactly(IpRange.parse("192.0.2.0/31"), IpRange.parse("192.0.2.8"));
        assertThat(ranges(poolSet(withoutEnds("2001:db8::/64")), "edge"))
                .containsExactly(IpRange.parse("2001:db8::1-2001:db8::ffff:ffff:ffff:ffff"));
    }

    @Test
    void anAddress_isTakenBackByThePoolItCameFrom_onceNoPoolHasIt() {
        PoolDeclaration plain = pool("edge", "192.0.2.0/30");
        PoolDeclaration releasing = new PoolDeclaration(
                plain.name(), plain.created(), plain.addresses(), List.of(), false, plain.policy(), true);

        assertThat(poolSet(releasing).takesBack(Ip.parse("192.0.2.9"), "edge")).isTrue();
        assertThat(poolSet(releasing).takesBack(Ip.parse("192.0.2.9"), "other")).isFalse();
        assertThat(poolSet(releasing).takesBack(Ip.parse("192.0.2.9"), null)).isFalse();
        assertThat(poolSet(releasing).takesBack(Ip.parse("192.0.2.1"), "edge")).isFalse();
        assertThat(poolSet(plain).takesBack(Ip.parse("192.0.2.9"), "edge")).isFalse();
    }
}
