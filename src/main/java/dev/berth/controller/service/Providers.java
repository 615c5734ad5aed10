package dev.berth.controller.service;

import dev.berth.loadbalancer.KnownProviders;
import dev.berth.provider.Capabilities;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.Set;

/** The providers that there are, by the name that a LoadBalancerClass uses. */
public final class Providers {
    private final SequencedMap<String, LoadBalancerProvider> byName;
    private final Set<String> plugins;

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

    /** Whether a call can neither hang nor leave anything behind: it needs no guard. */
    boolean needsNoGuard(LoadBalancerProvider provider) {
        return plugins.stream().noneMatch(name -> provider.equals(byName.get(name)))
                && provider.capabilities().immediate();
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
