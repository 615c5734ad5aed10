package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Timer;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.loadbalancer.ServiceState;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The Services that a live read found, and that the cache does not have. It will see each, and its end; but neither, if the
 * watch was broken all its life. So a live read decides, if the cache does not have it in time.
 */
final class UnheardServices {
    /** A cache has seen a create long before. */
    private static final Duration HEARD_WITHIN = Duration.ofMinutes(1);

    private final Cluster cluster;
    private final Timer later;
    private final Consumer<ServiceKey> gone;
    private final Set<ServiceKey> lookedFor = ConcurrentHashMap.newKeySet();

    /** @param gone notified of one that is gone, and of which no event will come */
    UnheardServices(ServiceParts parts, Consumer<ServiceKey> gone) {
        this.cluster = parts.cluster();
        this.later = parts.timing().later();
        this.gone = gone;
    }

    /** This one was found just now. */
    void found(ServiceKey key) {
        if (lookedFor.add(key)) {
            later.after(HEARD_WITHIN, () -> {
                lookedFor.remove(key);
                look(key);
            });
        }
    }

    private void look(ServiceKey key) {
        if (cluster.hasService(key)) {
            return;
        }
        if (!(cluster.readService(key) instanceof Read.Absent<ServiceState>)) {
            found(key);
        } else if (!cluster.hasService(key)) {
            gone.accept(key);
        }
    }
}
