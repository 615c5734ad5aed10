package dev.berth.it;

import dev.berth.testing.Installation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** Services that wait for an address, one behind the other. */
final class Waiters {
    private Waiters() {}

    /** The condition of a Service that waits; it says why, and since when. */
    static Condition awaitWaiting(Installation berth, String namespace, String name) {
        Service service = berth.await(
                namespace,
                name,
                seen -> Installation.condition(seen, "berth.dev/AddressAssigned")
                        .filter(condition -> condition.getStatus().equals("False"))
                        .isPresent());
        return Installation.condition(service, "berth.dev/AddressAssigned").orElseThrow();
    }

    /**
     * Creates a Service that has to wait, and returns when everyone who comes next is surely behind it: order is by the
     * second.
     */
    static Condition queue(Installation berth, String namespace, String name, UnaryOperator<ServiceBuilder> change) {
        berth.service(namespace, name, change);
        Condition waiting = awaitWaiting(berth, namespace, name);
        Instant next = Instant.parse(waiting.getLastTransitionTime()).plusSeconds(1);
        Awaitility.await().until(() -> !Instant.now().isBefore(next));
        return waiting;
    }

    static Condition queue(Installation berth, String namespace, String name) {
        return queue(berth, namespace, name, UnaryOperator.identity());
    }
}
