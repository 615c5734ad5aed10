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
import java.util.EnumMap;
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
    private final Map<Reason, AtomicInteger> skipped = new EnumMap<>(Reason.class);
    private final Map<MultiGauge, Function<PoolUse, Number>> pools = new LinkedHashMap<>();
    private final MultiGauge stranded;
    private final Map<ServiceKey, String> reasons = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> orphaned = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> stuckCalls = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> waiting = new ConcurrentHashMap<>();

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
        for (Reason reason : ServicePlan.Skip.REASONS) {
            AtomicInteger count = new AtomicInteger();
            skipped.put(reason, count);
            Gauge.builder("berth.services.skipped", count, AtomicInteger::get)
                    .description("Services that want a load balancer and are skipped")
                    .tag("reason", reason.name())
                    .register(registry);
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

    /** Shows how many addresses nobody announces although their Services have endpoints: {@code berth_addresses_unannounced}. */
    public static void showUnannounced(Supplier<Number> count, MeterRegistry registry) {
        Gauge.builder("berth.addresses.unannounced", count)
                .description("addresses that nobody announces although their Services have endpoints")
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
            reason.ifPresent(now -> waiting(now).incrementAndGet());
            Optional.ofNullable(before).ifPresent(old -> waiting(old).decrementAndGet());
        }
    }

    private AtomicInteger waiting(String reason) {
        return waiting.computeIfAbsent(reason, none -> {
            AtomicInteger count = new AtomicInteger();
            Gauge.builder("berth.services.waiting", count, AtomicInteger::get)
                    .description("Services that wait for an address")
                    .tag("reason", reason)
                    .register(registry);
            return count;
        });
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
        Optional.ofNullable(skipped.get(reason)).ifPresent(count -> count.set(services));
    }

    @Override
    public void orphaned(String provider, int loadBalancers) {
        orphaned.computeIfAbsent(provider, name -> {
                    AtomicInteger count = new AtomicInteger();
                    Gauge.builder("berth.load.balancers.orphaned", count, AtomicInteger::get)
                            .description("load balancers of Services that no longer exist")
                            .tag("provider", name)
                            .register(registry);
                    return count;
                })
                .set(loadBalancers);
    }

    @Override
    public void stuckCalls(String className, int calls) {
        stuckCalls
                .computeIfAbsent(className, name -> {
                    AtomicInteger count = new AtomicInteger();
                    Gauge.builder("berth.provider.stuck.calls", count, AtomicInteger::get)
                            .description("calls to the provider of a class that exceeded their deadline and have not"
                                    + " returned")
                            .tag("class", name)
                            .register(registry);
                    return count;
                })
                .set(calls);
    }

    @Override
    public void failed() {
        registry.counter(FAILED).increment();
    }
}
