package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the reservations. An IPAddress object of Berth's keeps the address: the API server gives it
 * to nobody, not even to the Service that it is kept for. The creator of that Service deletes the object
 * first, and then has a minute in which Berth does not make it again.
 *
 * @param outcomes one for each reservation that was asked for, in that order
 * @param unwanted objects of Berth's to delete, before any is made: nobody asks for them any more, or they
 *     name another Service than is asked for
 */
public record Reservations(List<Outcome> outcomes, List<ClusterIp> unwanted) {
    /** How long an address is left free after its object was deleted. */
    public static final Duration HANDOVER = Duration.ofSeconds(60);

    /** What becomes of one. */
    public record Outcome(Reservation reservation, State state) {}

    /** How it is with one. */
    public sealed interface State {
        /** Its object is to be made now. */
        record Reserve(Ip ip) implements State {}

        /** Its object is there. */
        record Reserved(Ip ip) implements State {}

        /** Somebody deleted its object: until then the Service can be created with it. */
        record HandingOver(Instant until) implements State {}

        /** The Service has it. */
        record InUse() implements State {}

        /** Somebody else has it: {@code namespace/name} of a Service, or else what the IPAddress names. */
        record Taken(String by) implements State {}

        /** It makes no sense. */
        record Refused(String message) implements State {}
    }

    public Reservations {
        outcomes = List.copyOf(outcomes);
        unwanted = List.copyOf(unwanted);
    }

    /**
     * Decides about all of them.
     *
     * @param holders which Service has which cluster IP
     * @param handedOver the addresses whose object somebody deleted, since when; older ones do not matter
     */
    public static Reservations of(
            List<Reservation> wanted,
            Collection<ServiceCidr> cidrs,
            ClusterIps ips,
            Map<Ip, ServiceKey> holders,
            Map<Ip, Instant> handedOver,
            Instant now) {
        return new Decision(cidrs, ips, holders, handedOver, now).of(wanted);
    }

    /** The addresses whose object is to be made, or to be deleted. */
    public List<Ip> touched() {
        return Stream.concat(
                        unwanted.stream().map(ClusterIp::ip),
                        outcomes.stream()
                                .flatMap(outcome -> outcome.state() instanceof State.Reserve(Ip ip)
                                        ? Stream.of(ip)
                                        : Stream.empty()))
                .distinct()
                .toList();
    }

    /**
     * The same, but what a Service has is not touched, with an IPAddress or without: one that was deleted by hand
     * is made again by the API server, and one of Berth's gets the API server's labels.
     *
     * @param holders which Service has which of the {@link #touched} addresses
     */
    public Reservations sparing(Map<Ip, ServiceKey> holders) {
        return new Reservations(
                outcomes.stream().map(outcome -> sparing(outcome, holders)).toList(),
                unwanted.stream()
                        .filter(object -> !holders.containsKey(object.ip()))
                        .toList());
    }

    /** The same, but what is kept stays so, for nobody knows whether it is still asked for. */
    public Reservations withoutGivingBack() {
        return new Reservations(outcomes.stream().map(this::withoutGivingBack).toList(), List.of());
    }

    private Outcome withoutGivingBack(Outcome outcome) {
        return unwanted.stream()
                .filter(object -> outcome.state().equals(new State.Reserve(object.ip())))
                .findFirst()
                .map(object -> new Outcome(
                        outcome.reservation(),
                        new State.Refused(object.ip() + " is still reserved for Service " + object.owner()
                                + ": nothing is released while a ClusterIPReservation or the ServiceCIDRPolicy cannot"
                                + " be read")))
                .orElse(outcome);
    }

    private static Outcome sparing(Outcome outcome, Map<Ip, ServiceKey> holders) {
        ServiceKey holder = outcome.state() instanceof State.Reserve(Ip ip) ? holders.get(ip) : null;
        return holder == null
                ? outcome
                : new Outcome(
                        outcome.reservation(),
                        held(holder, outcome.reservation().service()));
    }

    private static State held(ServiceKey holder, ServiceKey service) {
        return holder.equals(service) ? new State.InUse() : new State.Taken(holder.toString());
    }

    /** When one of them is due again by itself; absent: none is. */
    public Optional<Instant> again() {
        return outcomes.stream()
                .map(Outcome::state)
                .filter(State.HandingOver.class::isInstance)
                .map(state -> ((State.HandingOver) state).until())
                .min(Comparator.naturalOrder());
    }

