package dev.berth.app;

import dev.berth.cli.Preflight;
import dev.berth.controller.Timer;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.provider.Capabilities.Targets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the EndpointSlices of the cluster watched once a class is served by a provider that sends packets to endpoints. A
 * plug-in alone, which no class names, costs nothing.
 */
final class WatchedEndpoints {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedEndpoints.class);

    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final String controllerName;
    private final BooleanSupplier areWatched;
    private final Runnable watch;
    private final Timer later;
    private final Runnable again;
    private final AtomicBoolean willTryAgain = new AtomicBoolean();

    /**
     * None are watched yet.
     *
     * @param watch returns when they are known; throws if they cannot be watched
     * @param again called a while after {@code watch} has thrown: has the classes judged again that need them
     */
    WatchedEndpoints(String controllerName, BooleanSupplier areWatched, Runnable watch, Timer later, Runnable again) {
        this.controllerName = controllerName;
        this.areWatched = areWatched;
        this.watch = watch;
        this.later = later;
        this.again = again;
    }

    /** Watches them if one of these classes needs it; throws if that fails. */
    void watchIfNeeded(List<ClassDeclaration> declared, KnownProviders known) {
        if (areMissing(declared, known)) {
            watch.run();
        }
    }

    /** A class that is not accepted for another reason needs none, and has to say that reason. */
    private boolean areMissing(List<ClassDeclaration> declared, KnownProviders known) {
        return !areWatched.getAsBoolean()
                && ClassSet.of(declared, controllerName, known).served().stream()
                        .anyMatch(served -> served.capabilities().targets() == Targets.ENDPOINTS);
    }

    /** Without those that send packets to endpoints while these are not known: they would be told that there are none. */
    KnownProviders usable(List<ClassDeclaration> declared, KnownProviders known) {
        if (!areMissing(declared, known)) {
            return known;
        }
        try {
            watch.run();
        } catch (RuntimeException failure) {
            LOG.warn("watching EndpointSlices: {}; trying again", Preflight.innermost(failure));
            tryAgain();
        }
        return areWatched.getAsBoolean()
                ? known
                : known.without(
                        can -> can.targets() == Targets.ENDPOINTS,
                        "the EndpointSlices of the cluster are not being watched yet; if it stays so, see the log");
    }

    private void tryAgain() {
        if (willTryAgain.compareAndSet(false, true)) {
            later.after(AGAIN, () -> {
                willTryAgain.set(false);
                again.run();
            });
        }
    }
}
