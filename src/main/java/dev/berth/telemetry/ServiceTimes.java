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

/**
 * How long Services take to their first address, from the event by which they are seen to want one: {@code
 * berth_service_address_seconds}; and from there until a node announces it: {@code berth_service_announced_seconds}. Each
 * counts once, and one that had an address when it was seen does not.
 */
public final class ServiceTimes {
    private final MeterRegistry registry;
    private final Timer address;
    private final Timer announced;
    private final Map<ServiceKey, Seen> seen = new ConcurrentHashMap<>();

    public ServiceTimes(MeterRegistry registry) {
        this.registry = registry;
        this.address = histogram(
                "berth.service.address",
                "from the event by which a Service is seen to want a load balancer to its first address");
        this.announced = histogram(
                "berth.service.announced",
                "from the first address of a Service to a status that says who announces it");
    }

    private Timer histogram(String name, String description) {
        return Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(
                        Stream.of(50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000)
                                .map(Duration::ofMillis)
                                .toArray(Duration[]::new))
                .register(registry);
    }

    private enum Awaits {
        ADDRESS,
        ANNOUNCEMENT,
        NOTHING
    }

    /** @param since when it began to wait for that, by the registry's clock */
    private record Seen(String uid, Awaits awaits, long since) {}

    /**
     * This process leads from now on: what it saw of Services while another one served them is forgotten.
     *
     * @param services all there are
     */
    public void lead(Stream<Service> services) {
        seen.clear();
        services.forEach(this::seen);
    }

    /** A Service came, or changed. */
    public void seen(Service service) {
        ServiceKey key = key(service);
        if (!"LoadBalancer".equals(service.getSpec().getType())) {
            seen.remove(key);
            return;
        }
        String uid = service.getMetadata().getUid();
        Seen first = new Seen(uid, hasAddress(service) ? Awaits.NOTHING : Awaits.ADDRESS, now());
        seen.compute(key, (_, before) -> before == null || !before.uid().equals(uid) ? first : before);
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

    private long now() {
        return registry.config().clock().monotonicTime();
    }

    void deleted(Service service) {
        seen.remove(key(service));
    }

    /** The status of a Service names an address from now on. */
    void published(ServiceKey service, String uid) {
        advance(service, uid, Awaits.ADDRESS, Awaits.ANNOUNCEMENT, address);
    }

    /** The status of a Service says from now on that its addresses are announced. */
    void announced(ServiceKey service, String uid) {
        advance(service, uid, Awaits.ANNOUNCEMENT, Awaits.NOTHING, announced);
    }

    private void advance(ServiceKey service, String uid, Awaits from, Awaits to, Timer timer) {
        long now = now();
        Seen before = seen.get(service);
        if (before != null
                && before.awaits() == from
                && before.uid().equals(uid)
                && seen.replace(service, before, new Seen(uid, to, now))) {
            timer.record(now - before.since(), TimeUnit.NANOSECONDS);
        }
    }
}
