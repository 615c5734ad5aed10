package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities.AddressSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * All that a plan for one Service is made from.
 *
 * @param key the Service's name
 * @param service empty: there is none of that name
 * @param holdings what is held for its name, whatever the uid
 * @param deference why Services without a class are another's; empty: they are not
 * @param namespaceLabels of the Service's namespace
 * @param turn its place, should it have to wait
 * @param migrateFrom the controllers whose Services are taken over; empty: what another published is another's
 * @param askedByClass the class value by which a provider that brings its own addresses was asked for this very
 *     Service; empty: none was, as far as is remembered
 * @param age how long the Service has been there; empty: not known
 * @param othersAddresses the addresses in its status whose Address is for other Services
 */
public record ServiceSnapshot(
        ServiceKey key,
        Optional<ServiceState> service,
        List<Holding> holdings,
        PoolSet pools,
        ClassSet classes,
        Optional<Deference> deference,
        Map<String, String> namespaceLabels,
        QueuePosition turn,
        List<ForeignAnnotations> migrateFrom,
        Optional<String> askedByClass,
        Optional<Duration> age,
        List<Ip> othersAddresses) {
    /** Of one whose provider was not asked yet, and that publishes nothing of others. */
    public ServiceSnapshot(
            ServiceKey key,
            Optional<ServiceState> service,
            List<Holding> holdings,
            PoolSet pools,
            ClassSet classes,
            Optional<Deference> deference,
            Map<String, String> namespaceLabels,
            QueuePosition turn,
            List<ForeignAnnotations> migrateFrom) {
        this(
                key,
                service,
                holdings,
                pools,
                classes,
                deference,
                namespaceLabels,
                turn,
                migrateFrom,
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    public ServiceSnapshot {
        holdings = List.copyOf(holdings);
        migrateFrom = List.copyOf(migrateFrom);
        othersAddresses = List.copyOf(othersAddresses);
    }

    /** Whether other pools may make untrue what is said of the Service, if this is its plan. */
    public boolean dependsOnPools(ServicePlan plan) {
        for (Step step : plan.steps()) {
            if (step instanceof Step.Refuse) {
                return true;
            }
        }
        if (plan instanceof ServicePlan.Serve serve
                && serve.servedClass().capabilities().addresses() != AddressSource.POOLS) {
            // No pool may have what its provider answers.
            return true;
        }
        boolean asksForPools = !plan.constraints().pools().isEmpty();
        for (Holding holding : holdings) {
            if (asksForPools && (holding.spec().pool() == null || holding.isReservedFor(key))) {
                // What was reserved for it may come to be in another pool.
                return true;
            }
            if (holding.spec().pool() != null && pools.poolOf(holding.ip()).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** The same, but for what is kept for its name and not claimed yet. */
    public ServiceSnapshot withoutReservations() {
        return withoutHoldings(holding -> holding.isReservedFor(key));
    }

    /** The same, but for some of what is held. */
    ServiceSnapshot withoutHoldings(Predicate<Holding> which) {
        List<Holding> others = new ArrayList<>(holdings);
        others.removeIf(which);
        return new ServiceSnapshot(
                key,
                service,
                others,
                pools,
                classes,
                deference,
                namespaceLabels,
                turn,
                migrateFrom,
                askedByClass,
                age,
                othersAddresses);
    }
}
