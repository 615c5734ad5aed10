package dev.berth.controller.service;

import dev.berth.address.ServiceKey;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServicePlan.Skip;
import dev.berth.loadbalancer.ServicePlan.Skip.Reason;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The Services that want a load balancer and are left alone, and why. */
final class Skipped {
    private static final int NAMED = 3;

    private record Left(Reason reason, @Nullable String className) {}

    private final TreeMap<ServiceKey, Left> services = new TreeMap<>();
    private final String whatToDo;

    /** Nothing is left alone yet. */
    Skipped(boolean takesOver) {
        // To remove what the other controller left would be to remove the address that is to be taken over.
        whatToDo = takesOver
                ? "an event on each says why Berth cannot take it over yet"
                : "remove that controller and what it left, then Berth takes over";
    }

    /**
     * Takes note of what is planned for a Service now.
     *
     * @param counts told how many there are of a reason that counts more or fewer now
     * @return the LoadBalancerClass objects of which {@link #toAnother} says something else now
     */
    synchronized List<String> note(ServiceKey service, ServicePlan plan, ObjIntConsumer<Reason> counts) {
        Left now = plan instanceof Skip leave ? new Left(leave.reason(), leave.className()) : null;
        Left before = now == null ? services.remove(service) : services.put(service, now);
        if (Objects.equals(before, now)) {
            return List.of();
        }
        List<Left> changed = Stream.of(Optional.ofNullable(before), Optional.ofNullable(now))
                .flatMap(Optional::stream)
                .toList();
        changed.stream().map(Left::reason).distinct().forEach(reason -> counts.accept(reason, count(reason)));
        return changed.stream()
                .filter(left -> left.reason() == Reason.ServedByAnother)
                .flatMap(left -> Optional.ofNullable(left.className()).stream())
                .distinct()
                .toList();
    }

    private int count(Reason reason) {
        return (int) services.values().stream()
                .filter(left -> left.reason() == reason)
                .count();
    }

    /** Which Services of this LoadBalancerClass carry the marks of another controller; absent: none. */
    synchronized Optional<String> toAnother(String className) {
        List<ServiceKey> all = services.entrySet().stream()
                .filter(entry -> entry.getValue().equals(new Left(Reason.ServedByAnother, className)))
                .map(entry -> entry.getKey())
                .toList();
        if (all.isEmpty()) {
            return Optional.empty();
        }
        String named = all.stream().limit(NAMED).map(ServiceKey::toString).collect(Collectors.joining(", "));
        return Optional.of("left to another controller, whose finalizer or address they have: " + named
                + (all.size() > NAMED ? " and " + (all.size() - NAMED) + " more" : "")
                + "; " + whatToDo);
    }
}
