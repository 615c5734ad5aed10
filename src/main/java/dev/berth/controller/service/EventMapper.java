package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Which Services an event makes due. Pure. */
public final class EventMapper {
    private EventMapper() {}

    public sealed interface Event {
        /**
         * A LoadBalancerClass came, changed or went; {@code value} is what Services name it by. Those that name
         * none may have been claimed for it when it was the default.
         */
        record ClassChanged(String value) implements Event {}

        /** Whether Berth defers for Services without a class changed. */
        record DeferenceChanged() implements Event {}

        /** The labels of a namespace changed: its Services may be allowed another pool. */
        record NamespaceChanged(String namespace) implements Event {}
    }

    /**
     * The Services that {@code event} concerns.
     *
     * @param services all there are
     * @param waiting those that wait for an address
     */
    static List<ServiceKey> keys(Event event, List<ServiceState> services, List<ServiceKey> waiting) {
        return switch (event) {
            case Event.ClassChanged(String value) ->
                loadBalancers(
                        services,
                        service -> service.loadBalancerClass() == null
                                || service.loadBalancerClass().equals(value)
                                || service.servedByClass().filter(value::equals).isPresent());
            case Event.DeferenceChanged() -> loadBalancers(services, service -> service.loadBalancerClass() == null);
            case Event.NamespaceChanged(String namespace) ->
                waiting.stream()
                        .filter(key -> key.namespace().equals(namespace))
                        .toList();
        };
    }

    private static List<ServiceKey> loadBalancers(List<ServiceState> services, Predicate<ServiceState> which) {
        return services.stream()
                .filter(service -> service.typeLoadBalancer() || service.hasOurFinalizer())
                .filter(which)
                .map(ServiceState::key)
                .toList();
    }

    /** Whether an event on a Service can be any of our business; null: it was not there. */
    static boolean isRelevant(@Nullable ServiceState service) {
        return service != null
                && isRelevant(
                        service.typeLoadBalancer(),
                        service.finalizers(),
                        service.conditions().stream().map(Condition::type).toList());
    }

    /** The same, by what of a Service decides it. */
    static boolean isRelevant(boolean typeLoadBalancer, List<String> finalizers, List<String> conditions) {
        return typeLoadBalancer
                || finalizers.contains(WellKnownNames.FINALIZER)
                || conditions.stream().anyMatch(WellKnownNames.CONDITIONS::contains);
    }
}
