package dev.berth.telemetry;

import dev.berth.address.IpFamily;
import dev.berth.address.Ledger;
import dev.berth.address.Pool;
import dev.berth.address.PoolUse;
import dev.berth.controller.service.ServiceMetrics;
import dev.berth.plan.ServicePlan.LeaveAlone.Reason;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** What is counted of Services and addresses. */
public final class ServiceMeters implements ServiceMetrics {
    private final MeterRegistry registry;
    private final Ledger ledger;
    private final AtomicInteger ipModeDropped = new AtomicInteger();
    private final Map<Reason, AtomicInteger> leftAlone = new EnumMap<>(Reason.class);
    private final MultiGauge capacity;
    private final MultiGauge allocated;
    private final MultiGauge waiting;

    public ServiceMeters(MeterRegistry registry, Ledger ledger) {
        this.registry = registry;
        this.ledger = ledger;
        Gauge.builder("berth.ipmode.dropped", ipModeDropped, AtomicInteger::get)
                .description("1 while the API server drops status.loadBalancer.ingress[].ipMode")
                .register(registry);
        Gauge.builder("berth.services.waiting", ledger, known -> known.waiting().size())
                .description("Services that wait for an address")
                .register(registry);
        for (Reason reason : Reason.values()) {
            AtomicInteger count = new AtomicInteger();
            leftAlone.put(reason, count);
            Gauge.builder("berth.services.left.alone", count, AtomicInteger::get)
                    .description("Services that want a load balancer and are left alone")
                    .tag("reason", reason.name())
                    .register(registry);
        }
        capacity = gauge("berth.pool.capacity", "addresses that a pool can give out");
        allocated = gauge("berth.pool.allocated", "addresses of a pool that are claimed");
        waiting = gauge("berth.pool.waiting", "Services that wait for an address of a pool");
    }

    private MultiGauge gauge(String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    /** The pools changed: one that came has gauges from now on, one that went has none. */
    public void refresh() {
        List<MultiGauge.Row<?>> capacities = new ArrayList<>();
        List<MultiGauge.Row<?>> allocations = new ArrayList<>();
        List<MultiGauge.Row<?>> waiters = new ArrayList<>();
        for (Pool pool : ledger.pools().pools()) {
            for (IpFamily family : IpFamily.values()) {
                Tags tags = Tags.of("pool", pool.name(), "family", family.toString());
                capacities.add(row(tags, pool.name(), family, PoolUse::capacity));
                allocations.add(row(tags, pool.name(), family, PoolUse::allocated));
                waiters.add(row(tags, pool.name(), family, PoolUse::waiting));
            }
        }
        capacity.register(capacities, true);
        allocated.register(allocations, true);
        waiting.register(waiters, true);
    }

    private MultiGauge.Row<?> row(Tags tags, String pool, IpFamily family, Function<PoolUse, Number> what) {
        return MultiGauge.Row.of(
                tags, ledger, known -> what.apply(known.use(pool, family)).doubleValue());
    }

    @Override
    public void ipModeDropped(boolean dropped) {
        ipModeDropped.set(dropped ? 1 : 0);
    }

    @Override
    public void statusOverwritten() {
        registry.counter("berth.status.overwritten").increment();
    }

    @Override
    public void assigned() {
        registry.counter("berth.services.assigned").increment();
    }

    @Override
    public void leftAlone(Reason reason, int services) {
        Optional.ofNullable(leftAlone.get(reason)).ifPresent(count -> count.set(services));
    }

    @Override
    public void failed() {
        registry.counter("berth.services.failed").increment();
    }
}
