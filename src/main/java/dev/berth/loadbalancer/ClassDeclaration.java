package dev.berth.loadbalancer;

import dev.berth.provider.IpMode;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A LoadBalancerClass as its administrator wrote it, and what Berth has said of it that still holds.
 *
 * @param value what a Service writes into {@code spec.loadBalancerClass}
 * @param pools empty: every pool
 * @param ipMode null: Auto
 * @param releasesNodePorts whether {@code spec.nodePorts} is Release, not Keep
 * @param classless when it serves Services that name no class
 * @param refusesUnenforcedSourceRanges whether {@code spec.unenforcedSourceRanges} is Refuse, not Allow
 * @param tls that is terminated for its Services; null: none
 * @param unreadable what of it could not be understood, a sentence each; it is not accepted then
 * @param hasServedClassless whether its status says that it serves Services that name no class, or did before it was
 *     the default no longer
 */
public record ClassDeclaration(
        String name,
        Instant created,
        String value,
        String controllerName,
        String provider,
        Map<String, String> parameters,
        List<String> pools,
        @Nullable IpMode ipMode,
        HealthCheckPolicy healthCheck,
        boolean releasesNodePorts,
        Classless classless,
        boolean refusesUnenforcedSourceRanges,
        @Nullable ClassTls tls,
        List<String> unreadable,
        boolean hasServedClassless) {
    /** The oldest first: of two that clash, that one wins. */
    public static final Comparator<ClassDeclaration> BY_AGE =
            Comparator.comparing(ClassDeclaration::created).thenComparing(ClassDeclaration::name);

    public ClassDeclaration {
        pools = List.copyOf(pools);
        unreadable = List.copyOf(unreadable);
    }

    /** One that is understood, refuses no source ranges, has no TLS, and has not served Services without a class. */
    public ClassDeclaration(
            String name,
            Instant created,
            String value,
            String controllerName,
            String provider,
            Map<String, String> parameters,
            List<String> pools,
            @Nullable IpMode ipMode,
            HealthCheckPolicy healthCheck,
            boolean releasesNodePorts,
            Classless classless) {
        this(
                name,
                created,
                value,
                controllerName,
                provider,
                parameters,
                pools,
                ipMode,
                healthCheck,
                releasesNodePorts,
                classless,
                false,
                null,
                List.of(),
                false);
    }

    /** Whether it asks to be the default class: the one for Services that name no class. */
    public boolean isDefault() {
        return classless != Classless.NEVER;
    }

    /** Whether its Services are served as by {@code other}: whether it has served some says only when Berth defers. */
    public boolean servesAs(ClassDeclaration other) {
        return equals(other.served(hasServedClassless));
    }

    private ClassDeclaration served(boolean classlessServices) {
        return new ClassDeclaration(
                name,
                created,
                value,
                controllerName,
                provider,
                parameters,
                pools,
                ipMode,
                healthCheck,
                releasesNodePorts,
                classless,
                refusesUnenforcedSourceRanges,
                tls,
                unreadable,
                classlessServices);
    }

    /** When a class serves Services that name no class. */
    public enum Classless {
        NEVER,
        /** Unless another controller seems to. */
        AUTO,
        ALWAYS
    }
}
