package dev.berth.telemetry;

import dev.berth.claim.ServiceKey;
import io.fabric8.kubernetes.api.model.LoadBalancerStatus;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How long Services take to their first address, from the event by which they are seen to want one: {@code
 * berth_service_address_seconds}. Each counts once, and one that had an address when it was seen does not.
 */
public final class TimeToAddress {
    private final MeterRegistry registry;
    private final Timer timer;
    private final Map<ServiceKey, Seen> seen = new ConcurrentHashMap<>();

    public TimeToAddress(MeterRegistry registry) {
        this.registry = registry;
        this.timer = Timer.builder("berth.service.address")
                .description("from the event by which a Service is seen to want a load balancer to its first address")
                .serviceLevelObjectives(
                        Stream.of(50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000)
                                .map(Duration::ofMillis)
                                .toArray(Duration[]::new))
                .register(registry);
    }

    /** @param since when, by the registry's clock; null: it had an address then, or has got one since */
    private record Seen(String uid, @Nullable Long since) {}

    /** A Service came, or changed. */
    void seen(Service service) {
        ServiceKey key = key(service);
        if (!"LoadBalancer".equals(service.getSpec().getType())) {
            seen.remove(key);
            return;
        }
        String uid = service.getMetadata().getUid();
        Long since = hasAddress(service) ? null : registry.config().clock().monotonicTime();
        seen.compute(key, (_, before) -> before == null || !before.uid().equals(uid) ? new Seen(uid, since) : before);
    }

    private static ServiceKey key(Service service) {
        return new ServiceKey(
                service.getMetadata().getNamespace(), service.getMetadata().getName());
    }

    private static boolean hasAddress(Service service) {
        return Optional.ofNullable(service.getStatus())
                .map(ServiceStatus::getLoadBalancer)
                .map(LoadBalancerStatus::getIngress)
                .filter(ingress -> !ingress.isEmpty())
                .isPresent();
    }

    void deleted(Service service) {
        seen.remove(key(service));
    }

    /** The status of a Service names an address from now on. */
    void published(ServiceKey service, String uid) {
        Seen before = seen.get(service);
        if (before != null
                && before.since() != null
                && before.uid().equals(uid)
                && seen.replace(service, before, new Seen(uid, null))) {
            timer.record(registry.config().clock().monotonicTime() - before.since(), TimeUnit.NANOSECONDS);
        }
    }
}
