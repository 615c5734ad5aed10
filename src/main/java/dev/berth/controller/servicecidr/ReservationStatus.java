package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.kube.ClusterIpReservations;
import dev.berth.kube.Conditions;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Reservations;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the condition Ready of a ClusterIPReservation says. Pure.
 *
 * @param ready whether the address is kept, handed over or in use by its Service
 */
record ReservationStatus(boolean ready, Reason reason, String message) {
    private static ReservationStatus ready(Reason reason, String message) {
        return new ReservationStatus(true, reason, message);
    }

    static ReservationStatus notReady(Reason reason, String message) {
        return new ReservationStatus(false, reason, message);
    }

    /** Why it cannot be read: its schema may be another than ours. Absent: it can be. */
    static Optional<ReservationStatus> unreadable(ClusterIPReservation object) {
        List<String> faults = ClusterIpReservations.faults(object);
        return faults.isEmpty()
                ? Optional.empty()
                : Optional.of(notReady(
                        Reason.Unreadable,
                        String.join("; ", faults)
                                + "; until that is corrected it has no effect, and no address is released"));
    }

    /** What became of it, by what it said before. */
    static ReservationStatus of(ClusterIPReservation object, Reservations.Outcome outcome) {
        Reservation reservation = outcome.reservation();
        ReservationStatus kept =
                ready(Reason.Reserved, "an IPAddress reserves it for Service " + reservation.service());
        return switch (outcome.state()) {
            // The watch may be late: then the API server refuses a second IPAddress, and it is ours.
            case Reservations.State.Reserve reserve ->
                kept.isIn(object.getStatus())
                        ? kept
                        : notReady(Reason.Pending, "the IPAddress that reserves it is being created");
            case Reservations.State.Reserved reserved -> kept;
            case Reservations.State.HandingOver leftFree ->
                ready(
                        Reason.HandingOver,
                        "its IPAddress was deleted: for " + Reservations.HANDOVER.toSeconds()
                                + " s from then on, Service " + reservation.service() + " can be created with it");
            case Reservations.State.InUse inUse -> ready(Reason.InUse, "Service " + reservation.service() + " has it");
            case Reservations.State.Taken(String by) -> notReady(Reason.Taken, by + " has it");
            case Reservations.State.Refused(String message) -> notReady(Reason.Refused, message);
        };
    }

    /** The status with it. */
    ClusterIPReservation.Status on(ClusterIPReservation object, Instant now) {
        Long generation = object.getMetadata().getGeneration();
        return new ClusterIPReservation.Status(
                generation,
                List.of(Conditions.of(
                        Conditions.of(object.getStatus()),
                        Conditions.READY,
                        ready ? Status.TRUE : Status.FALSE,
                        reason,
                        message,
                        generation,
                        now)));
    }

    /** Whether a person should look at it. */
    boolean isBad() {
        return !ready && reason != Reason.Pending;
    }

    /** Whether a status says the same already, of whatever time. */
    boolean isIn(ClusterIPReservation.@Nullable Status status) {
        return Conditions.find(Conditions.of(status), Conditions.READY)
                .filter(known -> reason.name().equals(known.getReason()) && message.equals(known.getMessage()))
                .isPresent();
    }
}
