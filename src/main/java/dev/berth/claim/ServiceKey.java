package dev.berth.claim;

import java.util.Comparator;

/** A Service by namespace and name, whatever object has the name at the time. */
public record ServiceKey(String namespace, String name) implements Comparable<ServiceKey> {
    private static final Comparator<ServiceKey> ORDER =
            Comparator.comparing(ServiceKey::namespace).thenComparing(ServiceKey::name);

    @Override
    public int compareTo(ServiceKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
