package dev.berth.agent;

import dev.berth.ip.Ip;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The routers that were heard on interfaces, by their numbers, and when: in milliseconds, from any moment on. */
final class HeardRouters {
    /** A router that has not been heard for so long is gone, once there is another. */
    static final long SILENCE = 60_000;

    /** On one interface: anyone there may say that there are more. */
    static final int MOST = 16;

    private final Map<Integer, Map<Ip, Long>> byIndex = new HashMap<>();

    /** From now on these interfaces are listened to, and no others. */
    synchronized void listenTo(Collection<Integer> indexes) {
        byIndex.keySet().retainAll(indexes);
        indexes.forEach(index -> byIndex.computeIfAbsent(index, _ -> new HashMap<>()));
    }

    /** Notes that a router was heard; true: it was not known. */
    synchronized boolean heard(int index, Ip router, long now) {
        Map<Ip, Long> routers = byIndex.get(index);
        if (routers == null) {
            return false;
        }
        boolean isNew = !routers.containsKey(router);
        if (isNew) {
            routers.values().removeIf(at -> at <= now - SILENCE);
            if (routers.size() >= MOST) {
                return false;
            }
        }
        routers.put(router, now);
        return isNew;
    }

    /** Those that are heard; if none is any more, the one that was last. */
    synchronized List<Ip> on(int index) {
        Map<Ip, Long> routers = byIndex.getOrDefault(index, Map.of());
        long last = routers.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return routers.entrySet().stream()
                .filter(one -> one.getValue() > last - SILENCE)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}
