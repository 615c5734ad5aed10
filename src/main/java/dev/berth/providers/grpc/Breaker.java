package dev.berth.providers.grpc;

import dev.berth.provider.ProviderException;
import dev.berth.providers.grpc.wire.Nonsense;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.IllegalStateTransitionException;
import io.github.resilience4j.core.IntervalFunction;
import io.grpc.StatusRuntimeException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Leaves a plug-in that is in trouble alone for a while, and longer each time: its Services hear so at once, instead of
 * waiting for it one by one. What it says about one load balancer is no trouble of its own, and what only one Service
 * suffers from is no reason to leave the others.
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
    private volatile Instant nextTry = Instant.EPOCH;
    private volatile String last = "";

    /** Whom the last call that failed was for. */
    private final AtomicReference<String> lastFailed = new AtomicReference<>("");

    /** The failure of a call for the Service whose call failed last, too. */
    private static final class AgainOfOneService extends RuntimeException {
        private static final long serialVersionUID = 1;

        AgainOfOneService(RuntimeException failure) {
            super(failure);
        }
    }

    /**
     * One for a plug-in.
     *
     * @param recovered told when it is called again as before
     */
    Breaker(Failures failures, Clock clock, Runnable recovered) {
        this.failures = failures;
        this.clock = clock;
        breaker = CircuitBreaker.of(
                failures.plugin(),
                CircuitBreakerConfig.custom()
                        .clock(clock)
                        .slidingWindowSize(CALLS)
                        .minimumNumberOfCalls(CALLS)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitIntervalFunctionInOpenState(this::pause)
                        .recordException(this::isTrouble)
                        .ignoreExceptions(AgainOfOneService.class)
                        .build());
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == CircuitBreaker.State.CLOSED) {
                recovered.run();
            }
        });
    }

    /** Asked for whenever the plug-in is about to be left alone. */
    private long pause(int times) {
        long millis = PAUSES.apply(times);
        nextTry = clock.instant().plusMillis(millis);
        return millis;
    }

    /** Asked for of each failure, before the plug-in may be left alone for it. */
    private boolean isTrouble(Throwable failure) {
        boolean isTrouble = Failures.isOfThePlugin(failure);
        if (isTrouble) {
            last = failures.message(failure);
        }
        return isTrouble;
    }

    /** Whether the plug-in is left alone, or only tried. */
    boolean leavesAlone() {
        return breaker.getState() != CircuitBreaker.State.CLOSED;
    }

    /** The plug-in may have been restarted: one call tries it, however long it was to be left alone. */
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
     * Makes a call, if the plug-in is not left alone.
     *
     * @param about the uid of the Service that it is for; empty: none
     * @throws ProviderException if it failed, or was not made
     */
    <T> T call(String about, Supplier<T> call) {
        try {
            return breaker.executeSupplier(() -> counted(about, call));
        } catch (CallNotPermittedException leftAlone) {
            Duration wait = Duration.between(clock.instant(), nextTry);
            throw new ProviderException(
                    "plug-in \"" + failures.plugin() + "\" is left alone until "
                            + nextTry.truncatedTo(ChronoUnit.SECONDS) + ", for it kept failing; the last time: " + last,
                    wait.compareTo(FIRST_PAUSE) > 0 ? wait : FIRST_PAUSE,
                    leftAlone);
        } catch (AgainOfOneService failure) {
            throw failures.told((RuntimeException) Objects.requireNonNull(failure.getCause()));
        } catch (StatusRuntimeException | Nonsense failure) {
            throw failures.told(failure);
        }
    }

    private <T> T counted(String about, Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException | Nonsense failure) {
            boolean mayBeOfOneService = Failures.isOfThePlugin(failure) && !Failures.isAway(failure);
            if (mayBeOfOneService && about.equals(lastFailed.getAndSet(about))) {
                throw new AgainOfOneService(failure);
            }
            throw failure;
        }
    }
}
