package dev.berth.pool;

import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each reason for which a pool of four addresses refuses: its check, and what is said of it. */
class RefusalReasonTest {
    private static final IpRange FOUR = IpRange.parse("192.0.2.0/30");
    private static final Requester ANYONE = new Requester(List.of(), Map.of(), Map.of());
    private static final PoolRequest ANY = new PoolRequest(IPV4, Optional.empty(), List.of(), ANYONE);
    private static final Use UNUSED = new Use(null, 0, 4, true);
    private static final Held SHAREABLE = new Held(true, Optional.empty(), true);

    private record Use(@Nullable HeldAddress held, int used, int left, boolean isInTurn) implements Occupancy {
        @Override
        public String whereItIs() {
            return "AddressPool \"other\" has it";
        }

        @Override
        public String namespace() {
            return "prod";
        }

        @Override
        public BigInteger free() {
            return BigInteger.valueOf(left);
        }
    }

    private record Held(boolean isOfItsKey, Optional<String> obstacle, boolean canBeJoined) implements HeldAddress {
        @Override
        public String holder() {
            return "192.0.2.0 is reserved";
        }
    }

    /**
     * What a pool is asked for, and why it refuses.
     *
     * @param detail what is known besides
     * @param clause what is said
     */
    record Row(RefusalReason reason, Pool pool, PoolRequest asked, Occupancy use, String detail, String clause) {}

    private static Pool pool(UnaryOperator<PoolPolicy> change) {
        return new Pool("edge", Set.of(IPV4), List.of(FOUR), change.apply(PoolPolicy.OPEN), true);
    }

    private static Pool open() {
        return pool(policy -> policy);
    }

    private static PoolRequest asking(IpFamily family, @Nullable String ip) {
        return new PoolRequest(family, Optional.ofNullable(ip).map(Ip::parse), List.of(), ANYONE);
    }

    private static PoolRequest ofClass(String... pools) {
        return new PoolRequest(IPV4, Optional.empty(), List.of(), new Requester(List.of(pools), Map.of(), Map.of()));
    }

    private static PoolRequest naming(String... pools) {
        return new PoolRequest(IPV4, Optional.empty(), List.of(pools), ANYONE);
    }

    private static Use ofOthers(Held held) {
        return new Use(held, 0, 4, true);
    }

    private static Row row(
            RefusalReason reason, Pool pool, PoolRequest asked, Occupancy use, String detail, String said) {
        return new Row(reason, pool, asked, use, detail, "AddressPool \"edge\" " + said);
    }

    /** One that the pool alone decides. */
    private static Row row(RefusalReason reason, Pool pool, PoolRequest asked, String said) {
        return row(reason, pool, asked, UNUSED, "", said);
    }

