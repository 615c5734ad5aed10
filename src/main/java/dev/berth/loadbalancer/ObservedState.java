package dev.berth.loadbalancer;

import dev.berth.announce.Announcements;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Claim;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.pool.PoolSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one Service beside its plan, now.
 *
 * @param live whether the Service is as a live read found it
 * @param holdings what is held for its name
 * @param provider what is known of its provider
 * @param named what its load balancer is called there
 * @param waits what is not to be tried before its time
 * @param wordsWait how long other words in its status, and nothing else, must still wait; absent: not at all
 * @param announcements who announces which address, as the agents say
 * @param since what was known when the Service was looked at, and what was written since
 * @param mayBePublished what a write of which there is no answer may have published, or may publish yet
 * @param isQueued whether the Service waits for an address: those behind it wait, too
 * @param now the lastTransitionTime of a condition whose status changes
 */
public record ObservedState(
        boolean live,
        List<Holding> holdings,
        PoolSet pools,
        ProviderState provider,
        NamedLoadBalancer named,
        Waits waits,
        Optional<Duration> wordsWait,
        Announcements announcements,
        SinceLook since,
        List<Ip> mayBePublished,
        boolean isQueued,
        Instant now) {
    public ObservedState {
        holdings = List.copyOf(holdings);
        mayBePublished = List.copyOf(mayBePublished);
    }

    /** Without agents and a name; nothing was written yet, all answers came, and it is not queued. */
    ObservedState(
            boolean live,
            List<Holding> holdings,
            PoolSet pools,
            ProviderState provider,
            Waits waits,
            Optional<Duration> wordsWait,
            Instant now) {
        this(
                live,
                holdings,
                pools,
                provider,
                NamedLoadBalancer.NONE,
                waits,
                wordsWait,
                Announcements.NONE,
                SinceLook.nothing(holdings),
                List.of(),
                false,
                now);
    }

    /** Whether the Service was read live when {@code claim} was known already: then it was there before the Service. */
    boolean isReadSince(Claim claim) {
        return live && since.isReadSince(claim);
    }

    /** What is held of this address for its name; absent: nothing. */
    Optional<Holding> holding(Ip ip) {
        return holding(ip, holdings);
    }

    /** The one of this address; absent: there is none. */
    static Optional<Holding> holding(Ip ip, List<Holding> holdings) {
        for (Holding holding : holdings) {
            if (holding.ip().equals(ip)) {
                return Optional.of(holding);
            }
        }
        return Optional.empty();
    }

    /**
     * Which of the addresses that are surely its own it keeps.
     *
     * @param servedBy the value of the class that serves it; null: none does, or it is not known
     */
    HoldingSelection claimed(ServiceState service, AddressConstraints constraints, @Nullable String servedBy) {
        List<Holding> sure = new ArrayList<>(holdings);
        sure.removeIf(holding -> holding.state() != Holding.State.CLAIMED);
        return HoldingSelection.of(service, sure, constraints, pools, servedBy);
    }

    /**
     * The addresses that are surely its own: one per family that it wants, in its order of families.
     *
     * @param servedBy the value of the class that serves it; null: none does, or it is not known
     */
    public List<Ip> addresses(ServiceState service, AddressConstraints constraints, @Nullable String servedBy) {
        return claimed(service, constraints, servedBy).publishable(service);
    }

    /** Those of its {@link #claimed} addresses that no pool has any more. */
    List<Holding> stranded(HoldingSelection claimed) {
        List<Holding> stranded = new ArrayList<>(claimed.kept());
        stranded.removeIf(
                kept -> kept.spec().pool() == null || pools.poolOf(kept.ip()).isPresent());
        return stranded;
    }
}
