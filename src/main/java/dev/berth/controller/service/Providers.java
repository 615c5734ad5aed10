package dev.berth.controller.service;

import dev.berth.provider.Capabilities;
import dev.berth.provider.LoadBalancerProvider;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** The providers that there are, by the name that a LoadBalancerClass uses. */
public final class Providers {
    private final SequencedMap<String, LoadBalancerProvider> byName;

    public Providers(SequencedMap<String, LoadBalancerProvider> byName) {
        this.byName = new LinkedHashMap<>(byName);
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

    /** Each by its name. */
    SequencedMap<String, LoadBalancerProvider> all() {
        return Collections.unmodifiableSequencedMap(byName);
    }

    /** What each can do. */
    public Map<String, Capabilities> capabilities() {
        SequencedMap<String, Capabilities> all = new LinkedHashMap<>();
        byName.forEach((name, provider) -> all.put(name, provider.capabilities()));
        return all;
    }
}
