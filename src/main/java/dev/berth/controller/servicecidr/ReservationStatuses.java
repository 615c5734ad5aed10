package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says on ClusterIPReservations what became of them, once for each that is new. */
public final class ReservationStatuses {
    private static final Logger LOG = LoggerFactory.getLogger(ReservationStatuses.class);

    private final BiPredicate<ClusterIPReservation, ClusterIPReservation.Status> writer;
    private final Events events;
    private final InstantSource clock;

    /** By uid, what was written last: the cache may still have what was before. */
    private final Map<String, Written> written = new HashMap<>();

    /** What one of them is to say. */
    record Says(ClusterIPReservation object, ReservationStatus status) {}

    /** @param version that the object had then */
    private record Written(@Nullable String version, ClusterIPReservation.Status status) {}

    /** @param writer writes a status; false: it has to be tried again */
    public ReservationStatuses(
            BiPredicate<ClusterIPReservation, ClusterIPReservation.Status> writer, Events events, InstantSource clock) {
        this.writer = writer;
        this.events = events;
        this.clock = clock;
    }

    /**
     * Writes what differs.
     *
     * @return whether each of them has its status; if not, it has to be tried again
     */
    boolean tell(List<Says> all) {
        written.keySet()
                .retainAll(all.stream()
                        .map(each -> each.object().getMetadata().getUid())
                        .collect(Collectors.toSet()));
        boolean complete = true;
        for (Says each : all) {
            complete &= tell(each.object(), each.status());
        }
        return complete;
    }

    /** The same of all of them. */
    boolean tell(List<ClusterIPReservation> all, ReservationStatus same) {
        return tell(all.stream().map(object -> new Says(object, same)).toList());
    }

    private boolean tell(ClusterIPReservation object, ReservationStatus says) {
        ClusterIPReservation.Status status = says.on(object, clock.instant());
        if (status.equals(object.getStatus())) {
            return true;
        }
        String uid = object.getMetadata().getUid();
        Written now = new Written(object.getMetadata().getResourceVersion(), status);
        Written before = written.get(uid);
        if (before != null && Objects.equals(before.version, now.version) && says.isIn(before.status)) {
            return true;
        }
        if (!writer.test(object, status)) {
            return false;
        }
        written.put(uid, now);
        if (says.isBad() && !says.isIn(object.getStatus())) {
            LOG.warn(
                    "ClusterIPReservation \"{}\": {}: {}",
                    object.getMetadata().getName(),
                    says.reason(),
                    says.message());
            events.warning(About.object(object), says.reason(), says.message());
        }
        return true;
    }
}
