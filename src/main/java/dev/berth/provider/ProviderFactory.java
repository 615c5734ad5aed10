package dev.berth.provider;

import java.util.Map;

/**
 * Makes the provider of a plug-in. Berth finds it by {@link java.util.ServiceLoader}: the jar names its factories in
 * {@code META-INF/services/dev.berth.provider.ProviderFactory}, and each has a public constructor without parameters.
 *
 * <p>A plug-in sees the JDK, this package and JSpecify; what else it needs, it brings along.
 */
public interface ProviderFactory {
    /**
     * What {@code spec.provider} of a LoadBalancerClass calls the provider: lower-case letters, digits and
     * hyphens, at most 63. Constant.
     */
    String name();

    /**
     * The version of the contract that the plug-in was written for. Constant. Berth refuses, at its start, a plug-in of a
     * version that it does not know; one written for version 1 need not have this method.
     */
    default int contractVersion() {
        return 1;
    }

    /** The version of the plug-in itself, for the log: by default that in the manifest of its jar; empty: not known. */
    default String version() {
        String version = getClass().getPackage().getImplementationVersion();
        return version == null ? "" : version;
    }

    /**
     * Makes the provider. Called once, at the start of Berth, on one thread.
     *
     * @param settings of the whole provider, from the file {@code <name>.properties} in the plug-in folder; empty
     *     if there is none. What may differ from class to class is in {@link LoadBalancerRequest#parameters}
     * @throws ProviderException if it cannot work with them: Berth shows the message, and ends
     */
    LoadBalancerProvider create(Map<String, String> settings);
}
