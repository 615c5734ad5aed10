package dev.berth.plugin.grpc;

import dev.berth.plugin.grpc.wire.ProtocolViolation;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.IllegalStateTransitionException;
import io.github.resilience4j.core.IntervalFunction;
import io.grpc.StatusRuntimeException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leaves a plug-in that is in trouble alone for a while, and longer each time: its Services hear so at once, instead of
 * waiting for it one by one. What it says about one load balancer is no trouble of the plug-in, and what only the
 * Services of
 * one namespace suffer from is no reason to leave the others: each Service counts once, and of one namespace two. So it
 * stays over a pause, as long as calls for other Services succeed. Whether it works again is tried by a call that no
 * Service owns.
 */
final class Breaker {
    /** Of so many calls the half must fail. */
    private static final int CALLS = 6;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final IntervalFunction PAUSES = IntervalFunction.ofExponentialBackoff(FIRST_PAUSE, 2, LONGEST_PAUSE);

    private final Failures failures;
    private final Clock clock;
    private final CircuitBreaker breaker;
    private volatile Duration pause = Duration.ZERO;
    private volatile Instant nextTry = Instant.EPOCH;
    private volatile String last = "";

    private final Runnable probe;

    /** How often calls were paused since a Service's call succeeded. */
    private final AtomicInteger pauses = new AtomicInteger();

    private final SufferingServices suffering;

    /** The failure of a call for a Service that says nothing new about the plug-in. */
    private static final class OfItsOwn extends RuntimeException {
        private static final long serialVersionUID = 1;

        OfItsOwn(RuntimeException failure) {
            super(failure);
        }
    }

    /**
     * One for a plug-in.
     *
     * @param probe a call for no Service, by which it is tried
     * @param recovered told when it is called again as before
     */
    Breaker(Failures failures, Clock clock, Runnable probe, Runnable recovered) {
        this.failures = failures;
        this.probe = probe;
        this.clock = clock;
        suffering = new SufferingServices(clock, LONGEST_PAUSE);
        breaker = CircuitBreaker.of(
                failures.plugin(),
                CircuitBreakerConfig.custom()
                        .clock(clock)
                        .slidingWindowSize(CALLS)
                        .minimumNumberOfCalls(CALLS)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitIntervalFunctionInOpenState(this::pause)
                        .recordException(this::noteTrouble)
                        .ignoreExceptions(OfItsOwn.class)
                        .build());
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == CircuitBreaker.State.CLOSED) {
                recovered.run();
            }
        });
    }

    /** Asked for whenever calls to the plug-in are about to be paused. */
    private long pause(int timesSinceItWasTried) {
        long millis = PAUSES.apply(pauses.incrementAndGet());
        suffering.pause();
        pause = Duration.ofMillis(millis);
        nextTry = clock.instant().plus(pause);
        return millis;
    }

    /** Notes each failure, before calls may be paused for it; returns whether it is a trouble of the plug-in. */
    private boolean noteTrouble(Throwable failure) {
        boolean isTrouble = Failures.isOfThePlugin(failure);
        if (isTrouble) {
            last = failures.message(failure);
        }
        return isTrouble;
    }

    /** Whether calls are paused, or one only tries. */
    boolean leavesAlone() {
        return breaker.getState() != CircuitBreaker.State.CLOSED;
    }

    /** The plug-in may have been restarted: one call tries it, however long calls were to be paused. */
    void tryNow() {
        if (breaker.getState() == CircuitBreaker.State.OPEN) {
            try {
                breaker.transitionToHalfOpenState();
            } catch (IllegalStateTransitionException beganMeanwhile) {
                // A call whose time had come was faster.
                return;
            }
        }
    }

    /**
     * Makes a call, if calls to the plug-in are not paused.
     *
     * @param about the Service that it is for; null: none
     * @throws ProviderException if it failed, or was not made
     */
    <T> T call(@Nullable ServiceIdentity about, Supplier<T> call) {
        try {
            if (leavesAlone()) {
                breaker.executeRunnable(probe);
            }
            return breaker.executeSupplier(() -> counted(about, call));
        } catch (CallNotPermittedException leftAlone) {
            Duration wait = Duration.between(clock.instant(), nextTry);
            throw new ProviderException(
                            "plug-in \"" + failures.plugin() + "\" is not called for " + pause.toSeconds()
                                    + " s because of repeated failures; last error: " + last,
                            leftAlone)
                    .withRetryAfter(wait.compareTo(FIRST_PAUSE) > 0 ? wait : FIRST_PAUSE);
        } catch (OfItsOwn failure) {
            throw failures.told((RuntimeException) Objects.requireNonNull(failure.getCause()));
        } catch (StatusRuntimeException | ProtocolViolation failure) {
            throw failures.told(failure);
        }
    }

    private <T> T counted(@Nullable ServiceIdentity about, Supplier<T> call) {
        try {
            T answer = call.get();
            pauses.set(0);
            if (about != null) {
                suffering.succeeded(about);
            }
            return answer;
        } catch (StatusRuntimeException | ProtocolViolation failure) {
            if (about != null
                    && Failures.isOfThePlugin(failure)
                    && !Failures.isAway(failure)
                    && !suffering.failed(about)) {
                throw new OfItsOwn(failure);
            }
            throw failure;
        }
    }
}
