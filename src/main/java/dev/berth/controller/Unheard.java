package dev.berth.controller;

import dev.berth.kube.Read;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Objects that an answer of the API server showed, and that the cache does not have. It will see each, and its end; but
 * neither, if the watch was broken all its life. So a live read decides, if the cache does not have it in time.
 *
 * @param <T> the object, or its key
 */
public final class Unheard<T> {
    /** A cache has seen a create long before. */
    private static final Duration HEARD_WITHIN = Duration.ofMinutes(1);

    private final Timer later;
    private final Predicate<T> needsNoLook;
    private final Function<T, Read<?>> live;
    private final Consumer<T> gone;
    private final Set<T> lookedFor = ConcurrentHashMap.newKeySet();

    /**
     * @param needsNoLook whether the cache has it, or nobody goes by it any more
     * @param live reads it
     * @param gone notified of one that is gone, and of which no event will come
     */
    public Unheard(Timer later, Predicate<T> needsNoLook, Function<T, Read<?>> live, Consumer<T> gone) {
        this.later = later;
        this.needsNoLook = needsNoLook;
        this.live = live;
        this.gone = gone;
    }

    /** This one was found just now. */
    public void found(T object) {
        if (lookedFor.add(object)) {
            later.after(HEARD_WITHIN, () -> {
                lookedFor.remove(object);
                look(object);
            });
        }
    }

    private void look(T object) {
        if (needsNoLook.test(object)) {
            return;
        }
        if (!(live.apply(object) instanceof Read.Absent<?>)) {
            found(object);
        } else if (!needsNoLook.test(object)) {
            gone.accept(object);
        }
    }
}
