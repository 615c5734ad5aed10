package dev.berth.telemetry;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Counts and times the writes to a cluster: {@code berth_writes_seconds{write,outcome}}; and notes which Services have got
 * an address, and whose is announced.
 */
public final class MeteredCluster implements Cluster {
    private final Cluster cluster;
    private final MeterRegistry registry;
    private final ServiceTimes serviceTimes;

    public MeteredCluster(Cluster cluster, MeterRegistry registry, ServiceTimes serviceTimes) {
        this.cluster = cluster;
        this.registry = registry;
        this.serviceTimes = serviceTimes;
    }

    private interface Call<T> {
        Write<T> send();
    }

    private <T> Write<T> timed(String write, Call<T> call) {
        long start = System.nanoTime();
        Write<T> outcome = call.send();
        registry.timer(
                        "berth.writes",
                        "write",
                        write,
                        "outcome",
                        outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT))
                .record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
        return outcome;
    }

    @Override
    public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
        return timed("create_address", () -> cluster.createClaim(ip, spec));
    }

    @Override
    public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
        return timed("update_address", () -> cluster.updateClaim(seen, spec));
    }

    @Override
    public Write<Claim> confirmClaim(Claim seen) {
        return timed("confirm_address", () -> cluster.confirmClaim(seen));
    }

    @Override
    public Write<Claim> deleteClaim(Claim seen) {
        return timed("delete_address", () -> cluster.deleteClaim(seen));
    }

    @Override
    public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
        Write<ServiceState> outcome = timed(
                dryRun ? "dry_run_service_status" : "patch_service_status",
                () -> cluster.publish(seen, difference, dryRun));
        if (!dryRun && outcome instanceof Write.Done) {
            note(seen, difference);
        }
        return outcome;
    }

    private void note(ServiceState service, Publication.Difference written) {
        if (written.ingress() != null && !written.ingress().isEmpty()) {
            serviceTimes.published(service.key(), service.uid());
        }
        if (written.conditions().stream()
                .anyMatch(condition -> condition.type().equals(WellKnownNames.ANNOUNCED)
                        && condition.status() == Condition.Status.TRUE)) {
            serviceTimes.announced(service.key(), service.uid());
        }
    }

    @Override
    public Write<ServiceState> releaseNodePorts(ServiceState seen, String ports) {
        return timed("release_node_ports", () -> cluster.releaseNodePorts(seen, ports));
    }

    @Override
    public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
        return timed("clear_service_status", () -> cluster.clear(seen, others));
    }

    @Override
    public Optional<ServiceState> service(ServiceKey key) {
        return cluster.service(key);
    }

    @Override
    public Optional<ServiceState> service(ServiceKey key, Optional<ServiceState> known) {
        return cluster.service(key, known);
    }

    @Override
    public boolean hasService(ServiceKey key) {
        return cluster.hasService(key);
    }

    @Override
    public CachedServices allServices() {
        return cluster.allServices();
    }

    @Override
    public Map<String, String> namespaceLabels(String namespace) {
        return cluster.namespaceLabels(namespace);
    }

    @Override
    public Optional<Claim> claim(Ip ip) {
        return cluster.claim(ip);
    }

    @Override
    public List<Claim> claims() {
        return cluster.claims();
    }

    @Override
    public Read<ServiceState> readService(ServiceKey key) {
        return cluster.readService(key);
    }

    @Override
    public Read<Claim> readClaim(Ip ip) {
        return cluster.readClaim(ip);
    }
}
