package dev.berth.controller.service;

import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.ServiceState;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The newest version of one Service that was seen: the cache may lag behind what was answered, or be ahead of it. Events come by
 * another thread than passes, and {@link #takeEcho} is all that they call.
 */
final class NewestVersion {
    /** The answer to the last write or live read, until the cache has it. */
    private @Nullable Answer answered;

    /** Which version the last write made, until its event has come. */
    private @Nullable Version written;

    private boolean isWriting;

    /** Which version an event had that came while a write was under way, and may be its; null: none came. */
    private @Nullable Version early;

    private boolean isUnheardOf;

    /** @param isAhead whether it is of a live read that found what the cache did not have, or of a write after that */
    private record Answer(ServiceState service, boolean isAhead) {
        Version version() {
            return new Version(service.uid(), service.resourceVersion());
        }
    }

    private record Version(String uid, String resourceVersion) {}

    /**
     * The newest version.
     *
     * @param service empty: it is gone
     * @param isCached whether the cache has it, or a newer one than was answered
     */
    record Newest(Optional<ServiceState> service, boolean isCached) {}

    /** The newer of what the cache has and what was last answered. */
    Newest of(Supplier<Optional<ServiceState>> cache) {
        // Before the cache is read: in between its event may come, which forgets it.
        Answer known = answered();
        Optional<ServiceState> cached = cache.get();
        return known != null && cached.isPresent() && isOlder(cached.get(), known.service())
                ? new Newest(Optional.of(known.service()), false)
                : new Newest(cached, true);
    }

    private synchronized @Nullable Answer answered() {
        return answered;
    }

    /**
     * What was answered is not needed any longer, unless it is unheard of: what the cache has next may be an older Service of the
     * name.
     *
     * @param cached what the cache has, which is no older; empty: none
     */
    synchronized void cacheHas(Optional<ServiceState> cached) {
        if (cached.isEmpty() && isUnheardOf) {
            return;
        }
        answered = null;
        if (cached.isPresent()) {
            isUnheardOf = false;
        }
    }

    /** A write is about to be made: its event may come before its answer. */
    synchronized void begins() {
        isWriting = true;
    }

    /**
     * The answer to a write of ours: an event with just this is no news, unless it is the first with what a live read found.
     * Until then whoever looks for the Service in the cache, by its class or its labels, may not find it.
     */
    synchronized void wrote(ServiceState answer) {
        Answer made = new Answer(answer, answered != null && answered.isAhead());
        if (made.isAhead()) {
            answered = made;
            written = null;
        } else if (made.version().equals(early)) {
            // The cache has it already.
            early = null;
            answered = null;
            written = null;
        } else {
            answered = made;
            written = made.version();
        }
    }

    /** The write is over. Returns whether an event was taken that was not its: the Service has to be looked at again. */
    synchronized boolean ends() {
        boolean isNews = early != null;
        isWriting = false;
        early = null;
        return isNews;
    }

    /** Nobody looked at what the last write made: an event with just this is news. */
    synchronized void forgetWritten() {
        written = null;
    }

    /**
     * What a live read found.
     *
     * @param found empty: it is gone
     * @param cache what it has by now; throws Unreadable, if that cannot be read
     */
    void read(Optional<ServiceState> found, Supplier<Optional<ServiceState>> cache) {
        if (found.isEmpty()) {
            isGone();
            return;
        }
        ServiceState service = found.get();
        Optional<ServiceState> cached = readable(cache);
        isUnheardOf = cached.filter(known -> known.uid().equals(service.uid())).isEmpty();
        Answer answer = new Answer(
                service, cached.filter(known -> !isOlder(known, service)).isEmpty());
        synchronized (this) {
            answered = answer;
        }
    }

    private synchronized void isGone() {
        isUnheardOf = false;
        answered = null;
    }

    private static Optional<ServiceState> readable(Supplier<Optional<ServiceState>> cache) {
        try {
            return cache.get();
        } catch (Unreadable cached) {
            return Optional.empty();
        }
    }

    /**
     * Takes the event with the answer to the last write, once: the cache has it by now; and one that comes while a write is under
     * way, until its answer tells. False: it is something else.
     */
    synchronized boolean takeEcho(String uid, String resourceVersion) {
        Version event = new Version(uid, resourceVersion);
        if (!event.equals(written)) {
            if (!isWriting || early != null) {
                return false;
            }
            early = event;
            return true;
        }
        written = null;
        if (answered != null && answered.version().equals(event)) {
            // No pass may come to forget it.
            answered = null;
        }
        return true;
    }

    /** Whether a live read found it, and the cache has not had it since: then it is there, though the cache lacks it. */
    boolean isUnheardOf() {
        return isUnheardOf;
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
