package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.reason.Reason;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether a family needs another range, and which. */
public sealed interface Growth {
    /** Not yet: this one, once it does. */
    record Enough(int usedPercent, Next next) implements Growth {}

    /** This one: it overlaps nothing that is known. Made twice, it has the same name twice. */
    record Next(String name, ServiceRange range) implements Growth {}

    /**
     * It gets none.
     *
     * @param due whether it needs one by now, or nothing could ever be done for it
     */
    record Held(Why why, String message, boolean due) implements Growth {}

    /** What would be made if it were needed. However many addresses are in use, it is the same. */
    sealed interface Plan {
        /**
         * This one.
         *
         * @param room how many addresses it has, with all that may be made after it
         */
        record Make(Next next, BigInteger room) implements Plan {}

        /**
         * Nothing.
         *
         * @param because as the second half of a sentence, if it depends on the need
         */
        record Nothing(Why why, String because) implements Plan {}
    }

    /** What holds it. */
    enum Why {
        /** The settings make no sense. */
        INVALID_SETTINGS(Reason.InvalidSettings),

        /** No ServiceCIDR has a range of the family: the API servers were started without it. */
        NO_RANGE_OF_FAMILY(Reason.NoRangeOfFamily),

        /** Berth has made as many as it may. */
        MAXIMUM_REACHED(Reason.MaximumReached),

        /** The supernets have no free block of that size. */
        NO_SPACE(Reason.NoSpace);

        private final Reason reason;

        Why(Reason reason) {
            this.reason = reason;
        }

        /** As a condition names it. */
        public Reason reason() {
            return reason;
        }
    }

    /**
     * What is decided about.
     *
     * @param cidrs all ServiceCIDRs
     * @param excluded what else is never overlapped: networks of Pods, addresses of Nodes, address pools; asked for by
     *     {@link #plan} alone, for they may be many
     */
    record World(
            Collection<ServiceCidr> cidrs, ClusterIps ips, Supplier<? extends Collection<ExcludedNetwork>> excluded) {
        /** One of Berth's counts before anybody called it ready: it was made for the need that there is now. */
        private boolean isCapacity(ServiceCidr cidr) {
            return stays(cidr) && (cidr.isReady() || cidr.madeByBerth());
        }

        /** Nobody should rely on what is free in one that is to go, and who is in it needs another address. */
        private boolean stays(ServiceCidr cidr) {
            return !cidr.isTerminating() && !cidr.isToRetire();
        }

        private Stream<ServiceRange> ranges(IpFamily family) {
            return cidrs.stream().flatMap(cidr -> cidr.range(family).stream());
        }

        /** All that can be given, and all that is in use of it, with what has {@link #moving to move} there. */
        private Usage.Count capacity(IpFamily family) {
            return Usage.together(ranges(family, this::isCapacity), ips)
                    .plus(new Usage.Count(BigInteger.ZERO, moving(family)));
        }

        /** How many addresses are in use that no range has which stays. */
        private long moving(IpFamily family) {
            return new SoleAddresses(ranges(family, cidr -> !stays(cidr)), ranges(family, this::stays)).count(ips);
        }

        private List<ServiceRange> ranges(IpFamily family, Predicate<ServiceCidr> which) {
            return cidrs.stream()
                    .filter(which)
                    .flatMap(cidr -> cidr.range(family).stream())
                    .toList();
        }

        private long made(IpFamily family) {
            return cidrs.stream()
                    .filter(cidr -> stays(cidr) && cidr.madeByBerth())
                    .filter(cidr -> cidr.range(family).isPresent())
                    .count();
        }

        private List<ExcludedNetwork> obstacles() {
            List<ExcludedNetwork> all = new ArrayList<>(excluded.get());
            all.addAll(GrowthSettings.UNREACHABLE);
            for (ServiceCidr cidr : cidrs) {
                cidr.ranges()
                        .forEach(range ->
                                all.add(new ExcludedNetwork("ServiceCIDR \"" + cidr.name() + "\"", range.whole())));
            }
            all.sort(Comparator.<ExcludedNetwork, Ip>comparing(
                            obstacle -> obstacle.range().lower())
                    .thenComparing(ExcludedNetwork::toString));
            return all;
        }

        private boolean isFree(String name) {
            return cidrs.stream().noneMatch(cidr -> cidr.name().equals(name));
        }
    }

