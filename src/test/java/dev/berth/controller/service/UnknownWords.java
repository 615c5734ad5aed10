package dev.berth.controller.service;

import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Words in the specs of Services that this Berth does not know: an API server of a later Kubernetes accepts a protocol or
 * a family that there is not today. Such a Service cannot be read, and it is still there. An annotation stands for the
 * word.
 */
final class UnknownWords {
    private static final String UNKNOWN = "example.org/unknown-protocol";

    private final SimulatedWorld world;
    private final Random random;

    UnknownWords(SimulatedWorld world) {
        this.world = world;
        random = world.aside;
    }

    static boolean has(ServiceState service) {
        return service.asked().annotations().containsKey(UNKNOWN);
    }

    /** Somebody writes one into a Service, or takes it out again. */
    void change() {
        List<ServiceState> all = new ArrayList<>(world.cluster.services.values());
        if (!all.isEmpty()) {
            ServiceState now = all.get(random.nextInt(all.size()));
            write(now, !has(now));
        }
    }

    void takeOffAll() {
        List.copyOf(world.cluster.services.values()).stream()
                .filter(UnknownWords::has)
                .forEach(service -> write(service, false));
    }

    private void write(ServiceState service, boolean unknown) {
        world.trace("Service ", service.key(), unknown ? " has an unknown word" : " has known words only");
        world.cluster.put(
                service.key(),
                unknown ? added(service) : SampleService.from(service).annotation(UNKNOWN, null));
    }

    /** The same with one. */
    static SampleService added(ServiceState service) {
        return SampleService.from(service).annotation(UNKNOWN, "QUIC");
    }
}
