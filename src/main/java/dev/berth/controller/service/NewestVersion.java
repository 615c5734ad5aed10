package dev.berth.controller.service;

import dev.berth.loadbalancer.ServiceState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The newest version of one Service that was seen: the cache may lag behind what was answered. Events come by one thread, and
 * passes by another.
 */
final class NewestVersion {
    /** The answer to the last write or live read, until the cache has it. */
    private @Nullable ServiceState answered;

    /** The answer to the last write, until its event has come. */
    private @Nullable ServiceState written;

    private boolean seenLive;

    /** The newer of what the cache has and what was last answered. */
    synchronized Optional<ServiceState> of(Optional<ServiceState> cached) {
        ServiceState known = answered;
        return known != null && cached.isPresent() && isOlder(cached.get(), known) ? Optional.of(known) : cached;
    }

    /** What is in the cache by now: an answer that is no newer need not be remembered. */
    synchronized void heard(Optional<ServiceState> cached) {
        ServiceState known = answered;
        if (known == null || cached.isEmpty() || !isOlder(cached.get(), known)) {
            answered = null;
        }
    }

    /** The answer to a write of ours: an event with just this is no news, unlike one with what a live read found. */
    synchronized void wrote(ServiceState answer) {
        read(answer);
        written = answer;
    }

    /** What a live read found. */
    synchronized void read(ServiceState found) {
        answered = found;
    }

    /** Takes the event with the answer to the last write, once: the cache has it by now. False: it is something else. */
    synchronized boolean takeEcho(String uid, String resourceVersion) {
        ServiceState known = written;
        if (known == null
                || !known.uid().equals(uid)
                || !known.resourceVersion().equals(resourceVersion)) {
            return false;
        }
        written = null;
        // No pass comes to forget it.
        heard(Optional.of(known));
        return true;
    }

    /** Whether the last pass found it by a live read: then it is there, though the cache may not know it yet. */
    void sawLive(boolean saw) {
        seenLive = saw;
    }

    boolean isSeenLive() {
        return seenLive;
    }

    /** Resource versions of one kind are numbers that grow. */
    private static boolean isOlder(ServiceState cached, ServiceState known) {
        try {
            return Long.parseUnsignedLong(cached.resourceVersion()) < Long.parseUnsignedLong(known.resourceVersion());
        } catch (NumberFormatException opaque) {
            return false;
        }
    }
}
