package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What becomes of a ServiceCIDR that is to go.
 *
 * @param remaining how many addresses are taken that no ServiceCIDR has which stays
 * @param first the lowest of them
 */
public record Retirement(ServiceCidr serviceCidr, Verdict verdict, long remaining, List<Occupant> first) {
    /** The ServiceCIDR that every API server makes by itself. */
    static final String OF_API_SERVER = "kubernetes";

    private static final ServiceKey API_SERVER = new ServiceKey("default", "kubernetes");
    private static final int SHOWN = 20;

    /** As long may the API server take over creating a Service, whose address it takes first. */
    private static final Duration BEING_CREATED = Duration.ofSeconds(60);

    /** What to do. */
    public sealed interface Verdict {
        /** Nothing: it stays. */
        record Refused(String message) implements Verdict {}

        /** Nothing: it stays, for those in the ranges that go would find no other address. */
        record NoRoom(String message) implements Verdict {}

        /** Nothing yet: growth makes room first, or another one that has the same addresses goes first. */
        record Waiting(String message) implements Verdict {}

        /** Delete it, and only it: with its uid as precondition. */
        record Delete() implements Verdict {}

        /** Wait: it is being deleted, and gives no more addresses. */
        record Draining() implements Verdict {}
    }

    /** What an address needs to go. */
    public enum Needs {
        RECREATE("Recreate", "recreate the Service: it gets another address"),
        RECREATE_WITH_OTHER_ADDRESS(
                "RecreateWithOtherAddress",
                "recreate the Service with another clusterIP: its manifest probably names this one"),
        API_SERVER_FLAGS(
                "APIServerFlags",
                "start the API servers with another --service-cluster-ip-range, whose first address is this Service's"),
        REMOVE_RESERVATION("RemoveReservation", "delete its ClusterIPReservation"),
        DELETE_IP_ADDRESS("DeleteIPAddress", "delete the IPAddress object, if its owner no longer needs it");

        private final String text;
        private final String advice;

        Needs(String text, String advice) {
            this.text = text;
            this.advice = advice;
        }