    static Stream<Row> rows() {
        Selector teamA = new Selector(List.of(new Selector.Requirement("team", Selector.Operator.IN, List.of("a"))));
        PoolRequest first = asking(IPV4, "192.0.2.0");
        return Stream.of(
                row(RefusalReason.NO_SUCH_FAMILY, open(), asking(IPV6, null), "has no IPv6 addresses"),
                row(
                        RefusalReason.NOT_ITS_ADDRESS,
                        open(),
                        asking(IPV4, "198.51.100.0"),
                        UNUSED,
                        "AddressPool \"other\" has it",
                        "does not contain the requested address"),
                row(
                        RefusalReason.NO_ALLOCATABLE_ADDRESSES,
                        new Pool("edge", Set.of(IPV4), List.of(), PoolPolicy.OPEN, true),
                        ANY,
                        "has no IPv4 address to allocate: all are excluded, belong to another pool, or are used by the cluster"),
                row(
                        RefusalReason.UNREADABLE,
                        new Pool("edge", Set.of(IPV4), List.of(FOUR), PoolPolicy.OPEN, false),
                        ANY,
                        "is partly invalid; see its condition Valid"),
                row(RefusalReason.SUSPENDED, pool(policy -> policy.withSuspended(true)), ANY, "is suspended"),
                row(RefusalReason.NOT_IN_CLASS, open(), ofClass("other"), "is not allowed by the Service's class"),
                row(RefusalReason.NOT_NAMED, open(), naming("other"), "is not requested by the Service"),
                row(
                        RefusalReason.NOT_AUTO_ASSIGNED,
                        pool(policy -> policy.withAutoAssign(false)),
                        ANY,
                        "has autoAssign: false"),
                row(
                        RefusalReason.NAMESPACE_NOT_SELECTED,
                        pool(policy -> policy.withSelectors(teamA, Selector.EVERYTHING)),
                        ANY,
                        "does not select its namespace"),
                row(
                        RefusalReason.SERVICE_NOT_SELECTED,
                        pool(policy -> policy.withSelectors(Selector.EVERYTHING, teamA)),
                        ANY,
                        "does not select its labels"),
                row(
                        RefusalReason.IN_USE,
                        open(),
                        first,
                        ofOthers(new Held(false, Optional.empty(), true)),
                        "192.0.2.0 is reserved",
                        "(192.0.2.0 is reserved)"),
                row(
                        RefusalReason.NOT_SHAREABLE,
                        open(),
                        first,
                        ofOthers(new Held(true, Optional.of("TCP/80 is used by Service prod/a"), true)),
                        "TCP/80 is used by Service prod/a",
                        "(TCP/80 is used by Service prod/a)"),
                row(
                        RefusalReason.SHARED_SOON,
                        open(),
                        first,
                        ofOthers(new Held(true, Optional.empty(), false)),
                        "",
                        "has an address that is being claimed for its sharing key"),
                row(
                        RefusalReason.OVER_QUOTA,
                        pool(policy -> policy.withQuota(new Quota(2, Map.of()))),
                        ANY,
                        new Use(null, 2, 2, true),
                        "namespace prod has 2 of 2",
                        "(quota: namespace prod has 2 of 2)"),
                row(RefusalReason.FULL, open(), ANY, new Use(null, 4, 0, true), "", "(0 of 4 free)"),
                row(
                        RefusalReason.OTHERS_WAIT,
                        open(),
                        ANY,
                        new Use(null, 2, 2, false),
                        "",
                        "(2 of 4 free, reserved for Services that have waited longer)"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void poolThatRefuses_saysWhy(Row row) {
        assertThat(row.pool().refuses(row.asked(), row.use())).contains(row.reason());

        Refusal refusal = row.pool().refusal(row.reason(), row.asked(), row.use());
        assertThat(refusal.detail()).isEqualTo(row.detail());
        assertThat(refusal.clause()).isEqualTo(row.clause());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void fullOrNot_itForbidsWhatItAloneDecides(Row row) {
        assertThat(row.pool().forbids(row.asked()))
                .isEqualTo(Optional.of(row.reason()).filter(RefusalReason::isOfPool));
    }

    @Test
    void everyReason_isInTheTable() {
        assertThat(rows().map(Row::reason)).containsExactlyElementsOf(EnumSet.allOf(RefusalReason.class));
    }

    @Test
    void whatThePoolAloneDecides_comesFirst() {
        assertThat(Stream.of(RefusalReason.values()).dropWhile(RefusalReason::isOfPool))
                .isNotEmpty()
                .noneMatch(RefusalReason::isOfPool);
    }

    @Test
    void poolThatHasOneForIt_doesNotRefuse() {
        assertThat(open().refuses(ANY, UNUSED)).isEmpty();
        assertThat(open().refuses(asking(IPV4, "192.0.2.0"), UNUSED)).isEmpty();
        assertThat(open().refuses(ofClass("edge"), UNUSED)).isEmpty();
        assertThat(open().refuses(naming("edge"), UNUSED)).isEmpty();
    }

    @Test
    void poolWithoutAutoAssign_refusesNobodyWhoNamesItOrAnAddress() {
        Pool pool = pool(policy -> policy.withAutoAssign(false));

        assertThat(pool.forbids(ofClass("edge"))).isEmpty();
        assertThat(pool.forbids(naming("edge"))).isEmpty();
        assertThat(pool.forbids(asking(IPV4, "192.0.2.0"))).isEmpty();
    }

    /** It takes nothing of the pool. */
    @Test
    void whoSharesAnAddress_isRefusedForNeitherQuotaNorRoomNorTurn() {
        Pool pool = pool(policy -> policy.withQuota(new Quota(0, Map.of())));

        assertThat(pool.refuses(asking(IPV4, "192.0.2.0"), new Use(SHAREABLE, 4, 0, false)))
                .isEmpty();
    }
}
