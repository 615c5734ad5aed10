package dev.berth.controller.service;

import dev.berth.loadbalancer.ServedClass;
import dev.berth.provider.Capabilities;
import java.util.OptionalInt;

/**
 * Where calls to providers wait for their turn: each class has a line of its own, and so has the list of each provider. All
 * calls to a provider that says how many it takes at once are in one line.
 *
 * @param name no two lines have the same
 * @param called who is called in it, human-readable
 * @param limit how many calls the provider takes at once; empty: it does not say
 */
record CallLine(String name, String called, OptionalInt limit) {
    private static final String OF_PROVIDER = "provider ";

    /** The line of a class. */
    static CallLine of(ServedClass served) {
        return served.capabilities().callLimit().isPresent()
                ? ofProvider(served.provider(), served.capabilities())
                : ofClass(served.name());
    }

    /** The line of a class whose provider has no limit of its own. */
    static CallLine ofClass(String className) {
        return new CallLine(className, "the provider of LoadBalancerClass \"" + className + "\"", OptionalInt.empty());
    }

    /** The line of what is asked of a provider for no class. */
    static CallLine ofProvider(String provider, Capabilities capabilities) {
        return new CallLine(nameOf(provider), "provider \"" + provider + "\"", capabilities.callLimit());
    }

    /** What the line of a provider is called. No class is called like that. */
    static String nameOf(String provider) {
        return OF_PROVIDER + provider;
    }

    static boolean isOfProvider(String line) {
        return line.startsWith(OF_PROVIDER);
    }
}