    /** What to do about each family. The same question always has the same answer. */
    static Growth of(GrowthSettings settings, World world) {
        return of(settings, world, plan(settings, world));
    }

    /** Decides by a {@link #plan} of before, made of the same settings and, but for addresses, the same world. */
    static Growth of(GrowthSettings settings, World world, Plan plan) {
        int used = world.capacity(settings.family()).usedPercent();
        return switch (plan) {
            case Plan.Make(Next next, BigInteger room) ->
                used >= settings.usedPercent() ? next : new Enough(used, next);
            case Plan.Nothing nothing -> held(settings, world, nothing, used);
        };
    }

    private static Held held(GrowthSettings settings, World world, Plan.Nothing nothing, int used) {
        return switch (nothing.why()) {
            case INVALID_SETTINGS, NO_RANGE_OF_FAMILY -> new Held(nothing.why(), nothing.because(), true);
            case MAXIMUM_REACHED, NO_SPACE ->
                new Held(
                        nothing.why(),
                        need(settings.family(), world, used) + ", and " + nothing.because(),
                        used >= settings.usedPercent());
        };
    }

    private static String need(IpFamily family, World world, int used) {
        long moving = world.moving(family);
        return used + " percent of the " + family + " addresses are in use"
                + (moving == 0 ? "" : ", with the " + moving + " that have to move");
    }

    /** Finds what would be made next. */
    static Plan plan(GrowthSettings settings, World world) {
        Optional<String> fault = settings.fault();
        if (fault.isPresent()) {
            return new Plan.Nothing(Why.INVALID_SETTINGS, fault.get());
        }
        IpFamily family = settings.family();
        if (world.ranges(family).findAny().isEmpty()) {
            return new Plan.Nothing(
                    Why.NO_RANGE_OF_FAMILY,
                    "no ServiceCIDR has an " + family
                            + " range; the API servers allocate such addresses only if --service-cluster-ip-range has"
                            + " one");
        }
        long made = world.made(family);
        if (made >= settings.maxRanges()) {
            return new Plan.Nothing(
                    Why.MAXIMUM_REACHED,
                    "Berth has made " + made + (made == 1 ? " range" : " ranges") + " of at most "
                            + settings.maxRanges() + "; raise maxRanges, or make a ServiceCIDR by hand");
        }
        return search(settings, world, settings.maxRanges() - made);
    }

    private static Plan search(GrowthSettings settings, World world, long atMost) {
        List<ExcludedNetwork> obstacles = world.obstacles();
        FreeBlocks free =
                new FreeBlocks(obstacles.stream().map(ExcludedNetwork::range).toList());
        List<ServiceRange> blocks = settings.ranges().stream()
                .flatMap(supernet -> free.in(supernet, settings.prefixLength()))
                .filter(block -> world.isFree(name(block)))
                .distinct()
                .limit(atMost)
                .toList();
        if (blocks.isEmpty()) {
            return new Plan.Nothing(Why.NO_SPACE, noSpace(settings, obstacles));
        }
        ServiceRange next = blocks.getFirst();
        BigInteger room = blocks.stream().map(ServiceRange::size).reduce(BigInteger.ZERO, BigInteger::add);
        return new Plan.Make(new Next(name(next), next), room);
    }

    private static String name(ServiceRange range) {
        return "berth-" + range.network().objectName() + "-" + range.prefixLength();
    }

    private static String noSpace(GrowthSettings settings, List<ExcludedNetwork> obstacles) {
        String inTheWay = obstacles.stream()
                .filter(obstacle ->
                        settings.ranges().stream().anyMatch(net -> net.whole().overlaps(obstacle.range())))
                .limit(3)
                .map(ExcludedNetwork::toString)
                .collect(Collectors.joining(", "));
        return "no /" + settings.prefixLength() + " is free in " + String.join(", ", settings.supernets())
                + ": in the way are " + inTheWay + "; add a supernet, or raise prefixLength";
    }
}
