package dev.berth.controller.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.Retry;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.ServiceCidr;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps addresses for Services to come, by IPAddress objects of Berth's own. */
final class AddressReservations {
    private static final Logger LOG = LoggerFactory.getLogger(AddressReservations.class);

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final Backoff backoff;
    private final Retries<Ip, String> retries;

    /** The addresses whose object somebody deleted: the Service may be created with it now. */
    private final Map<Ip, Instant> handedOver = new ConcurrentHashMap<>();

    /** The objects that are deleted here, which hands nothing over. */
    private final Set<String> releasing = ConcurrentHashMap.newKeySet();

    /** When they may be listed again. */
    private Retry unlisted = Retry.AT_ONCE;

    AddressReservations(Caches caches, ClusterNetwork network, Backoff backoff, InstantSource clock) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
        this.backoff = backoff;
        this.retries = new Retries<>(backoff, clock);
    }

    /** An IPAddress is gone. */
    void released(ClusterIp before) {
        if (before.isReservation() && !releasing.remove(before.uid())) {
            handedOver.put(before.ip(), clock.instant());
        }
    }

    /**
     * Makes and deletes what is to be made and deleted.
     *
     * @param complete whether {@code asked} is all that is asked for; if not, nothing is deleted
     * @return how it is with each; where a write failed, as Refused with the reason
     */
    Reservations keep(List<Reservation> asked, List<ServiceCidr> cidrs, boolean complete) {
        Instant now = clock.instant();
        handedOver.values().removeIf(since -> !now.isBefore(since.plus(Reservations.HANDOVER)));
        Reservations all = network.askClusterIps(
                ips -> Reservations.of(asked, cidrs, ips, holders(asked, ips), new HashMap<>(handedOver), now));
        Reservations decided = spared(complete ? all : all.withoutGivingBack());
        retries.retain(decided.touched());
        decided.unwanted().forEach(this::release);
        return new Reservations(decided.outcomes().stream().map(this::made).toList(), decided.unwanted());
    }

    /** Of the addresses asked for, those that the Service has for which they are kept, or which the object names. */
    private Map<Ip, ServiceKey> holders(List<Reservation> asked, ClusterIps ips) {
        Map<Ip, ServiceKey> holders = new LinkedHashMap<>();
        for (Reservation one : asked) {
            Ip.find(one.address())
                    .ifPresent(ip -> Stream.concat(
                                    ips.get(ip).flatMap(ClusterIp::service).stream(), Stream.of(one.service()))
                            .filter(key -> has(key, ip))
                            .findFirst()
                            .ifPresent(key -> holders.put(ip, key)));
        }
        return holders;
    }

    private boolean has(ServiceKey key, Ip ip) {
        return caches.services()
                .get(key.namespace(), key.name())
                .filter(service -> ClusterServices.of(service).ips().anyMatch(ip::equals))
                .isPresent();
    }

    /** An address may be a Service's without an IPAddress. To look for it takes all Services, so only if it matters. */
    private Reservations spared(Reservations decided) {
        Set<Ip> touched = new HashSet<>(decided.touched());
        touched.removeIf(ip -> retries.tooEarly(ip).isPresent());
        return touched.isEmpty() ? decided : decided.sparing(holders(touched));
    }

    private Map<Ip, ServiceKey> holders(Set<Ip> touched) {
        Map<Ip, ServiceKey> holders = new HashMap<>();
        caches.services()
                .list()
                .map(ClusterServices::of)
                .forEach(service ->
                        service.ips().filter(touched::contains).forEach(ip -> holders.put(ip, service.key())));
        return holders;
    }

    private Reservations.Outcome made(Reservations.Outcome decided) {
        if (!(decided.state() instanceof Reservations.State.Reserve(Ip ip))) {
            return decided;
        }
        ServiceKey service = decided.reservation().service();
        Optional<String> tooEarly = retries.tooEarly(ip);
        if (tooEarly.isPresent()) {
            return refused(decided, tooEarly.get());
        }
        return switch (network.reserve(ip, service)) {
            case Write.Done<ClusterIp> done -> {
                LOG.info("cluster IP {} is reserved for Service {}", ip, service);
                retries.done(ip);
                yield new Reservations.Outcome(decided.reservation(), new Reservations.State.Reserved(ip));
            }
            // Somebody was faster; who, the watch will tell.
            case Write.Conflict<ClusterIp> taken -> decided;
            case Write.NotFound<ClusterIp>(String message) -> failed(decided, ip, message);
            case Write.Refused<ClusterIp>(String message) -> failed(decided, ip, message);
            case Write.Unknown<ClusterIp>(String message) -> failed(decided, ip, message);
        };
    }

    private Reservations.Outcome failed(Reservations.Outcome decided, Ip ip, String message) {
        LOG.warn("cluster IP {} cannot be reserved: {}", ip, message);
        return refused(decided, retries.failed(ip, ip + " cannot be kept: " + message));
    }

    private static Reservations.Outcome refused(Reservations.Outcome decided, String message) {
        return new Reservations.Outcome(decided.reservation(), new Reservations.State.Refused(message));
    }

    /**
     * Gives back what is kept, for nobody asks for anything any more. It is asked for live: IPAddresses may not be
     * watched then.
     *
     * @return when to try again; absent: nothing is kept any more
     */
    Optional<Instant> releaseAll() {
        return switch (network.readReservations()) {
            case Read.Found<List<ClusterIp>>(List<ClusterIp> kept) -> {
                unlisted = Retry.AT_ONCE;
                Reservations unwanted = spared(new Reservations(List.of(), kept));
                retries.retain(unwanted.touched());
                unwanted.unwanted().forEach(this::release);
                yield retries.again();
            }
            case Read.Absent<List<ClusterIp>> none -> Optional.empty();
            case Read.Failed<List<ClusterIp>>(String message) -> {
                LOG.warn("unused cluster IP reservations cannot be listed: {}", message);
                unlisted = unlisted.failed(backoff, clock.instant());
                yield Optional.of(unlisted.notBefore());
            }
        };
    }

    private void release(ClusterIp unwanted) {
        if (retries.tooEarly(unwanted.ip()).isPresent()) {
            return;
        }
        releasing.add(unwanted.uid());
        Write<ClusterIp> released = network.release(unwanted);
        if (!(released instanceof Write.Done<ClusterIp>)) {
            releasing.remove(unwanted.uid());
        }
        switch (released) {
            case Write.Done<ClusterIp> done -> {
                LOG.info("cluster IP {} is no longer reserved for Service {}", unwanted.ip(), unwanted.owner());
                retries.done(unwanted.ip());
            }
            // It is another by now, or gone: nothing is left that could be tried again.
            case Write.Conflict<ClusterIp> another -> retries.done(unwanted.ip());
            case Write.NotFound<ClusterIp> gone -> retries.done(unwanted.ip());
            case Write.Refused<ClusterIp>(String message) -> unreleased(unwanted, message);
            case Write.Unknown<ClusterIp>(String message) -> unreleased(unwanted, message);
        }
    }

    private void unreleased(ClusterIp unwanted, String message) {
        String failure = "IPAddress " + unwanted.ip() + ", which keeps the address for Service " + unwanted.owner()
                + ", cannot be deleted: " + message;
        LOG.warn("{}", failure);
        retries.failed(unwanted.ip(), failure);
    }

    /** When one of {@code kept} is to be made, or tried, again; absent: none. */
    Optional<Instant> again(Reservations kept) {
        return Next.earliest(Stream.of(kept.again(), retries.again()));
    }
}
