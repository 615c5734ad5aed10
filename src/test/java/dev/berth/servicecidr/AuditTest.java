package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The first table has the cases of upstream's {@code TestRepairServiceIP} (21). */
class AuditTest {
    private static final long SEEDS = Math.min(100, Long.getLong("property.seeds", 100));
    private static final Instant START = Sample.START;
    private static final Instant LATER = START.plusSeconds(3_600);
    private static final ServiceCidr DEFAULT = SampleCidrs.ready("kubernetes", "10.0.0.0/16", "2001:db8::/64");

    private static ClusterService service(String name, Instant created, String... clusterIps) {
        return new ClusterService(new ServiceKey("bar", name), "ClusterIP", List.of(clusterIps), created);
    }

    /** One that was created just after its IPAddresses, as they always are. */
    private static ClusterService service(String name, String... clusterIps) {
        return service(name, START.plusSeconds(1), clusterIps);
    }

    private static ClusterIp ip(String ip, String service, Instant created) {
        return new ClusterIp(
                Ip.parse(ip),
                "uid-" + ip,
                ClusterIp.ALLOCATOR,
                Ip.parse(ip).family().toString(),
                Parent.of(new ServiceKey("bar", service)),
                created);
    }

    private static ClusterIp ip(String ip, String service) {
        return ip(ip, service, START);
    }

    private static ClusterIp managed(String ip, @Nullable String managedBy, @Nullable Parent parent) {
        return new ClusterIp(Ip.parse(ip), "uid-" + ip, managedBy, null, parent, START);
    }

    /** What is looked at. */
    private record World(
            List<ServiceCidr> cidrs, List<ClusterIp> ips, List<ClusterService> services, List<PoolRange> pools) {
        World with(ServiceCidr... more) {
            return new World(Stream.concat(cidrs.stream(), Stream.of(more)).toList(), ips, services, pools);
        }

        World with(ClusterIp... more) {
            return new World(cidrs, Stream.concat(ips.stream(), Stream.of(more)).toList(), services, pools);
        }

        World with(ClusterService... more) {
            return new World(
                    cidrs,
                    ips,
                    Stream.concat(services.stream(), Stream.of(more)).toList(),
                    pools);
        }

        World with(PoolRange... more) {
            return new World(cidrs, ips, services, List.of(more));
        }

        List<Finding> findings(Instant now) {
            return new Audit(cidrs, Sample.index(ips), services, pools, List.of()).findings(now);
        }

        /** {@code REASON OBJECT} of each. */
        List<String> found(Instant now) {
            return findings(now).stream()
                    .map(finding -> finding.fault().reason() + " " + finding.object())
                    .toList();
        }
    }

    private static final World NOTHING = new World(List.of(), List.of(), List.of(), List.of());
    private static final World CLUSTER = NOTHING.with(DEFAULT);

    private record Upstream(String rule, World world, Instant now, List<String> found) {}

    private static Upstream row(String rule, World world, String... found) {
        return new Upstream(rule, world, START, List.of(found));
    }

    private static Upstream row(String rule, World world, int seconds, String... found) {
        return new Upstream(rule, world, START.plusSeconds(seconds), List.of(found));
    }

    private static final ServiceCidr CUSTOM = SampleCidrs.ready("custom", "192.168.0.0/24", "2001:db8:a:b::/64");

