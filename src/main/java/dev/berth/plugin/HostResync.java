package dev.berth.plugin;

import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/** Notifies a host that is back of all that there is. What it does not take yet is tried after longer and longer pauses. */
final class HostResync {
    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LAST = Duration.ofMinutes(5);
    private static final int DOUBLINGS = 6;

    private final BooleanSupplier isThere;
    private final Notice notice;
    private final Pauses pauses;

    interface Notice {
        /**
         * Notifies it of one.
         *
         * @return how long to wait at least until it is tried again; absent: it is not
         */
        Optional<Duration> of(ServiceIdentity service) throws InterruptedException;
    }

    /** To be tried for the {@code tries}-th time at this time. */
    private record Due(ServiceIdentity service, int tries, Duration at) {
        Due again(Duration now, Duration atLeast) {
            Duration full = FIRST.multipliedBy(1L << Math.min(tries - 1, DOUBLINGS));
            Duration capped = full.compareTo(LAST) < 0 ? full : LAST;
            return new Due(service, tries + 1, now.plus(capped.compareTo(atLeast) < 0 ? atLeast : capped));
        }
    }

    HostResync(BooleanSupplier isThere, Notice notice, Pauses pauses) {
        this.isThere = isThere;
        this.notice = notice;
        this.pauses = pauses;
    }

    /** Ends when it is notified of all, or is away again. */
    void of(Collection<ServiceIdentity> services) throws InterruptedException {
        Queue<Due> left = new PriorityQueue<>(Comparator.comparing(Due::at).thenComparingInt(Due::tries));
        services.forEach(service -> left.add(new Due(service, 1, pauses.now())));
        for (Due next = left.poll(); next != null && isThere.getAsBoolean(); next = left.poll()) {
            Duration early = next.at().minus(pauses.now());
            if (early.isPositive()) {
                pauses.pause(early);
                if (!isThere.getAsBoolean()) {
                    return;
                }
            }
            Due tried = next;
            notice.of(next.service()).ifPresent(atLeast -> left.add(tried.again(pauses.now(), atLeast)));
        }
    }
}
