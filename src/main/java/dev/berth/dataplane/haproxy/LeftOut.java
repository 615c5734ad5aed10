package dev.berth.dataplane.haproxy;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Those load balancers that HAProxy could not be loaded with; it has all others.
 *
 * @param reasons why, by the name of the load balancer
 */
record LeftOut(SequencedMap<String, String> reasons) {
    LeftOut {
        reasons = Collections.unmodifiableSequencedMap(new TreeMap<>(reasons));
    }

    static LeftOut none() {
        return new LeftOut(new TreeMap<>());
    }

    boolean isEmpty() {
        return reasons.isEmpty();
    }

    boolean has(String name) {
        return reasons.containsKey(name);
    }

    /** All but these. */
    LeftOut without(Collection<String> names) {
        SequencedMap<String, String> others = new TreeMap<>(reasons);
        others.keySet().removeAll(names);
        return new LeftOut(others);
    }

    /** These alone. */
    LeftOut only(Collection<String> names) {
        SequencedMap<String, String> some = new TreeMap<>(reasons);
        some.keySet().retainAll(names);
        return new LeftOut(some);
    }

    /** The names of those that are in one of the two alone. */
    List<String> differencesFrom(LeftOut other) {
        return Stream.concat(
                        reasons.keySet().stream().filter(name -> !other.has(name)),
                        other.reasons.keySet().stream().filter(name -> !has(name)))
                .toList();
    }

    /** What HAProxy has of all that is wanted, by name. */
    SequencedMap<String, LoadBalancer> carried(SequencedMap<String, LoadBalancer> wanted) {
        SequencedMap<String, LoadBalancer> carried = new TreeMap<>(wanted);
        carried.keySet().removeAll(reasons.keySet());
        return carried;
    }
}
