package dev.berth.controller.service;

import dev.berth.loadbalancer.KnownProviders;
import dev.berth.provider.Capabilities;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The providers that there are, by the name that a LoadBalancerClass uses. */
public final class Providers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Providers.class);

    /** How long all of them have to close. */
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final SequencedMap<String, LoadBalancerProvider> byName;
    private final Set<String> plugins;
    private volatile boolean closed;

    /** Berth's own providers. */
    public Providers(SequencedMap<String, LoadBalancerProvider> byName) {
        this(byName, Set.of());
    }

    /**
     * Providers.
     *
     * @param plugins those that others wrote: no call to them is sure to end, whatever they say of themselves
     */
    public Providers(SequencedMap<String, LoadBalancerProvider> byName, Set<String> plugins) {
        this.byName = new LinkedHashMap<>(byName);
        this.plugins = new LinkedHashSet<>(plugins);
    }

    /**
     * The provider of this name.
     *
     * @throws IllegalArgumentException if there is none: a class that names such a one is never served
     */
    LoadBalancerProvider named(String name) {
        LoadBalancerProvider provider = byName.get(name);
        if (provider == null) {
            throw new IllegalArgumentException("there is no provider \"" + name + "\"");
        }
        return provider;
    }

    /** Whether a call can neither hang nor leave anything behind, nor be one too many: it needs no guard. */
    boolean needsNoGuard(LoadBalancerProvider provider) {
        // A plug-in is not even asked what it can do: it may not answer.
        return !isOfPlugin(provider)
                && provider.capabilities().immediate()
                && provider.capabilities().callLimit().isEmpty();
    }

    private boolean isOfPlugin(LoadBalancerProvider provider) {
        for (String plugin : plugins) {
            if (provider.equals(byName.get(plugin))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Has {@code changed} notified, by the name of the provider, of each Service whose load balancer has changed without
     * Berth, until all are closed. No provider can keep the others from it, nor is one held up by it.
     */
    void onChange(BiConsumer<String, ServiceIdentity> changed) {
        byName.forEach((name, provider) -> Thread.ofPlatform()
                .daemon()
                .name("listening-to-" + name)
                .start(() -> listen(name, provider, service -> reported(name, service, changed))));
    }

    private static void listen(String name, LoadBalancerProvider provider, Consumer<ServiceIdentity> listener) {
        try {
            provider.onChange(listener);
        } catch (RuntimeException | LinkageError failure) {
            LOG.warn("provider \"{}\" does not report changes: {}", name, failure.toString());
        }
    }

    /** Whatever it is, it is not thrown back at the provider. */
    private void reported(String name, @Nullable ServiceIdentity service, BiConsumer<String, ServiceIdentity> changed) {
        if (closed || service == null) {
            return;
        }
        try {
            changed.accept(name, service);
        } catch (RuntimeException defect) {
            LOG.warn("a change that provider \"{}\" reported is ignored", name, defect);
        }
    }

    /** Closes all side by side: one that hangs, or fails, keeps no other open. */
    @Override
    public void close() {
        close(CLOSING);
    }

    /** The same, within {@code atMost}. */
    void close(Duration atMost) {
        closed = true;
        long until = System.nanoTime() + atMost.toNanos();
        SequencedMap<String, Thread> closing = new LinkedHashMap<>();
        byName.forEach((name, provider) -> closing.put(
                name, Thread.ofPlatform().daemon().name("closing-" + name).start(() -> close(name, provider))));
        closing.forEach((name, thread) -> {
            if (!hasEnded(thread, Duration.ofNanos(until - System.nanoTime()))) {
                LOG.warn("provider \"{}\" has not closed within {} s", name, atMost.toSeconds());
            }
        });
    }

    private static void close(String name, LoadBalancerProvider provider) {
        try {
            provider.close();
        } catch (RuntimeException | LinkageError failure) {
            LOG.warn("closing provider \"{}\": {}", name, failure.toString());
        }
    }

    private static boolean hasEnded(Thread thread, Duration atMost) {
        try {
            return thread.join(atMost);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    /** What each can do, or why it has not said so yet. */
    public KnownProviders known() {
        SequencedMap<String, Capabilities> capabilities = new LinkedHashMap<>();
        SequencedMap<String, String> away = new LinkedHashMap<>();
        byName.forEach((name, provider) -> {
            try {
                capabilities.put(name, provider.capabilities());
            } catch (ProviderException notThere) {
                away.put(name, String.valueOf(notThere.getMessage()));
            }
        });
        return new KnownProviders(capabilities, away);
    }
}
