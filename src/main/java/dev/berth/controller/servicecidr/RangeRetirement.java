package dev.berth.controller.servicecidr;

import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.ip.IpFamily;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.ServiceCidr;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has ranges drain: deletes their ServiceCIDRs, which their controller holds until they are empty. */
final class RangeRetirement {
    private static final Logger LOG = LoggerFactory.getLogger(RangeRetirement.class);

    /**
     * Where there was no room there must be some for this long. Services that are recreated are away for a moment, and
     * need their addresses again.
     */
    private static final Duration LASTING = Duration.ofMinutes(1);

    /**
     * One range that is to go.
     *
     * @param failure why it could not be deleted; absent: it could, or need not be
     */
    record Outcome(Retirement retirement, Optional<String> failure) {
        /** Why it is not being deleted; absent: it is, or will be. */
        Optional<String> objection() {
            return switch (retirement.verdict()) {
                case Retirement.Verdict.Refused(String message) -> Optional.of(message);
                case Retirement.Verdict.NoRoom(String message) -> Optional.of(message);
                default -> failure;
            };
        }

        /** What it waits for before it is deleted; absent: for nothing. */
        Optional<String> waiting() {
            return retirement.verdict() instanceof Retirement.Verdict.Waiting(String message)
                    ? Optional.of(message)
                    : Optional.empty();
        }
    }

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Retries<String, String> retries;

    /** When there was no room last, by the name of the range that was to go. */
    private final Map<String, NoRoom> noRoom = new HashMap<>();

    /**
     * There was no room.
     *
     * @param cidrs the uids of all ServiceCIDRs then
     */
    private record NoRoom(Instant at, List<String> cidrs) {}

    RangeRetirement(Caches caches, ClusterNetwork network, Backoff backoff, InstantSource clock, InstantSource steady) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
        this.steady = steady;
        this.retries = new Retries<>(backoff, steady);
    }

    /**
     * Looks at each range that is asked to retire.
     *
     * @param growable how many addresses of a family may come by new ranges, in a moment
     */
    List<Outcome> retire(List<ServiceCidr> cidrs, Function<IpFamily, BigInteger> growable) {
        BiFunction<List<ServiceCidr>, ClusterIps, List<Retirement>> decide = (all, ips) -> Retirement.of(
                all,
                ips,
                key -> caches.services().get(key.namespace(), key.name()).isPresent(),
                growable,
                clock.instant());
        List<Retirement> retirements = network.askClusterIps(ips -> decide.apply(cidrs, ips));
        List<String> names = retirements.stream().map(Retirement::name).toList();
        retries.retain(names);
        noRoom.keySet().retainAll(names);
        return retirements.stream()
                .flatMap(retirement -> act(retirement, cidrs, decide).stream())
                .toList();
    }

    /** When to try again what failed; absent: nothing did. */
    Optional<Instant> again() {
        return Next.earliest(Stream.concat(
                Stream.of(retries.again()),
                noRoom.values().stream().map(seen -> Optional.of(seen.at().plus(LASTING)))));
    }

    /** Absent: it is not to retire any more, or is gone. */
    private Optional<Outcome> act(
            Retirement retirement,
            List<ServiceCidr> cidrs,
            BiFunction<List<ServiceCidr>, ClusterIps, List<Retirement>> decide) {
        String name = retirement.name();
        if (!(retirement.verdict() instanceof Retirement.Verdict.Delete)) {
            return Optional.of(stays(retirement, cidrs));
        }
        Optional<String> tooSoon = tooSoon(name, cidrs);
        if (tooSoon.isPresent()) {
            retries.done(name);
            return Optional.of(new Outcome(retirement, tooSoon));
        }
        noRoom.remove(name);
        Optional<String> tooEarly = retries.tooEarly(name);
        if (tooEarly.isPresent()) {
            return Optional.of(new Outcome(retirement, tooEarly));
        }
        return LiveRanges.read(network)
                .<Optional<Outcome>>then(live -> new Read.Found<>(decide.apply(live.cidrs(), live.ips()).stream()
                        .filter(now -> now.serviceCidr()
                                .uid()
                                .equals(retirement.serviceCidr().uid()))
                        .findFirst()
                        .map(now -> delete(now, live.cidrs()))))
                .orElse(message -> Optional.of(
                        new Outcome(retirement, failed(name, "the API server cannot be asked before: " + message))));
    }

    private Outcome stays(Retirement retirement, List<ServiceCidr> cidrs) {
        String name = retirement.name();
        retries.done(name);
        if (retirement.verdict() instanceof Retirement.Verdict.NoRoom) {
            noRoom.put(name, new NoRoom(steady.instant(), uids(cidrs)));
        } else {
            noRoom.remove(name);
        }
        return new Outcome(retirement, Optional.empty());
    }

    /** By what the API server has now. */
    private Outcome delete(Retirement retirement, List<ServiceCidr> live) {
        if (!(retirement.verdict() instanceof Retirement.Verdict.Delete)) {
            return stays(retirement, live);
        }
        String name = retirement.name();
        return new Outcome(
                retirement,
                switch (network.deleteServiceCidr(retirement.serviceCidr())) {
                    case Write.Done<ServiceCidr> done -> deleted(name);
                    case Write.NotFound<ServiceCidr> gone -> deleted(name);
                    case Write.Conflict<ServiceCidr>(String message) -> failed(name, message);
                    case Write.Refused<ServiceCidr>(String message) -> failed(name, message);
                    case Write.Unknown<ServiceCidr>(String message) -> failed(name, message);
                });
    }

    /** Another range is room that lasts. */
    private Optional<String> tooSoon(String name, List<ServiceCidr> cidrs) {
        Instant now = steady.instant();
        return Optional.ofNullable(noRoom.get(name))
                .filter(seen -> now.isBefore(seen.at().plus(LASTING)))
                .filter(seen -> seen.cidrs().containsAll(uids(cidrs)))
                .map(seen -> "there was no room without ServiceCIDR \"" + name + "\"; there is now, and it retires if"
                        + " there still is at "
                        + clock.instant()
                                .plus(Duration.between(now, seen.at().plus(LASTING)))
                                .truncatedTo(ChronoUnit.SECONDS));
    }

    private static List<String> uids(List<ServiceCidr> cidrs) {
        return cidrs.stream().map(ServiceCidr::uid).toList();
    }

    private Optional<String> deleted(String name) {
        LOG.info("ServiceCIDR \"{}\" retires: deleted, it no longer allocates addresses", name);
        retries.done(name);
        return Optional.empty();
    }

    private Optional<String> failed(String name, String message) {
        LOG.warn("ServiceCIDR \"{}\" cannot be deleted: {}", name, message);
        return Optional.of(retries.failed(name, "ServiceCIDR \"" + name + "\" cannot be deleted: " + message));
    }
}
