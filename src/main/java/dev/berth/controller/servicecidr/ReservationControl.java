package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.Retry;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.ServiceCidr;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Keeps the cluster IPs that ClusterIPReservations ask for, and has each say what became of it. */
final class ReservationControl {
    private static final Duration BLIND = Duration.ofSeconds(30);

    /** Who has an address is also read from Services, of whose changes nobody tells: with a policy, its audit looks. */
    private static final Duration WITHOUT_POLICY = Duration.ofMinutes(1);

    /** Of two for one address the older one counts. */
    private static final Comparator<ClusterIPReservation> BY_AGE = Comparator.<ClusterIPReservation, String>comparing(
                    object -> String.valueOf(object.getMetadata().getCreationTimestamp()))
            .thenComparing(object -> object.getMetadata().getName());

    private final Caches caches;
    private final ClusterNetwork network;
    private final ReservationStatuses statuses;
    private final Backoff backoff;
    private final InstantSource steady;
    private final AddressReservations addresses;

    /** Whether the last list had no IPAddress that keeps an address. */
    private boolean nothingKept;

    /** When IPAddresses that keep an address may be listed again. */
    private Instant listAgain = Instant.MIN;

    /** When those statuses may be written again that could not be. */
    private Retry unwritten = Retry.AT_ONCE;

    ReservationControl(
            Caches caches,
            ClusterNetwork network,
            ReservationStatuses statuses,
            Backoff backoff,
            InstantSource steady) {
        this.caches = caches;
        this.network = network;
        this.statuses = statuses;
        this.backoff = backoff;
        this.steady = steady;
        addresses = new AddressReservations(caches, network, backoff, steady);
    }

    /**
     * What became of those that were asked for beside the ClusterIPReservations.
     *
     * @param again when to look again; absent: on an event
     */
    record Kept(Reservations others, Optional<Instant> again) {}

    /** An IPAddress is gone. */
    void released(ClusterIp before) {
        addresses.released(before);
    }

    /**
     * Keeps what is asked for, and gives back the rest.
     *
     * @param others what is kept beside the ClusterIPReservations, but for addresses that one of them names
     */
    Kept keep(List<Reservation> others, List<ServiceCidr> cidrs) {
        return keep(others, cidrs, true);
    }

    /** @param complete whether {@code others} is all of what is kept beside them; if not, nothing is given back */
    private Kept keep(List<Reservation> others, List<ServiceCidr> cidrs, boolean complete) {
        nothingKept = false;
        listAgain = Instant.MIN;
        List<ReservationStatuses.Says> says = new ArrayList<>();
        List<ClusterIPReservation> readable = new ArrayList<>();
        for (ClusterIPReservation object : all()) {
            ReservationStatus.unreadable(object)
                    .ifPresentOrElse(
                            fault -> says.add(new ReservationStatuses.Says(object, fault)), () -> readable.add(object));
        }
        List<Reservation> asked =
                readable.stream().map(ReservationControl::reservation).toList();
        List<Reservation> more =
                others.stream().filter(one -> !isAmong(asked, one)).toList();
        Reservations kept = addresses.keep(
                Stream.concat(asked.stream(), more.stream()).toList(), cidrs, complete && says.isEmpty());
        for (int i = 0; i < readable.size(); i++) {
            says.add(new ReservationStatuses.Says(
                    readable.get(i),
                    ReservationStatus.of(readable.get(i), kept.outcomes().get(i))));
        }
        return new Kept(
                new Reservations(
                        kept.outcomes().subList(readable.size(), kept.outcomes().size()), List.of()),
                Next.earliest(Stream.of(addresses.again(kept), written(statuses.tell(says)))));
    }

    /** When to write statuses again; absent: all are written. */
    private Optional<Instant> written(boolean complete) {
        unwritten = complete ? Retry.AT_ONCE : unwritten.failed(backoff, steady.instant());
        return complete ? Optional.empty() : Optional.of(unwritten.notBefore());
    }

    /**
     * The same while no ServiceCIDRPolicy is in effect, or it cannot be read.
     *
     * @param complete whether nothing else is asked for; if not, there is a policy, and what is kept for it stays
     * @return when to look again; absent: on an event
     */
    Optional<Instant> keepAlone(boolean complete) {
        List<ClusterIPReservation> all = all();
        if (all.isEmpty()) {
            return complete ? releaseAll() : Optional.empty();
        }
        Optional<String> blind = network.watchClusterIps();
        if (blind.isPresent()) {
            return Optional.of(cannotWatch(blind.get()));
        }
        return Next.earliest(Stream.of(
                keep(List.of(), network.serviceCidrs(), complete).again(),
                Optional.of(steady.instant().plus(WITHOUT_POLICY))));
    }

    private Optional<Instant> releaseAll() {
        // One whose creation was not answered in time may come late. The index has it, if IPAddresses are watched.
        if (nothingKept && network.askClusterIps(ips -> ips.reservations().isEmpty())) {
            return Optional.empty();
        }
        if (steady.instant().isBefore(listAgain)) {
            return Optional.of(listAgain);
        }
        Optional<Instant> again = addresses.releaseAll();
        nothingKept = again.isEmpty();
        listAgain = again.orElse(Instant.MIN);
        return again;
    }

    /**
     * IPAddresses cannot be watched, so nothing is done.
     *
     * @return when to look again
     */
    Instant cannotWatch(String message) {
        return Next.earliest(Stream.of(
                        Optional.of(steady.instant().plus(BLIND)),
                        written(statuses.tell(all(), ReservationStatus.notReady(Reason.CannotWatch, message)))))
                .orElseThrow();
    }

    private List<ClusterIPReservation> all() {
        return caches.reservations().list().sorted(BY_AGE).toList();
    }

    private static Reservation reservation(ClusterIPReservation object) {
        ClusterIPReservation.Spec spec = object.getSpec();
        return new Reservation(
                spec.address(),
                new ServiceKey(spec.service().namespace(), spec.service().name()));
    }

    private static boolean isAmong(List<Reservation> asked, Reservation other) {
        Optional<Ip> ip = Ip.find(other.address());
        return asked.stream().anyMatch(one -> Ip.find(one.address()).equals(ip));
    }
}
