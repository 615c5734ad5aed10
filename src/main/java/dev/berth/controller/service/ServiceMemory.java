package dev.berth.controller.service;

import dev.berth.claim.QueuePosition;
import dev.berth.loadbalancer.ProviderState;
import dev.berth.pool.PoolSet;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of one Service between two passes. Nothing in it must survive a restart. Used by one
 * pass at a time, but for the state of its provider, and the name there.
 */
final class ServiceMemory {
    /** How often a provider is looked at that says how many targets pass their health check. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

    /** How soon after its targets may have changed: some may have had no health check yet. */
    private static final Duration LOOK_SOON = Duration.ofSeconds(5);

    final NewestVersion version = new NewestVersion();
    final RetrySchedule retries = new RetrySchedule();
    final StatusWrites status = new StatusWrites();
    final LoadBalancerName name = new LoadBalancerName();
    private final AtomicReference<ProviderState> provider = new AtomicReference<>(ProviderState.nothing());
    private @Nullable QueuePosition turn;

    /** By which pools something was said of it that others may make untrue; null: nothing. */
    private volatile @Nullable PoolSet toldOf;

    /** When it is to be looked at. */
    private volatile Instant look = Instant.EPOCH;

    private volatile Instant lastLook = Instant.EPOCH;

    /** Whether its provider says that something has changed, and was not looked at since. */
    private final AtomicBoolean reported = new AtomicBoolean();

    ProviderState provider() {
        return provider.get();
    }

    /** Called by other threads, too. */
    void provider(UnaryOperator<ProviderState> change) {
        provider.updateAndGet(change);
    }

    /** Something is said of it that goes by these pools; null: nothing is. */
    void tells(@Nullable PoolSet pools) {
        toldOf = pools;
    }

    /** Whether what is said of it goes by other pools than {@code now}. Asked by other threads, too. */
    boolean toldOfOther(PoolSet now) {
        PoolSet then = toldOf;
        return then != null && then != now;
    }

    /** Nothing is left to do for now. */
    void succeeded() {
        retries.succeeded();
        provider(ProviderState::settled);
    }

    /** Its provider was asked to change something just now: its targets are looked at soon. */
    void changed(Instant now) {
        look = now.plus(LOOK_SOON);
    }

    /** Its provider is about to be looked at: what was reported until now is seen. */
    void looks(Instant now) {
        lastLook = now;
        look = now.plus(LOOK_EVERY);
        reported.set(false);
    }

    /**
     * Its provider says that what it has for this very Service has changed. Notified by other threads.
     *
     * @return when to look, soon after another look not at once; absent: it is looked at anyway, or this is not its provider
     */
    Optional<Duration> reported(String by, ServiceIdentity service, Instant now) {
        ProviderState known = provider();
        boolean isItsOwn = known.isAskedOf(by) && known.mayHaveMadeFor(service);
        if (!isItsOwn || !reported.compareAndSet(false, true)) {
            return Optional.empty();
        }
        return Optional.of(untilReport(now));
    }

    /** Soon after another look what is reported is not looked at at once. */
    private Duration untilReport(Instant now) {
        Duration left = Duration.between(now, lastLook.plus(LOOK_SOON));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Has its provider looked at now, if it is time, or if it says that something has changed. */
    void doubtIfDue(Instant now) {
        boolean isReported = !now.isBefore(lastLook.plus(LOOK_SOON)) && reported.getAndSet(false);
        if (isReported || (provider().tellsOfTargets() && !look.isAfter(now))) {
            provider(ProviderState::doubted);
        }
    }

    /** When its provider is to be looked at; absent: not by itself. */
    Optional<Duration> nextLook(Instant now) {
        Stream<Duration> report = reported.get() ? Stream.of(untilReport(now)) : Stream.empty();
        Stream<Duration> targets = provider().tellsOfTargets() ? Stream.of(untilTargets(now)) : Stream.empty();
        return Stream.concat(report, targets).min(Duration::compareTo);
    }

    private Duration untilTargets(Instant now) {
        Duration left = Duration.between(now, look);
        return left.compareTo(LOOK_SOON) < 0 ? LOOK_SOON : left;
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

    /** Its place among those that wait, until it is served; absent: the Service of this uid was given none. */
    Optional<QueuePosition> turn(String uid) {
        return Optional.ofNullable(turn).filter(known -> known.uid().equals(uid));
    }
}