    private static final List<Upstream> UPSTREAM = List.of(
            row(
                    "all is well, single-stack",
                    CLUSTER.with(service("a", "10.0.1.1")).with(ip("10.0.1.1", "a"))),
            row(
                    "all is well, dual-stack",
                    CLUSTER.with(service("a", "10.0.1.1", "2001:db8::10"))
                            .with(ip("10.0.1.1", "a"), ip("2001:db8::10", "a"))),
            row(
                    "all is well, dual-stack out of a second ServiceCIDR",
                    CLUSTER.with(CUSTOM)
                            .with(service("a", "192.168.0.1", "2001:db8:a:b::10"))
                            .with(ip("192.168.0.1", "a"), ip("2001:db8:a:b::10", "a"))),
            row(
                    "no IPAddress, single-stack",
                    CLUSTER.with(service("a", "10.0.1.1")),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "no IPAddress, dual-stack",
                    CLUSTER.with(service("a", "10.0.1.1", "2001:db8::10")),
                    "ClusterIPNotAllocated Service/bar/a",
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "no IPAddress, out of a second ServiceCIDR",
                    CLUSTER.with(SampleCidrs.ready("custom", "192.168.1.0/24")).with(service("a", "192.168.1.1")),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "the IPAddress names another Service, single-stack",
                    CLUSTER.with(service("a", "10.0.1.1")).with(ip("10.0.1.1", "b")),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "the IPAddress names another Service, dual-stack",
                    CLUSTER.with(service("a", START.minusSeconds(1), "10.0.1.1", "2001:db8::10"))
                            .with(ip("10.0.1.1", "b"), ip("2001:db8::10", "b")),
                    "ClusterIPNotAllocated Service/bar/a",
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "one of two is out of range",
                    CLUSTER.with(service("a", "192.168.1.1", "2001:db8::10"))
                            .with(ip("192.168.1.1", "a"), ip("2001:db8::10", "a")),
                    "ClusterIPOutOfRange Service/bar/a"),
            row("an orphan, not a minute old", CLUSTER.with(ip("10.0.1.1", "a"))),
            row(
                    "an orphan, more than a minute old",
                    CLUSTER.with(ip("10.0.1.1", "a")),
                    70,
                    "IPAddressNotAllocated IPAddress/10.0.1.1"),
            row(
                    "the network's own address is out of range",
                    CLUSTER.with(service("a", "10.0.0.0")).with(ip("10.0.0.0", "a")),
                    "ClusterIPOutOfRange Service/bar/a"),
            row(
                    "the broadcast address is out of range",
                    CLUSTER.with(service("a", "10.0.255.255")).with(ip("10.0.255.255", "a")),
                    "ClusterIPOutOfRange Service/bar/a"),
            row(
                    "the IPv6 network's own address is out of range",
                    CLUSTER.with(service("a", "2001:db8::")).with(ip("2001:db8::", "a")),
                    "ClusterIPOutOfRange Service/bar/a"),
            row(
                    "the last IPv6 address is in range",
                    CLUSTER.with(service("a", "2001:db8::ffff:ffff:ffff:ffff"))
                            .with(ip("2001:db8::ffff:ffff:ffff:ffff", "a"))),
            row("an orphan at the broadcast address, not a minute old", CLUSTER.with(ip("10.0.255.255", "a"))),
            row(
                    "an orphan at the broadcast address, more than a minute old",
                    CLUSTER.with(ip("10.0.255.255", "a")),
                    90,
                    "IPAddressNotAllocated IPAddress/10.0.255.255"),
            row(
                    "two IPAddresses of one Service, which has one",
                    CLUSTER.with(service("a", "10.0.1.1")).with(ip("10.0.1.1", "a"), ip("10.0.1.2", "a")),
                    "IPAddressWrongReference IPAddress/10.0.1.2"),
            row(
                    "the second is being given back",
                    CLUSTER.with(service("a", "10.0.1.1"))
                            .with(ip("10.0.1.1", "a"), ip("10.0.1.2", "a", START.plusSeconds(2))),
                    3),
            row(
                    "the second was not given back",
                    CLUSTER.with(service("a", "10.0.1.1"))
                            .with(ip("10.0.1.1", "a"), ip("10.0.1.2", "a", START.plusSeconds(2))),
                    10,
                    "IPAddressWrongReference IPAddress/10.0.1.2"),
            row(
                    "two Services with one address",
                    CLUSTER.with(service("a", "10.0.1.1"), service("b", "10.0.1.1"))
                            .with(ip("10.0.1.1", "b")),
                    "ClusterIPAlreadyAllocated Service/bar/a"));

    @Test
    void theRepairLoopsFindings_areFound() {
        assertThat(UPSTREAM)
                .hasSize(21)
                .allSatisfy(row ->
                        assertThat(row.world().found(row.now())).as(row.rule()).isEqualTo(row.found()));
    }

    private static final Parent GATEWAY = new Parent("gateway.networking.k8s.io", "gateways", "bar", "edge");
    private static final Parent ABSENT = Parent.of(new ServiceKey("bar", "absent"));

