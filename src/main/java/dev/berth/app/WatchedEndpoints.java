package dev.berth.app;

import dev.berth.loadbalancer.ClassBook;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.provider.Capabilities.Targets;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Has the EndpointSlices of the cluster watched once a class is served by a provider that sends packets to endpoints. A
 * plug-in alone, which no class names, costs nothing.
 */
final class WatchedEndpoints {
    private final String controllerName;
    private final BooleanSupplier areWatched;
    private final Runnable watch;
    private final Consumer<RuntimeException> failed;

    /**
     * None are watched yet.
     *
     * @param watch returns when they are known; throws if they cannot be watched
     * @param failed notified of what {@code watch} throws; has the classes judged again later
     */
    WatchedEndpoints(
            String controllerName, BooleanSupplier areWatched, Runnable watch, Consumer<RuntimeException> failed) {
        this.controllerName = controllerName;
        this.areWatched = areWatched;
        this.watch = watch;
        this.failed = failed;
    }

    /** Watches them if one of these classes needs it; throws if that fails. */
    void watchIfNeeded(List<ClassDeclaration> declared, KnownProviders known) {
        boolean isNeeded = ClassBook.of(declared, controllerName, known).served().stream()
                .anyMatch(served -> served.capabilities().targets() == Targets.ENDPOINTS);
        if (isNeeded && !areWatched.getAsBoolean()) {
            watch.run();
        }
    }

    /** Without those that send packets to endpoints while these are not known: they would be told that there are none. */
    KnownProviders usable(List<ClassDeclaration> declared, KnownProviders known) {
        try {
            watchIfNeeded(declared, known);
        } catch (RuntimeException failure) {
            failed.accept(failure);
        }
        return areWatched.getAsBoolean()
                ? known
                : known.without(
                        can -> can.targets() == Targets.ENDPOINTS,
                        "the EndpointSlices of the cluster are not being watched yet; if it stays so, see the log");
    }
}
