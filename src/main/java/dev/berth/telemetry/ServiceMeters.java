package dev.berth.telemetry;

import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.service.ServiceMetrics;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolUse;
import dev.berth.reason.Reason;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What is counted of Services and addresses. */
public final class ServiceMeters implements ServiceMetrics {
    private static final String ASSIGNED = "berth.services.assigned";
    private static final String FAILED = "berth.services.failed";
    private static final String OVERWRITTEN = "berth.status.overwritten";

    private final MeterRegistry registry;
    private final Ledger ledger;
    private final AtomicInteger ipModeDropped = new AtomicInteger();
    private final TaggedGauge skipped;
    private final Map<MultiGauge, Function<PoolUse, Number>> pools = new LinkedHashMap<>();
    private final MultiGauge stranded;
    private final Map<ServiceKey, String> reasons = new ConcurrentHashMap<>();
    private final TaggedGauge orphaned;
    private final TaggedGauge stuckCalls;
    private final TaggedGauge waiting;

    /** @param unreadable how many objects cannot be read, by kind; asked for with each scrape */
    public ServiceMeters(MeterRegistry registry, Ledger ledger, Map<String, Supplier<Number>> unreadable) {
        this.registry = registry;
        this.ledger = ledger;
        unreadable.forEach((kind, count) -> Gauge.builder("berth.objects.unreadable", count)
                .description("objects of which something cannot be read")
                .tag("kind", kind)
                .register(registry));
        Gauge.builder("berth.ipmode.dropped", ipModeDropped, AtomicInteger::get)
                .description("1 while the API server drops status.loadBalancer.ingress[].ipMode")
                .register(registry);
        // There from the start: what a counter begins with is no increase.
        List.of(ASSIGNED, FAILED, OVERWRITTEN).forEach(registry::counter);
        gauge("berth.pool.capacity", "addresses that a pool can allocate", PoolUse::capacity);
        gauge("berth.pool.allocated", "addresses of a pool that Services have", PoolUse::allocated);
        gauge("berth.pool.available", "addresses of a pool that are left", PoolUse::available);
        gauge("berth.pool.reserved", "addresses of a pool that are reserved", PoolUse::reserved);
        gauge(
                "berth.pool.cooling",
                "addresses of a pool that were released and may not be reused yet",
                PoolUse::cooling);
        gauge("berth.pool.waiting", "Services that wait for an address of a pool", PoolUse::waiting);
        stranded = MultiGauge.builder("berth.addresses.stranded")
                .description("addresses of Services that came from a pool and are no longer in any pool")
                .register(registry);
        waiting = new TaggedGauge(registry, "berth.services.waiting", "Services that wait for an address", "reason");
        orphaned = new TaggedGauge(
                registry,
                "berth.load.balancers.orphaned",
                "load balancers of Services that no longer exist",
                "provider");
        stuckCalls = new TaggedGauge(
                registry,
                "berth.provider.stuck.calls",
                "calls to the provider of a class that exceeded their deadline and have not returned",
                "class");
        skipped = new TaggedGauge(
                registry, "berth.services.skipped", "Services that want a load balancer and are skipped", "reason");
        for (Reason reason : ServicePlan.Skip.REASONS) {
            skipped.of(reason.name()).set(0);
        }
    }

    private void gauge(String name, String description, Function<PoolUse, Number> what) {
        pools.put(MultiGauge.builder(name).description(description).register(registry), what);
    }

    /** Shows whether this replica does the work of the operator, or stands by: {@code berth_leader}, 1 or 0. */
    public static void showLeader(BooleanSupplier leads, MeterRegistry registry) {
        Gauge.builder("berth.leader", leads, is -> is.getAsBoolean() ? 1 : 0)
                .description("1 in the replica that leads, 0 in those on standby")
                .strongReference(true)
                .register(registry);
    }

    /** The pools changed: one that came has gauges from now on, one that went has none. */
    public void refresh() {
        pools.forEach((gauge, what) -> gauge.register(
                ledger.pools().pools().stream()
                        .flatMap(pool -> Stream.of(IpFamily.values()).map(family -> row(pool.name(), family, what)))
                        .toList(),
                true));
        // One that is gone counts for as long as something of it is stranded.
        stranded.register(
                Stream.concat(ledger.pools().pools().stream().map(Pool::name), ledger.strandedPools().stream())
                        .distinct()
                        .<MultiGauge.Row<?>>map(pool -> MultiGauge.Row.of(
                                Tags.of("pool", pool),
                                ledger,
                                known -> known.stranded(pool, 0).total()))
                        .toList(),
                true);
    }

    private MultiGauge.Row<?> row(String pool, IpFamily family, Function<PoolUse, Number> what) {
        return MultiGauge.Row.of(
                Tags.of("pool", pool, "family", family.toString()),
                ledger,
                known -> what.apply(known.use(pool, family)).doubleValue());
    }

    @Override
    public void waits(ServiceKey service, Optional<String> reason) {
        String before = reason.isPresent() ? reasons.put(service, reason.get()) : reasons.remove(service);
        if (!reason.equals(Optional.ofNullable(before))) {
            reason.ifPresent(now -> waiting.of(now).incrementAndGet());
            Optional.ofNullable(before).ifPresent(old -> waiting.of(old).decrementAndGet());
        }
    }

    @Override
    public void ipModeDropped(boolean dropped) {
        ipModeDropped.set(dropped ? 1 : 0);
    }

    @Override
    public void statusOverwritten() {
        registry.counter(OVERWRITTEN).increment();
    }

    @Override
    public void assigned() {
        registry.counter(ASSIGNED).increment();
    }

    @Override
    public void skipped(Reason reason, int services) {
        skipped.of(reason.name()).set(services);
    }

    @Override
    public void orphaned(String provider, int loadBalancers) {
        orphaned.of(provider).set(loadBalancers);
    }

    @Override
    public void stuckCalls(String className, int calls) {
        stuckCalls.of(className).set(calls);
    }

    @Override
    public void failed() {
        registry.counter(FAILED).increment();
    }
}