    private static final List<Upstream> MORE = List.of(
            row("a headless Service", CLUSTER.with(service("a", "None"))),
            row("a Service that has no address yet", CLUSTER.with(service("a", ""), service("b"))),
            row(
                    "an ExternalName",
                    CLUSTER.with(new ClusterService(
                            new ServiceKey("bar", "a"), "ExternalName", List.of("10.0.1.1"), START))),
            row("no address", CLUSTER.with(service("a", "ten")), "ClusterIPNotValid Service/bar/a"),
            row(
                    "an address in an unusual form",
                    CLUSTER.with(service("a", "2001:DB8::1")).with(ip("2001:db8::1", "a")),
                    "ClusterIPNotValid Service/bar/a"),
            row(
                    "the IPAddress names no Service",
                    CLUSTER.with(service("a", "10.0.1.1")).with(managed("10.0.1.1", ClusterIp.ALLOCATOR, GATEWAY)),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "the IPAddress names a Service without it",
                    CLUSTER.with(service("a", "10.0.1.1"), service("b", "10.0.1.2"))
                            .with(ip("10.0.1.1", "b"), ip("10.0.1.2", "b")),
                    "IPAddressWrongReference IPAddress/10.0.1.1"),
            row(
                    "somebody else's IPAddress names a Service without it",
                    CLUSTER.with(service("a", "10.0.1.1"), service("b"))
                            .with(managed("10.0.1.1", "example.org", Parent.of(new ServiceKey("bar", "b")))),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "the IPAddress is not the allocator's",
                    CLUSTER.with(service("a", "10.0.1.1"))
                            .with(managed("10.0.1.1", "example.org", Parent.of(new ServiceKey("bar", "a")))),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "the IPAddress has one of the allocator's labels",
                    CLUSTER.with(service("a", "10.0.1.1"))
                            .with(managed("10.0.1.1", ClusterIp.ALLOCATOR, Parent.of(new ServiceKey("bar", "a")))),
                    "ClusterIPNotAllocated Service/bar/a"),
            row(
                    "two Services with one address and no IPAddress: the older one keeps it",
                    CLUSTER.with(service("a", START.plusSeconds(9), "10.0.1.1"), service("b", START, "10.0.1.1")),
                    "ClusterIPNotAllocated Service/bar/b",
                    "ClusterIPAlreadyAllocated Service/bar/a"),
            row(
                    "an IPAddress of the allocator's that names no Service",
                    CLUSTER.with(managed("10.0.1.1", ClusterIp.ALLOCATOR, GATEWAY)),
                    "IPAddressNotAllocated IPAddress/10.0.1.1"),
            row(
                    "an IPAddress that names nobody",
                    CLUSTER.with(managed("10.0.1.1", ClusterIp.ALLOCATOR, null)),
                    "IPAddressWithoutParent IPAddress/10.0.1.1"),
            row(
                    "somebody else's IPAddress, of no Service",
                    CLUSTER.with(managed("10.0.1.1", "example.org", GATEWAY)),
                    3_600),
            row(
                    "somebody else's IPAddress, of a Service that is not there",
                    CLUSTER.with(managed("10.0.1.1", null, ABSENT), managed("10.9.9.9", "example.org", ABSENT)),
                    61,
                    "IPAddressWithoutParent IPAddress/10.0.1.1",
                    "IPAddressWithoutParent IPAddress/10.9.9.9"),
            row(
                    "somebody else's IPAddress, of a Service that is not there yet",
                    CLUSTER.with(managed("10.0.1.1", "example.org", ABSENT)),
                    60),
            row(
                    "somebody else's IPAddress, of a Service that is there",
                    CLUSTER.with(service("b"))
                            .with(managed("10.0.1.1", "example.org", Parent.of(new ServiceKey("bar", "b")))),
                    3_600),
            row(
                    "a reservation of Berth's, of a Service to come",
                    CLUSTER.with(managed("10.0.1.1", ClusterIp.BERTH, ABSENT)),
                    3_600),
            row(
                    "somebody's IPAddress outside all ranges claims what is not a Service's",
                    CLUSTER.with(managed("192.0.2.1", "example.org", GATEWAY)),
                    3_600),
            row(
                    "ranges that are of no use",
                    CLUSTER.with(
                            SampleCidrs.ready("a", "192.0.2.0/31"),
                            SampleCidrs.ready("b", "fd00::/63"),
                            SampleCidrs.ready("c", "fd00:1::/127"),
                            SampleCidrs.ready("d", "192.0.2.4/32", "fd00:2::/128")),
                    "RangeNeverAllocates ServiceCIDR/a",
                    "RangeNeverAllocates ServiceCIDR/d",
                    "RangeNeverAllocates ServiceCIDR/b",
                    "RangeNeverAllocates ServiceCIDR/c",
                    "RangeNeverAllocates ServiceCIDR/d"),
            row(
                    "an inner static band that the outer range gives",
                    NOTHING.with(SampleCidrs.ready("inner", "10.0.1.0/24"), SampleCidrs.ready("outer", "10.0.0.0/16")),
                    "BandsConflict ServiceCIDR/inner"),
            row(
                    "an inner static band that the outer range gives, and somebody wants it so",
                    NOTHING.with(
                            SampleCidrs.acknowledged(
                                    SampleCidrs.ready("inner", "10.0.1.0/24"), "FamilyFull", "BandsConflict"),
                            SampleCidrs.ready("outer", "10.0.0.0/16"))),
            row(
                    "another finding of it is acknowledged",
                    NOTHING.with(
                            SampleCidrs.acknowledged(SampleCidrs.ready("inner", "10.0.1.0/24"), "FamilyFull"),
                            SampleCidrs.ready("outer", "10.0.0.0/16")),
                    "BandsConflict ServiceCIDR/inner"),
            row(
                    "a range that nobody holds for its Services",
                    NOTHING.with(SampleCidrs.cidr("a", "10.0.1.0/24")),
                    61,
                    "FinalizerMissing ServiceCIDR/a"),
            row("its controller has time", NOTHING.with(SampleCidrs.cidr("a", "10.0.1.0/24")), 60),
            row(
                    "the API server's own range comes again by itself",
                    NOTHING.with(SampleCidrs.cidr("kubernetes", "10.0.1.0/24")),
                    61),
            row(
                    "an outer static band that the inner range gives",
                    NOTHING.with(SampleCidrs.ready("inner", "10.0.0.0/26"), SampleCidrs.ready("outer", "10.0.0.0/20")),
                    "BandsConflict ServiceCIDR/outer"),
            row(
                    "the same range twice keeps the same band",
                    NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/24"), SampleCidrs.ready("b", "10.0.0.0/24"))),
            row(
                    "ranges side by side",
                    NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/24"), SampleCidrs.ready("b", "10.0.1.0/24"))),
            row(
                    "a range that gives no more takes from nobody",
                    NOTHING.with(
                            SampleCidrs.ready("inner", "10.0.1.0/24"),
                            SampleCidrs.deleted(SampleCidrs.ready("outer", "10.0.0.0/16"), START))),
            row(
                    "a range that never gives takes from nobody",
                    NOTHING.with(SampleCidrs.ready("inner", "fd00::/112"), SampleCidrs.ready("outer", "fd00::/48")),
                    "RangeNeverAllocates ServiceCIDR/outer"),
            row(
                    "two that cover each other are both being deleted",
                    ending("10.0.0.0/24", "10.0.0.0/24")
                            .with(service("s", "10.0.0.9"))
                            .with(ip("10.0.0.9", "s")),
                    "BothTerminating ServiceCIDR/a"),
            row("with nobody in them", ending("10.0.0.0/24", "10.0.0.0/24")),
            row(
                    "a third one stays",
                    ending("10.0.0.0/24", "10.0.0.0/24")
                            .with(SampleCidrs.ready("c", "10.0.0.0/24"))
                            .with(service("s", "10.0.0.9"))
                            .with(ip("10.0.0.9", "s"))),
            row(
                    "of two that are both being deleted, one lies in the other: neither alone has the address",
                    ending("10.0.0.0/24", "10.0.0.0/23")
                            .with(service("s", "10.0.0.9"))
                            .with(ip("10.0.0.9", "s")),
                    "BothTerminating ServiceCIDR/a"),
            row(
                    "the larger of two waits for a Service that the other does not have",
                    ending("10.0.0.0/24", "10.0.0.0/23")
                            .with(service("s", "10.0.1.9"))
                            .with(ip("10.0.1.9", "s"))),
            row(
                    "three in one another, and what the outer two share is said once",
                    ending("10.0.0.0/24", "10.0.0.0/23")
                            .with(SampleCidrs.deleted(SampleCidrs.ready("c", "10.0.0.0/22"), START))
                            .with(service("s", "10.0.0.9"))
                            .with(ip("10.0.0.9", "s")),
                    "BothTerminating ServiceCIDR/b"),
            row(
                    "only one family is the same",
                    NOTHING.with(
                                    SampleCidrs.deleted(SampleCidrs.ready("a", "10.0.0.0/24", "fd00::/112"), START),
                                    SampleCidrs.deleted(SampleCidrs.ready("b", "fd00::/112"), START),
                                    SampleCidrs.ready("elsewhere", "10.9.0.0/24", "fd00:9::/112"))
                            .with(service("s", "10.0.0.9", "fd00::9"))
                            .with(ip("10.0.0.9", "s"), ip("fd00::9", "s")),
                    "BothTerminating ServiceCIDR/a"),
            row(
                    "two halves that stay have every address",
                    ending("10.0.0.0/24", "10.0.0.0/24")
                            .with(
                                    SampleCidrs.ready("lower", "10.0.0.0/25"),
                                    SampleCidrs.ready("upper", "10.0.0.128/25"))
                            .with(service("s", "10.0.0.9"), service("t", "10.0.0.200"))
                            .with(ip("10.0.0.9", "s"), ip("10.0.0.200", "t"))),
            row(
                    "one half that stays lacks an address",
                    ending("10.0.0.0/24", "10.0.0.0/24")
                            .with(SampleCidrs.ready("lower", "10.0.0.0/25"))
                            .with(service("s", "10.0.0.9"), service("t", "10.0.0.200"))
                            .with(ip("10.0.0.9", "s"), ip("10.0.0.200", "t")),
                    "BothTerminating ServiceCIDR/a"),
            row(
                    "pools in a range",
                    CLUSTER.with(
                            new PoolRange("edge", IpRange.parse("10.0.255.255-10.1.0.5")),
                            new PoolRange("around", IpRange.parse("10.0.0.0/8")),
                            new PoolRange("apart", IpRange.parse("192.0.2.0/24"))),
                    "PoolInServiceCIDR AddressPool/around",
                    "PoolInServiceCIDR AddressPool/edge"),
            row(
                    "each address of a family is in use, those of two ranges counted once",
                    taken(
                            NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/28"), SampleCidrs.ready("b", "10.0.0.0/29")),
                            14),
                    "FamilyFull ServiceCIDR/a"),
            row(
                    "any Service gets what is kept for those who ask",
                    NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/27"), SampleCidrs.ready("b", "10.1.0.0/24"))
                            .with(dynamic()),
                    "DynamicBandFull ServiceCIDR/a"),
            row("all but one", taken(NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/28")), 13)),
            row(
                    "what is free is in a range that gives no more",
                    taken(
                            NOTHING.with(
                                    SampleCidrs.deleted(SampleCidrs.ready("a", "10.0.1.0/24"), START),
                                    SampleCidrs.ready("b", "10.0.0.0/28")),
                            14),
                    "FamilyFull ServiceCIDR/b"),
            row(
                    "no range that gives is left",
                    NOTHING.with(SampleCidrs.deleted(SampleCidrs.ready("a", "10.0.1.0/24"), START)),
                    "FamilyFull ServiceCIDR/a"),
            row(
                    "a family of which no range ever gave",
                    NOTHING.with(SampleCidrs.ready("a", "fd00::/48")),
                    "RangeNeverAllocates ServiceCIDR/a"));

    /** All of the dynamic band of 10.0.0.0/27, by addresses of gateways. */
    private static ClusterIp[] dynamic() {
        return IntStream.rangeClosed(17, 30)
                .mapToObj(low -> managed("10.0.0." + low, "example.org", GATEWAY))
                .toArray(ClusterIp[]::new);
    }

    private static World ending(String a, String b) {
        return NOTHING.with(
                SampleCidrs.deleted(SampleCidrs.ready("a", a), START),
                SampleCidrs.deleted(SampleCidrs.ready("b", b), START),
                SampleCidrs.ready("elsewhere", "10.9.0.0/24"));
    }

    /** 10.0.0.1 to 10.0.0.{@code last}, each with its Service. */
    private static World taken(World world, int last) {
        World filled = world;
        for (int low = 1; low <= last; low++) {
            filled = filled.with(service("s" + low, "10.0.0." + low)).with(ip("10.0.0." + low, "s" + low));
        }
        return filled;
    }

    @Test
    void whatElseIsWrong_isFound_andWhatIsNot_isNot() {
        assertThat(MORE)
                .allSatisfy(row ->
                        assertThat(row.world().found(row.now())).as(row.rule()).isEqualTo(row.found()));
    }

    @Test
    void whatIsFoundAgain_isWhatIsInBoth_inTheOrderOfTheSecondLook_alsoOfManyThousands() {
        List<Finding> before = findings(0, 40_000);
        List<Finding> now = new ArrayList<>(findings(20_000, 60_000));
        Collections.reverse(now);

        assertThat(Audit.foundAgain(now, before)).isEqualTo(now.subList(20_000, 40_000));
    }

    private static List<Finding> findings(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> new Finding(Finding.Fault.IP_ADDRESS_WITHOUT_PARENT, "IPAddress", "of-" + i, "wrong"))
                .toList();
    }

    private record Says(World world, String message) {}

    private static final List<Says> MESSAGES = List.of(
            new Says(
                    taken(NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/28")), 14),
                    "no IPv4 address is free, all 14 are in use: no Service that needs one can be created; create"
                            + " another range, in a network that no Node, Pod or AddressPool uses: echo"
                            + " '{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"ServiceCIDR\",\"metadata\":{\"name\":\"more\"},\"spec\":{\"cidrs\":[\"<CIDR>\"]}}' | kubectl create -f -"),
            new Says(
                    NOTHING.with(SampleCidrs.deleted(SampleCidrs.ready("a", "10.0.1.0/24"), START)),
                    "no IPv4 address is free, because no ServiceCIDR that has any is ready: no Service that needs one"
                            + " can be created; create another range, in a network that no Node, Pod or AddressPool"
                            + " uses: echo '{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"ServiceCIDR\",\"metadata\":{\"name\":\"more\"},\"spec\":{\"cidrs\":[\"<CIDR>\"]}}' | kubectl create -f -"),
            new Says(
                    CLUSTER.with(service("a", "ten")),
                    "\"ten\" in spec.clusterIPs is not an IP address; recreate the Service: kubectl delete service -n bar"
                            + " a, then apply its manifest without clusterIP and clusterIPs"),
            new Says(
                    CLUSTER.with(service("a", "10.9.0.1")),
                    "10.9.0.1 is in no ServiceCIDR, so the API server does not manage it; create a ServiceCIDR that"
                            + " contains it, or recreate the Service: kubectl delete service -n bar a, then apply its"
                            + " manifest without clusterIP and clusterIPs"),
            new Says(
                    CLUSTER.with(service("a", "10.0.1.1")),
                    "10.0.1.1 has no IPAddress, so another Service may get it, too; the API server repairs it within"
                            + " 3 minutes; if not, its events show why: kubectl get events -n bar --field-selector"
                            + " involvedObject.name=a"),
            new Says(
                    CLUSTER.with(service("a", "10.0.1.1"))
                            .with(managed("10.0.1.1", null, Parent.of(new ServiceKey("bar", "a")))),
                    "IPAddress 10.0.1.1 does not have the labels ipaddress.kubernetes.io/managed-by=ipallocator.k8s.io and"
                            + " ipaddress.kubernetes.io/ip-family=IPv4, without which it does not protect a"
                            + " ServiceCIDR that is being deleted; the API server repairs it within 3 minutes; if"
                            + " not, its events show why: kubectl get events -n bar --field-selector"
                            + " involvedObject.name=a"),
            new Says(
                    CLUSTER.with(service("a", "10.0.1.1"), service("b", "10.0.1.1"))
                            .with(ip("10.0.1.1", "b")),
                    "10.0.1.1 is the cluster IP of bar/b, too, and connections to it reach either of the two;"
                            + " recreate the Service: kubectl delete service -n bar a, then apply its manifest"
                            + " without clusterIP and clusterIPs"),
            new Says(
                    CLUSTER.with(ip("10.0.1.1", "a")),
                    "the API server created it for a Service, but there is no Service bar/a; the API server deletes"
                            + " it within 3 minutes; if not: kubectl delete ipaddress 10.0.1.1"),
            new Says(
                    CLUSTER.with(service("a"), service("b", "10.0.1.1")).with(ip("10.0.1.1", "a")),
                    "it is for Service bar/a, which does not have this cluster IP, but Service bar/b has; the API"
                            + " server deletes it within 3 minutes; if not: kubectl delete ipaddress 10.0.1.1"),
            new Says(
                    CLUSTER.with(managed("10.0.1.1", null, ABSENT)),
                    "there is no Service bar/absent, and the address is never released, because the API server did"
                            + " not create the IPAddress (its label ipaddress.kubernetes.io/managed-by is absent);"
                            + " kubectl delete ipaddress 10.0.1.1"),
            new Says(
                    CLUSTER.with(SampleCidrs.ready("six", "fd00::/48")),
                    "fd00::/48 is larger than a /64, the largest that the API server allocates from, although its"
                            + " condition Ready is True; create another ServiceCIDR, then kubectl delete servicecidr"
                            + " six"),
            new Says(
                    CLUSTER.with(SampleCidrs.ready("inner", "10.0.1.0/24")),
                    "its static band 10.0.1.1-10.0.1.16 is not reserved for Services that request an address, because"
                            + " ServiceCIDR \"kubernetes\" (10.0.0.0/16) allocates from it to any Service; request"
                            + " addresses from another range, or retire inner by its annotation"
                            + " berth.dev/retire=true; if this is intended: kubectl annotate servicecidr inner"
                            + " berth.dev/acknowledged=BandsConflict"),
            new Says(
                    NOTHING.with(SampleCidrs.ready("inner", "10.0.1.0/24"), SampleCidrs.ready("around", "10.0.0.0/16")),
                    "its static band 10.0.1.1-10.0.1.16 is not reserved for Services that request an address, because"
                            + " ServiceCIDR \"around\" (10.0.0.0/16) allocates from it to any Service; request"
                            + " addresses from another range, or retire around or inner by its annotation"
                            + " berth.dev/retire=true; if this is intended: kubectl annotate servicecidr inner"
                            + " berth.dev/acknowledged=BandsConflict"),
            new Says(
                    NOTHING.with(
                            SampleCidrs.ready("inner", "10.0.1.0/24", "fd00:1::/112"),
                            SampleCidrs.ready("kubernetes", "10.0.0.0/16")),
                    "its static band 10.0.1.1-10.0.1.16 is not reserved for Services that request an address, because"
                            + " ServiceCIDR \"kubernetes\" (10.0.0.0/16) allocates from it to any Service; request"
                            + " addresses from another range, or retire inner (whose fd00:1::/112 is deleted with it)"
                            + " by its annotation berth.dev/retire=true; if this is intended: kubectl annotate"
                            + " servicecidr inner berth.dev/acknowledged=BandsConflict"),
            new Says(
                    CLUSTER.with(SampleCidrs.ready("both", "10.7.0.0/24", "fd00::/48")),
                    "fd00::/48 is larger than a /64, the largest that the API server allocates from, although its"
                            + " condition Ready is True; create another ServiceCIDR, and one of 10.7.0.0/24, which is"
                            + " deleted with this one, then kubectl delete servicecidr both"),
            new Says(
                    NOTHING.with(SampleCidrs.ready("kubernetes", "10.7.0.0/24", "fd00::/48")),
                    "fd00::/48 is larger than a /64, the largest that the API server allocates from, although its"
                            + " condition Ready is True; start the API servers with another range of IPv6 in"
                            + " --service-cluster-ip-range"),
            new Says(
                    NOTHING.with(SampleCidrs.ready("a", "10.0.0.0/27")).with(dynamic()),
                    "the dynamic band of 10.0.0.0/27 is full, so the API server allocates from its static band to any"
                            + " Service, even if another range has free addresses; reserve the addresses you need,"
                            + " especially the cluster DNS address, with ClusterIPReservations"),
            new Says(
                    CLUSTER.with(SampleCidrs.cidr("loose", "10.7.0.0/24")),
                    "it has no finalizer networking.k8s.io/service-cidr-finalizer: without it, the ServiceCIDR can be"
                            + " deleted while Services still use it; the controller adds it:"
                            + " kube-controller-manager's service-cidr-controller, or Berth with"
                            + " --service-cidr-controller=Auto"),
            new Says(
                    ending("10.8.0.0/24", "10.8.0.0/24")
                            .with(service("s", "10.8.0.9"))
                            .with(ip("10.8.0.9", "s")),
                    "its range 10.8.0.0/24 is in that of \"b\" (10.8.0.0/24), too, and all are being deleted: each"
                            + " may be removed because of the other, and then their Services are in no range; create"
                            + " a third one now: echo"
                            + " '{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"ServiceCIDR\",\"metadata\":{\"name\":\"rescue\"},\"spec\":{\"cidrs\":[\"10.8.0.0/24\"]}}' | kubectl create -f -"),
            new Says(
                    CLUSTER.with(new PoolRange("edge", IpRange.parse("10.0.5.0/30"))),
                    "10.0.5.0-10.0.5.3 is in ServiceCIDR \"kubernetes\" (10.0.0.0/16): the API server may allocate"
                            + " the same address as a cluster IP, and kube-proxy in nftables mode drops connections"
                            + " to cluster IPs that are not allocated; remove it: kubectl edit addresspool edge"),
            new Says(
                    CLUSTER.with(new PoolRange("around", IpRange.parse("10.0.0.0/8"))),
                    "10.0.0.0-10.255.255.255 overlaps ServiceCIDR \"kubernetes\" (10.0.0.0/16): the API server may"
                            + " allocate the same address as a cluster IP, and kube-proxy in nftables mode drops"
                            + " connections to cluster IPs that are not allocated; remove it: kubectl edit"
                            + " addresspool around"));

    private static final List<ExcludedNetwork> NETWORKS = Stream.of(
                    "10.0.9.0/24", "10.0.8.0/24", "10.1.0.0/24", "10.0.0.0-10.0.0.5", "10.0.7.7")
            .map(range -> new ExcludedNetwork("Node \"of-" + range + "\"", IpRange.parse(range)))
            .toList();

    @Test
    void aRangeInWhichNodesOrPodsAre_isFound_andTheFirstThreeAreNamed() {
        ServiceCidr pods = SampleCidrs.ready("pods", "10.0.0.0/16");
        ServiceCidr apart = SampleCidrs.ready("apart", "10.2.0.0/16", "fd00::/112");

        assertThat(new Audit(List.of(pods, apart), new ClusterIps(), List.of(), List.of(), NETWORKS).findings(LATER))
                .containsExactly(new Finding(
                        Finding.Fault.NETWORK_IN_SERVICE_CIDR,
                        "ServiceCIDR",
                        "pods",
                        "its range 10.0.0.0/16 overlaps Node \"of-10.0.0.0-10.0.0.5\" 10.0.0.0-10.0.0.5, Node"
                                + " \"of-10.0.7.7\" 10.0.7.7, Node \"of-10.0.8.0/24\" 10.0.8.0-10.0.8.255 and 1 more:"
                                + " a Service that gets such an address receives the connections to it; create"
                                + " another ServiceCIDR, then retire this one"));
    }

    @Test
    void aMessage_saysWhatIsWrong_andWhatToType() {
        assertThat(MESSAGES)
                .allSatisfy(
                        row -> assertThat(row.world().findings(LATER).stream().map(Finding::message))
                                .containsExactly(row.message()));
        assertThat(MESSAGES.stream()
                        .flatMap(row -> row.world().findings(LATER).stream())
                        .map(Finding::fault))
                .as("each fault has its message here")
                .contains(Stream.of(Finding.Fault.values())
                        .filter(fault -> fault != Finding.Fault.NETWORK_IN_SERVICE_CIDR)
                        .toArray(Finding.Fault[]::new));
    }

    /** As an API server leaves it: each address of each Service has its IPAddress. */
    private static World healthy(Random random) {
        World world = NOTHING.with(DEFAULT, CUSTOM);
        for (int i = 0; i < 40; i++) {
            String name = "s" + i;
            String ipv4 = random.nextBoolean() ? "10.0.3." + (i + 1) : "192.168.0." + (i + 1);
            String ipv6 = "2001:db8::" + Integer.toHexString(i + 1);
            boolean dual = random.nextBoolean();
            world = world.with(dual ? service(name, ipv4, ipv6) : service(name, ipv4))
                    .with(ip(ipv4, name));
            world = dual ? world.with(ip(ipv6, name)) : world;
        }
        return world.with(managed("10.0.9.9", ClusterIp.BERTH, ABSENT), managed("10.0.9.8", "example.org", GATEWAY));
    }

    @Test
    void whereEachAddressHasItsIpAddress_nothingIsWrong() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(healthy(new Random(seed)).found(LATER))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void eachIpAddressThatIsMissing_isFound_andNothingElse() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            World world = healthy(random);
            List<ClusterIp> lost = world.ips().stream()
                    .filter(ip -> ip.isManagedByAllocator() && random.nextInt(8) == 0)
                    .toList();
            World broken = new World(
                    world.cidrs(),
                    world.ips().stream().filter(ip -> !lost.contains(ip)).toList(),
                    world.services(),
                    world.pools());
            assertThat(broken.found(LATER))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(lost.stream()
                            .map(ip -> "ClusterIPNotAllocated Service/" + ip.owner())
                            .toList());
        }
    }

    @Test
    void eachServiceThatIsMissing_isFoundByItsIpAddresses_andNothingElse() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            World world = healthy(random);
            List<ClusterService> kept = world.services().stream()
                    .filter(service -> random.nextInt(8) > 0)
                    .toList();
            List<ServiceKey> keys = kept.stream().map(ClusterService::key).toList();
            assertThat(new World(world.cidrs(), world.ips(), kept, world.pools()).found(LATER))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(world.ips().stream()
                            .filter(ip -> ip.isManagedByAllocator()
                                    && !keys.contains(ip.service().orElseThrow()))
                            .map(ClusterIp::ip)
                            .sorted()
                            .map(ip -> "IPAddressNotAllocated IPAddress/" + ip)
                            .toList());
        }
    }

