package dev.berth.controller.service;

import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.ServedClass;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which of the calls that {@link #guard} makes are stuck, for each LoadBalancerClass. */
final class StuckCalls {
    private final ProviderGuard guard;
    private final Supplier<ClassSet> classes;
    private final ServiceMetrics metrics;
    private final Consumer<String> changed;

    /** Of which classes it was said last that calls are stuck: whichever class is served by now. */
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    /** @param changed notified of which LoadBalancerClass {@link #of} says something else now */
    StuckCalls(ServiceParts parts, CallLimits limits, Consumer<String> changed) {
        classes = parts.environment().classes();
        metrics = parts.metrics();
        this.changed = changed;
        guard = new ProviderGuard(
                parts.providers()::needsNoGuard, limits, parts.timing().steady(), this::stuckChanged);
    }

    ProviderGuard guard() {
        return guard;
    }

    /** Which calls to the provider of this LoadBalancerClass are stuck, human-readable; absent: none. */
    Optional<String> of(String className) {
        return guard.stuck(linesOf(className));
    }

    /** What a provider has is listed for all of its classes, in its own line. */
    private Set<String> linesOf(String className) {
        return classes.get().served().stream()
                .filter(served -> served.name().equals(className))
                .flatMap(served -> Stream.of(className, CallLine.nameOf(served.provider())))
                .collect(Collectors.toCollection(() -> new LinkedHashSet<>(List.of(className))));
    }

    private void stuckChanged(String line) {
        Stream.concat(classesOf(line), said.stream()).distinct().toList().forEach(className -> {
            int stuck = guard.stuckCalls(linesOf(className));
            if (stuck > 0) {
                said.add(className);
            } else {
                said.remove(className);
            }
            metrics.stuckCalls(className, stuck);
            changed.accept(className);
        });
    }

    /** Whose calls wait in this line. */
    private Stream<String> classesOf(String line) {
        return CallLine.isOfProvider(line)
                ? classes.get().served().stream()
                        .filter(served -> CallLine.nameOf(served.provider()).equals(line))
                        .map(ServedClass::name)
                : Stream.of(line);
    }
}
