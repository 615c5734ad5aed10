package dev.berth.controller.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterIps;
import dev.berth.clusterip.Reservation;
import dev.berth.clusterip.Reservations;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.controller.Backoff;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.Write;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
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
    private final Retries<Ip, String> retries;

    /** The addresses whose object somebody deleted: the Service may be created with it now. */
    private final Map<Ip, Instant> handedOver = new ConcurrentHashMap<>();

    /** The objects that are deleted here, which hands nothing over. */
    private final Set<String> releasing = ConcurrentHashMap.newKeySet();

    AddressReservations(Caches caches, ClusterNetwork network, Backoff backoff, InstantSource clock) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
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
     * @return how it is with each; where a write failed, as Refused with the reason
     */
    Reservations keep(List<ServiceCIDRPolicy.Reservation> wanted, List<ServiceCidr> cidrs) {
        Instant now = clock.instant();
        handedOver.values().removeIf(since -> !now.isBefore(since.plus(Reservations.HANDOVER)));
        List<Reservation> asked = wanted.stream()
                .map(one -> new Reservation(
                        one.address(),
                        new ServiceKey(one.service().namespace(), one.service().name())))
                .toList();
        Reservations decided = network.askClusterIps(
                ips -> Reservations.of(asked, cidrs, ips, holders(asked, ips), new HashMap<>(handedOver), now));
        retries.retain(
                decided.outcomes().stream().flatMap(AddressReservations::toMake).toList());
        decided.unwanted().forEach(this::release);
        return new Reservations(decided.outcomes().stream().map(this::made).toList(), decided.unwanted());
    }

    /** Of the addresses asked for, those that a Service has. */
    private Map<Ip, ServiceKey> holders(List<Reservation> asked, ClusterIps ips) {
        Map<Ip, ServiceKey> holders = new LinkedHashMap<>();
        asked.stream()
                .flatMap(one -> Ip.find(one.address()).stream())
                .forEach(ip -> ips.get(ip)
                        .flatMap(ClusterIp::service)
                        .filter(key -> has(key, ip))
                        .ifPresent(key -> holders.put(ip, key)));
        return holders;
    }

    private boolean has(ServiceKey key, Ip ip) {
        return caches.services()
                .get(key.namespace(), key.name())
                .filter(service -> ClusterServices.clusterIps(service).contains(ip.toString()))
                .isPresent();
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
                LOG.info("cluster IP {} is kept for Service {}", ip, service);
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

    private static Stream<Ip> toMake(Reservations.Outcome decided) {
        return decided.state() instanceof Reservations.State.Reserve(Ip ip) ? Stream.of(ip) : Stream.empty();
    }

    private Reservations.Outcome failed(Reservations.Outcome decided, Ip ip, String message) {
        LOG.warn("cluster IP {} cannot be kept: {}", ip, message);
        return refused(decided, retries.failed(ip, ip + " cannot be kept: " + message));
    }

    private static Reservations.Outcome refused(Reservations.Outcome decided, String message) {
        return new Reservations.Outcome(decided.reservation(), new Reservations.State.Refused(message));
    }

    /** Gives back what is kept, for nobody asks for it any more. */
    void releaseAll() {
        network.askClusterIps(ClusterIps::reservations).forEach(this::release);
    }

    private void release(ClusterIp unwanted) {
        releasing.add(unwanted.uid());
        if (network.release(unwanted) instanceof Write.Done<ClusterIp>) {
            LOG.info("cluster IP {} is kept no longer for Service {}", unwanted.ip(), unwanted.owner());
        } else {
            releasing.remove(unwanted.uid());
        }
    }

    /** When one of {@code kept} is to be made, or tried, again; absent: none. */
    Optional<Instant> again(Reservations kept) {
        return Stream.of(kept.again(), retries.again())
                .flatMap(Optional::stream)
                .min(Instant::compareTo);
    }
}