    private record Decision(
            Collection<ServiceCidr> cidrs,
            ClusterIps ips,
            Map<Ip, ServiceKey> holders,
            Map<Ip, Instant> handedOver,
            Instant now) {

        Reservations of(List<Reservation> wanted) {
            Map<Ip, ServiceKey> firstOf = new HashMap<>();
            List<Outcome> outcomes = new ArrayList<>();
            for (Reservation reservation : wanted) {
                Optional<Ip> ip = Ip.find(reservation.address());
                ServiceKey first = ip.map(found -> firstOf.putIfAbsent(found, reservation.service()))
                        .orElse(null);
                State state = first == null
                        ? ip.map(found -> state(found, reservation.service())).orElseGet(() -> noAddress(reservation))
                        : twice(reservation, first);
                outcomes.add(new Outcome(reservation, state));
            }
            List<ClusterIp> unwanted = ips.reservations().stream()
                    .filter(object -> !isFor(object, firstOf.get(object.ip())))
                    .toList();
            return new Reservations(outcomes, unwanted);
        }

        private static State noAddress(Reservation reservation) {
            return new State.Refused(reservation.address() + " is not an IP address");
        }

        private static State twice(Reservation reservation, ServiceKey first) {
            return new State.Refused(reservation.address() + " is requested twice, for " + first + " and for "
                    + reservation.service() + "; the first one counts, remove one of them");
        }

        private static boolean isFor(ClusterIp object, @Nullable ServiceKey service) {
            return service != null && object.service().equals(Optional.of(service));
        }

        private State state(Ip ip, ServiceKey service) {
            ServiceKey holder = holders.get(ip);
            if (holder != null) {
                return held(holder, service);
            }
            return ips.get(ip).map(object -> state(object, service)).orElseGet(() -> free(ip));
        }

        /** An object for the Service that is not Berth's: the API server is just creating it. */
        private State state(ClusterIp object, ServiceKey service) {
            if (!object.isReservation()) {
                return isFor(object, service) ? new State.InUse() : new State.Taken(object.owner());
            }
            return fault(object.ip())
                    .<State>map(State.Refused::new)
                    .orElseGet(() ->
                            isFor(object, service) ? new State.Reserved(object.ip()) : new State.Reserve(object.ip()));
        }

        private State free(Ip ip) {
            Optional<String> fault = fault(ip);
            if (fault.isPresent()) {
                return new State.Refused(fault.get());
            }
            return Optional.ofNullable(handedOver.get(ip))
                    .map(since -> since.plus(HANDOVER))
                    .filter(now::isBefore)
                    .<State>map(State.HandingOver::new)
                    .orElseGet(() -> new State.Reserve(ip));
        }

        /** Why it cannot be kept; absent: it is in the static band of a range that is ready. */
        private Optional<String> fault(Ip ip) {
            List<ServiceCidr> around =
                    cidrs.stream().filter(cidr -> cidr.contains(ip)).toList();
            List<ServiceCidr> ready =
                    around.stream().filter(ServiceCidr::isReady).toList();
            if (around.isEmpty()) {
                return Optional.of(excludedRanges(ip).orElse(ip + " is in no ServiceCIDR"));
            }
            if (ready.isEmpty()) {
                return Optional.of(ip + " is in ServiceCIDR \""
                        + around.getFirst().name() + "\", which no longer allocates addresses");
            }
            return ready.stream().flatMap(cidr -> staticBand(cidr, ip).stream()).anyMatch(band -> band.contains(ip))
                    ? Optional.empty()
                    : Optional.of(ip + " is not in the static band of ServiceCIDR \""
                            + ready.getFirst().name() + "\": "
                            + staticBand(ready.getFirst(), ip)
                                    .map(band -> "choose one of " + band)
                                    .orElse("it is so small that it has none"));
        }

        /** That it is one of the ends of a range, if so. */
        private Optional<String> excludedRanges(Ip ip) {
            return cidrs.stream()
                    .flatMap(cidr -> cidr.ranges().stream()
                            .filter(range -> range.whole().contains(ip))
                            .map(range -> ip + " is the " + (ip.equals(range.network()) ? "network's own" : "broadcast")
                                    + " address of ServiceCIDR \"" + cidr.name() + "\" (" + range
                                    + "), which is never allocated"))
                    .findFirst();
        }

        private static Optional<IpRange> staticBand(ServiceCidr cidr, Ip ip) {
            return cidr.range(ip.family()).flatMap(ServiceRange::staticBand);
        }
    }
}
