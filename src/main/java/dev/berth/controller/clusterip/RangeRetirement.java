package dev.berth.controller.clusterip;

import dev.berth.clusterip.Retirement;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.controller.Backoff;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Write;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has ranges drain: deletes their ServiceCIDRs, which their controller holds until they are empty. */
final class RangeRetirement {
    private static final Logger LOG = LoggerFactory.getLogger(RangeRetirement.class);

    /**
     * One range that is to go.
     *
     * @param failure why it could not be deleted; absent: it could, or need not be
     */
    record Outcome(Retirement retirement, Optional<String> failure) {}

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final Retries<String, String> retries;

    RangeRetirement(Caches caches, ClusterNetwork network, Backoff backoff, InstantSource clock) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
        this.retries = new Retries<>(backoff, clock);
    }

    /** Looks at each range of these names. */
    List<Outcome> retire(List<String> names, List<ServiceCidr> cidrs) {
        retries.retain(names);
        List<Retirement> retirements = network.askClusterIps(ips -> Retirement.of(
                names,
                cidrs,
                ips,
                key -> caches.services().get(key.namespace(), key.name()).isPresent(),
                clock.instant()));
        return retirements.stream()
                .map(retirement -> new Outcome(retirement, act(retirement, cidrs)))
                .toList();
    }

    /** When to try again what failed; absent: nothing did. */
    Optional<Instant> again() {
        return retries.again();
    }

    private Optional<String> act(Retirement retirement, List<ServiceCidr> cidrs) {
        String name = retirement.serviceCidr();
        if (!(retirement.verdict() instanceof Retirement.Verdict.Delete(String uid))) {
            retries.done(name);
            return Optional.empty();
        }
        Optional<String> tooEarly = retries.tooEarly(name);
        if (tooEarly.isPresent()) {
            return tooEarly;
        }
        ServiceCidr cidr = cidrs.stream()
                .filter(known -> known.uid().equals(uid))
                .findFirst()
                .orElseThrow();
        return switch (network.deleteServiceCidr(cidr)) {
            case Write.Done<ServiceCidr> done -> deleted(name);
            case Write.NotFound<ServiceCidr> gone -> deleted(name);
            case Write.Conflict<ServiceCidr>(String message) -> failed(name, message);
            case Write.Refused<ServiceCidr>(String message) -> failed(name, message);
            case Write.Unknown<ServiceCidr>(String message) -> failed(name, message);
        };
    }

    private Optional<String> deleted(String name) {
        LOG.info("ServiceCIDR \"{}\" retires: deleted, it gives no addresses any more", name);
        retries.done(name);
        return Optional.empty();
    }

    private Optional<String> failed(String name, String message) {
        LOG.warn("ServiceCIDR \"{}\" cannot be deleted: {}", name, message);
        return Optional.of(retries.failed(name, "ServiceCIDR \"" + name + "\" cannot be deleted: " + message));
    }
}
