package dev.berth.controller.service;

import dev.berth.address.QueuePosition;
import dev.berth.loadbalancer.ProviderState;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of one Service between two passes. Nothing in it must survive a restart. Used by one
 * pass at a time, but for the state of its provider.
 */
final class ServiceMemory {
    final NewestVersion version = new NewestVersion();
    final RetrySchedule retries = new RetrySchedule();
    final StatusWrites status = new StatusWrites();
    private final AtomicReference<ProviderState> provider = new AtomicReference<>(ProviderState.nothing());
    private @Nullable QueuePosition turn;

    ProviderState provider() {
        return provider.get();
    }

    /** Called by other threads, too. */
    void provider(UnaryOperator<ProviderState> change) {
        provider.updateAndGet(change);
    }

    /** Nothing is left to do for now. */
    void succeeded() {
        retries.succeeded();
        provider(ProviderState::settled);
    }

    /** If its provider is the one of this name: what failed may be tried again at once. Notified by other threads. */
    boolean providerReturned(String name) {
        boolean isIts = provider().isAskedOf(name);
        if (isIts) {
            retries.providerReturned();
        }
        return isIts;
    }

    /** Its place among those that wait is this one from now on. */
    void turn(QueuePosition now) {
        turn = now;
    }

    /** It does not wait. */
    void forgetTurn() {
        turn = null;
    }

    /** The place among those that wait that it was given first, now if it has none; it is kept until it is served. */
    QueuePosition turn(String uid, Supplier<QueuePosition> first) {
        QueuePosition known = turn;
        if (known == null || !known.uid().equals(uid)) {
            known = first.get();
            turn = known;
        }
        return known;
    }
}