    @Test
    void findings_areTheSame_howeverTheWorldIsListed_andAsTimePasses() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            World world = broken(random);
            World listed = new World(
                    shuffled(world.cidrs(), random),
                    shuffled(world.ips(), random),
                    shuffled(world.services(), random),
                    shuffled(world.pools(), random));
            assertThat(listed.findings(LATER.plusSeconds(seed)))
                    .as("seed %d", seed)
                    .isNotEmpty()
                    .isEqualTo(world.findings(LATER));
        }
    }

    private static World broken(Random random) {
        World healthy = healthy(random);
        return new World(healthy.cidrs(), some(healthy.ips(), random), some(healthy.services(), random), List.of())
                .with(SampleCidrs.ready("inner", "10.0.3.0/26"), SampleCidrs.ready("useless", "fd00::/48"))
                .with(service("double", START.plusSeconds(9), "10.0.3.1"), service("third", "192.168.0.1", "10.0.3.1"))
                .with(ending("10.9.0.0/24", "10.9.0.0/24").cidrs().toArray(ServiceCidr[]::new))
                .with(ip("10.9.0.9", "s0"))
                .with(
                        new PoolRange("b", IpRange.parse("10.0.3.5")),
                        new PoolRange("a", IpRange.parse("10.0.7.0/24")),
                        new PoolRange("a", IpRange.parse("10.0.6.0/24")));
    }

    private static <T> List<T> some(List<T> list, Random random) {
        return list.stream().filter(one -> random.nextInt(8) > 0).toList();
    }

    private static <T> List<T> shuffled(List<T> list, Random random) {
        List<T> shuffled = new ArrayList<>(list);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }
}
