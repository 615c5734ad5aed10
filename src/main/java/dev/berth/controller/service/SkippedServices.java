package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.ServicePlan.Skip;
import dev.berth.reason.Reason;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The Services that want a load balancer and are skipped, and why. */
final class SkippedServices {
    private static final int NAMED = 3;

    private record Cause(Reason reason, @Nullable String className) {}

    private final TreeMap<ServiceKey, Cause> services = new TreeMap<>();
    private final Map<Reason, Integer> counted = new EnumMap<>(Reason.class);
    private final String whatToDo;

    /** Nothing is skipped yet. */
    SkippedServices(boolean takesOver) {
        // To remove what the other controller left would be to remove the address that is to be taken over.
        whatToDo = takesOver
                ? "an event on each Service explains why Berth cannot take it over yet"
                : "remove that controller and its finalizer or status, and Berth takes over";
    }

    /**
     * Takes note of whether a Service is skipped now, and why.
     *
     * @param counts notified of how many there are of a reason that counts more or fewer now
     * @return the LoadBalancerClass objects of which {@link #byAnother} says something else now
     */
    synchronized List<String> note(ServiceKey service, Optional<Skip> skipped, ObjIntConsumer<Reason> counts) {
        Cause now =
                skipped.map(skip -> new Cause(skip.reason(), skip.className())).orElse(null);
        Cause before = now == null ? services.remove(service) : services.put(service, now);
        if (Objects.equals(before, now)) {
            return List.of();
        }
        count(before, -1);
        count(now, 1);
        List<Cause> changed = Stream.of(Optional.ofNullable(before), Optional.ofNullable(now))
                .flatMap(Optional::stream)
                .toList();
        changed.stream()
                .map(Cause::reason)
                .distinct()
                .forEach(reason -> counts.accept(reason, counted.getOrDefault(reason, 0)));
        return changed.stream()
                .filter(cause -> cause.reason() == Reason.ServedByOtherController)
                .flatMap(cause -> Optional.ofNullable(cause.className()).stream())
                .distinct()
                .toList();
    }

    private void count(@Nullable Cause cause, int more) {
        if (cause != null) {
            counted.merge(cause.reason(), more, Integer::sum);
        }
    }

    /** Those that are left to another controller because they name no class. */
    synchronized List<ServiceKey> deferred() {
        return services.entrySet().stream()
                .filter(entry -> entry.getValue().reason() == Reason.DeferredToOther)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Which Services of this LoadBalancerClass carry the marks of another controller; absent: none. */
    synchronized Optional<String> byAnother(String className) {
        List<ServiceKey> all = services.entrySet().stream()
                .filter(entry -> entry.getValue().equals(new Cause(Reason.ServedByOtherController, className)))
                .map(entry -> entry.getKey())
                .toList();
        if (all.isEmpty()) {
            return Optional.empty();
        }
        String named = all.stream().limit(NAMED).map(ServiceKey::toString).collect(Collectors.joining(", "));
        return Optional.of("skipped because another controller's finalizer or address is set: " + named
                + (all.size() > NAMED ? " and " + (all.size() - NAMED) + " more" : "")
                + "; " + whatToDo);
    }
}