        /** What to do, as a sentence without its full stop. */
        public String advice() {
            return advice;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * An address that is taken.
     *
     * @param owner {@code namespace/name} of a Service, or else what the IPAddress names
     */
    public record Occupant(Ip ip, String owner, Needs needs) {}

    public Retirement {
        first = List.copyOf(first);
    }

    public String name() {
        return serviceCidr.name();
    }

    /**
     * Decides about each that is asked to retire, by name: one that may go makes the next one harder to spare.
     *
     * @param services whether there is such a Service
     * @param growable how many addresses of a family may come by new ranges, in a moment
     */
    public static List<Retirement> of(
            Collection<ServiceCidr> cidrs,
            ClusterIps ips,
            Predicate<ServiceKey> services,
            Function<IpFamily, BigInteger> growable,
            Instant now) {
        return new Decision(cidrs, ips, services, growable, now).all();
    }

    private static final class Decision {
        private final List<ServiceCidr> cidrs;

        /** Those that are not being deleted, nor are to be. */
        private final Map<String, ServiceCidr> staying = new TreeMap<>();

        private final ClusterIps ips;
        private final Predicate<ServiceKey> services;
        private final Function<IpFamily, BigInteger> growable;
        private final Instant now;

        Decision(
                Collection<ServiceCidr> cidrs,
                ClusterIps ips,
                Predicate<ServiceKey> services,
                Function<IpFamily, BigInteger> growable,
                Instant now) {
            this.cidrs = Usage.byName(cidrs);
            for (ServiceCidr cidr : cidrs) {
                if (!cidr.isTerminating()) {
                    staying.put(cidr.name(), cidr);
                }
            }
            this.ips = ips;
            this.services = services;
            this.growable = growable;
            this.now = now;
        }

        List<Retirement> all() {
            Map<ServiceCidr, Verdict> verdicts = new LinkedHashMap<>();
            cidrs.stream().filter(ServiceCidr::mayBeToRetire).forEach(cidr -> verdicts.put(cidr, verdict(cidr)));
            List<Retirement> all = new ArrayList<>();
            verdicts.forEach((cidr, verdict) -> all.add(withOccupants(cidr, verdict)));
            return all;
        }

        private Verdict verdict(ServiceCidr cidr) {
            if (cidr.isTerminating()) {
                return new Verdict.Draining();
            }
            Verdict verdict = objection(cidr)
                    .<Verdict>map(Verdict.Refused::new)
                    .or(() -> cidr.ranges().stream()
                            .flatMap(range -> hindrance(cidr, range).stream())
                            .findFirst())
                    .or(() -> cidrs.stream()
                            .filter(other -> !staying.containsKey(other.name()))
                            .flatMap(other -> turn(cidr, other).stream())
                            .findFirst())
                    .orElseGet(Verdict.Delete::new);
            if (verdict instanceof Verdict.Delete) {
                staying.remove(cidr.name());
            }
            return verdict;
        }

        private Optional<String> objection(ServiceCidr cidr) {
            if (!cidr.isToRetire()) {
                return Optional.of("ServiceCIDR \"" + cidr.name() + "\" does not retire: its annotation "
                        + ServiceCidr.RETIRE + ": \"" + cidr.retire() + "\" is neither true nor false");
            }
            if (cidr.name().equals(OF_API_SERVER)) {
                return Optional.of("ServiceCIDR \"kubernetes\" is created by the API server from"
                        + " --service-cluster-ip-range, and recreated under this name whenever it is deleted, so it"
                        + " cannot be retired permanently; to renumber it, change that flag and, once, kubectl delete"
                        + " servicecidr kubernetes");
            }
            return cidr.finalizer()
                    ? Optional.empty()
                    : Optional.of("ServiceCIDR \"" + cidr.name() + "\" has no finalizer " + ServiceCidr.FINALIZER
                            + ", which prevents its deletion while an address of it is in use; the controller adds"
                            + " it: kube-controller-manager's service-cidr-controller, or Berth with"
                            + " --service-cidr-controller=Auto (after a minute) or Always");
        }

        /** What stands against doing without {@code range}; absent: nothing. */
        private Optional<Verdict> hindrance(ServiceCidr cidr, ServiceRange range) {
            IpFamily family = range.family();
            List<ServiceRange> kept = ranges(family, other -> isKept(cidr, other));
            boolean gives = cidr.isReady() && range.gives();
            if (!gives && new SoleAddresses(List.of(range), kept).count(ips) == 0) {
                return Optional.empty();
            }
            List<ServiceRange> giving = ranges(family, other -> isKept(cidr, other) && other.isReady()).stream()
                    .filter(ServiceRange::gives)
                    .toList();
            long move = new SoleAddresses(ranges(family, other -> !isKept(cidr, other)), kept).count(ips);
            BigInteger free = Usage.together(giving, ips).free();
            if (fits(move, free)) {
                return Optional.empty();
            }
            String numbers = "of " + family + ", " + move + (move == 1 ? " address" : " addresses")
                    + " would have to move, " + free + (free.equals(BigInteger.ONE) ? " is" : " are")
                    + " free in the ranges that stay";
            if (fits(move, free.add(growable.apply(family)))) {
                return Optional.of(new Verdict.Waiting(
                        "ServiceCIDR \"" + cidr.name() + "\" waits for the next range: " + numbers));
            }
            return Optional.of(
                    giving.isEmpty()
                            ? new Verdict.Refused("ServiceCIDR \"" + cidr.name() + "\" is the last one that allocates "
                                    + family + " addresses: without it no Service could be created; make another one"
                                    + " first")
                            : new Verdict.NoRoom("there is no room without ServiceCIDR \"" + cidr.name() + "\": "
                                    + numbers + "; make another one first, or let spec.growth make it"));
        }

        /**
         * kube-controller-manager lets a range go whose addresses another one has, also if that one is being deleted
         * itself; of two that share an address both would go.
         */
        private Optional<Verdict> turn(ServiceCidr cidr, ServiceCidr going) {
            return cidr.ranges().stream()
                    .flatMap(mine -> going.ranges().stream()
                            .filter(mine::overlaps)
                            .map(theirs -> mine.contains(theirs) ? theirs : mine))
                    .filter(shared -> new SoleAddresses(
                                    List.of(shared), ranges(shared.family(), other -> isKept(cidr, other)))
                            .exist())
                    .findFirst()
                    .map(shared -> new Verdict.Waiting("ServiceCIDR \"" + cidr.name() + "\" waits until \""
                            + going.name() + "\" is gone: both have addresses of " + shared
                            + ", and while both are being deleted, either may be removed because of the other"));
        }

        /** And one is free in any case, or no Service could be created. */
        private static boolean fits(long move, BigInteger free) {
            return free.signum() > 0 && BigInteger.valueOf(move).compareTo(free) <= 0;
        }

        private boolean isKept(ServiceCidr toGo, ServiceCidr other) {
            return staying.containsKey(other.name()) && !other.name().equals(toGo.name());
        }

        private List<ServiceRange> ranges(IpFamily family, Predicate<ServiceCidr> which) {
            return cidrs.stream()
                    .filter(which)
                    .flatMap(other -> other.range(family).stream())
                    .toList();
        }

        private Retirement withOccupants(ServiceCidr cidr, Verdict verdict) {
            SoleAddresses alone = new SoleAddresses(
                    cidr.ranges(),
                    staying.values().stream()
                            .filter(other -> !other.name().equals(cidr.name()))
                            .flatMap(other -> other.ranges().stream())
                            .toList());
            List<Occupant> first = alone.taken(ips)
                    .limit(SHOWN)
                    .map(taken -> occupant(cidr, taken))
                    .toList();
            return new Retirement(cidr, verdict, alone.count(ips), first);
        }

        private Occupant occupant(ServiceCidr cidr, ClusterIp taken) {
            Optional<IpRange> staticBand = cidr.range(taken.ip().family()).flatMap(ServiceRange::staticBand);
            return new Occupant(taken.ip(), taken.owner(), needs(taken, staticBand));
        }

        private Needs needs(ClusterIp taken, Optional<IpRange> staticBand) {
            if (taken.isReservation()) {
                return Needs.REMOVE_RESERVATION;
            }
            Optional<ServiceKey> service = taken.service();
            if (service.equals(Optional.of(API_SERVER))) {
                return Needs.API_SERVER_FLAGS;
            }
            boolean recent = now.isBefore(taken.created().plus(BEING_CREATED));
            if (service.filter(key -> recent || services.test(key)).isEmpty()) {
                return Needs.DELETE_IP_ADDRESS;
            }
            return staticBand.filter(band -> band.contains(taken.ip())).isPresent()
                    ? Needs.RECREATE_WITH_OTHER_ADDRESS
                    : Needs.RECREATE;
        }
    }
}
