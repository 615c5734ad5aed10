package dev.berth.testing.cluster;

import dev.berth.kube.Write;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a cluster, as an API server keeps them: by kind and name, with resource versions that grow with each
 * change of any of them, uids, preconditions, finalizers, and watches. The kinds say what else is so of their objects;
 * what goes wrong on the way here is up to a {@link Line}.
 */
public final class ClusterInMemory {
    private long revision = 100;
    private long lastUid;

    /** A uid that nothing had before. */
    public String newUid() {
        return "uid-" + ++lastUid;
    }

    /** A kind without objects yet. */
    public <K extends Comparable<K>, V> Kind<K, V> kind(Metadata<V> metadata) {
        return new Kind<>(metadata);
    }

    /**
     * Where the objects of a kind have what the API server needs of them.
     *
     * @param version the resource version; the same for all objects: no write is for one version alone
     * @param stamped an object with another resource version
     * @param isGone whether it is deleted, and no finalizer keeps it
     */
    public record Metadata<V>(
            Function<V, String> uid,
            Function<V, String> version,
            BiFunction<V, String, V> stamped,
            Predicate<V> isGone) {
        /** Of a kind whose objects do not show their resource version. */
        public static <V> Metadata<V> ofUid(Function<V, String> uid, Predicate<V> isGone) {
            return new Metadata<>(uid, any -> "", (object, version) -> object, isGone);
        }
    }

    /**
     * What a watch brings.
     *
     * @param before absent: it was not there
     * @param now absent: it is gone
     */
    public record Change<K, V>(
            long revision,
            K key,
            @Nullable V before,
            @Nullable V now) {}

    /** The objects of one kind. */
    public final class Kind<K extends Comparable<K>, V> {
        private final Metadata<V> metadata;
        private final NavigableMap<K, V> objects = new TreeMap<>();
        private final NavigableMap<K, V> readable = Collections.unmodifiableNavigableMap(objects);
        private final List<Change<K, V>> past = new ArrayList<>();
        private final List<Watch> watches = new ArrayList<>();

        private Kind(Metadata<V> metadata) {
            this.metadata = metadata;
        }

        /** What is stored, at any time. */
        public NavigableMap<K, V> objects() {
            return readable;
        }

        /** Grows with each change of this kind. */
        public long revision() {
            return past.isEmpty() ? 0 : past.getLast().revision();
        }

        /**
         * Creates an object, or stores another in its place; the last finalizer of what is deleted ends it.
         *
         * @return the object as it is stored, or as it was last; what says the same as before is not changed
         */
        public V put(K key, V wanted) {
            V before = objects.get(key);
            if (before != null && before.equals(wanted)) {
                return before;
            }
            V stored = metadata.stamped().apply(wanted, Long.toString(++revision));
            if (!metadata.isGone().test(stored)) {
                objects.put(key, stored);
                hear(new Change<>(revision, key, before, stored));
            } else if (before != null) {
                objects.remove(key);
                hear(new Change<>(revision, key, before, null));
            }
            return stored;
        }

        /** Ends an object, whatever its finalizers, if it is there. */
        public void remove(K key) {
            V before = objects.remove(key);
            if (before != null) {
                hear(new Change<>(++revision, key, before, null));
            }
        }

        private void hear(Change<K, V> change) {
            past.add(change);
            watches.forEach(watch -> watch.news.add(change));
        }

        /** Does a write that creates an object; not done if there is one of this name. */
        public Write<V> create(K key, Supplier<V> wanted) {
            return objects.containsKey(key) ? new Write.Conflict<>("exists") : new Write.Done<>(put(key, wanted.get()));
        }

        /** Does a write that is meant for the object as it was seen: not done if it is another by now. */
        public Write<V> ifSame(K key, V seen, Supplier<Write<V>> effect) {
            V now = objects.get(key);
            if (now == null) {
                return new Write.NotFound<>("gone");
            }
            return metadata.uid().apply(now).equals(metadata.uid().apply(seen))
                            && metadata.version()
                                    .apply(now)
                                    .equals(metadata.version().apply(seen))
                    ? effect.get()
                    : new Write.Conflict<>("changed");
        }

        /** A cache of it, with all that there is now. */
        public Watch watch() {
            Watch watch = new Watch();
            watches.add(watch);
            return watch;
        }

        /** A cache, which lags behind until it hears of the next change. */
        public final class Watch {
            private final NavigableMap<K, V> cached = new TreeMap<>(objects);
            private Deque<Change<K, V>> news = new ArrayDeque<>();

            private Watch() {}

            /** What it knows, at any time. */
            public NavigableMap<K, V> cached() {
                return cached;
            }

            public boolean hasNews() {
                return !news.isEmpty();
            }

            /** When what it hears next happened: grows over all kinds. Nothing is later than that there is no news. */
            public long nextRevision() {
                return news.isEmpty() ? Long.MAX_VALUE : news.getFirst().revision();
            }

            /** It hears of the next change; there must be one. */
            public Change<K, V> hear() {
                Change<K, V> change = news.removeFirst();
                set(change.key(), change.now());
                return change;
            }

            /** It hears of one object at once, before what happened to others. */
            public void hearOf(K key) {
                news.removeIf(change -> change.key().equals(key));
                set(key, objects.get(key));
            }

            private void set(K key, @Nullable V object) {
                if (object == null) {
                    cached.remove(key);
                } else {
                    cached.put(key, object);
                }
            }

            /** It is filled again, as at a start. */
            public void relist() {
                news.clear();
                cached.clear();
                cached.putAll(objects);
            }

            /** It has heard of all changes but the last: another API server, which lags behind. */
            public void forget(int last) {
                List<Change<K, V>> unheard = past.subList(Math.max(0, past.size() - last), past.size());
                unheard.reversed().forEach(change -> set(change.key(), change.before()));
                news.clear();
                news.addAll(unheard);
            }

            /** It broke, and the list that follows has one change for each object, whatever became of it meanwhile. */
            public void missHistory() {
                Map<K, Change<K, V>> byKey = new LinkedHashMap<>();
                news.forEach(change -> byKey.merge(
                        change.key(),
                        change,
                        (first, last) -> new Change<>(last.revision(), change.key(), first.before(), last.now())));
                news = new ArrayDeque<>(byKey.values());
                news.removeIf(change -> change.before() == null && change.now() == null);
            }
        }
    }
}
