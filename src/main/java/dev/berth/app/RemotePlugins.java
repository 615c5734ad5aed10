package dev.berth.app;

import dev.berth.plugin.RemoteProvider;
import dev.berth.provider.LoadBalancerProvider;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The plug-ins in separate processes: they come and go. */
final class RemotePlugins {
    /** How long the start waits for those that are not there: their Services would wait, and say so, for a moment. */
    private static final Duration COMING_UP = Duration.ofSeconds(3);

    private final SequencedMap<String, RemoteProvider> byName = new LinkedHashMap<>();

    /** Those among {@code all} plug-ins. */
    RemotePlugins(SequencedMap<String, LoadBalancerProvider> all) {
        all.forEach((name, provider) -> {
            if (provider instanceof RemoteProvider plugin) {
                byName.put(name, plugin);
            }
        });
    }

    /** What each is, by name, and each host of those that have several. */
    void forEach(BiConsumer<String, RemoteProvider> each) {
        byName.forEach((name, plugin) -> {
            each.accept(name, plugin);
            plugin.hosts().forEach(each);
        });
    }

    /** Waits a moment for all. Most are there already; what comes later is reported. */
    void await() {
        long until = System.nanoTime() + COMING_UP.toNanos();
        try {
            for (RemoteProvider plugin : byName.values()) {
                plugin.awaitConnected(Duration.ofNanos(until - System.nanoTime()));
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has {@code listener} told, by name, of one that has come, or can do something else than before. */
    void whenChanged(Consumer<String> listener) {
        byName.forEach((name, plugin) -> plugin.whenChanged(() -> listener.accept(name)));
    }
}
