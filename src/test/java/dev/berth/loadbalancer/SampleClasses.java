package dev.berth.loadbalancer;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The classes that most tests do with. */
public final class SampleClasses {
    /** What the one class serves. */
    static final String VALUE = "berth.dev/pool";

    private SampleClasses() {}

    /** One class of the provider {@code pool}. */
    static ClassSet one(Classless classless) {
        return one(VALUE, "pool", Capabilities.fromPools(IpMode.VIP).withImmediate(true), null, classless);
    }

    /**
     * One class.
     *
     * @param value what it serves
     * @param provider by whose name it goes, too
     * @param ipMode null: what the provider does
     */
    public static ClassSet one(
            String value, String provider, Capabilities capabilities, @Nullable IpMode ipMode, Classless classless) {
        return one(value, provider, capabilities, ipMode, classless, false);
    }

    /** The same, whose Services give back their node ports if {@code releasesNodePorts}. */
    public static ClassSet one(
            String value,
            String provider,
            Capabilities capabilities,
            @Nullable IpMode ipMode,
            Classless classless,
            boolean releasesNodePorts) {
        return poolSet(
                value,
                provider,
                new KnownProviders(Map.of(provider, capabilities), Map.of()),
                ipMode,
                classless,
                releasesNodePorts);
    }

    /** One class, the default by Auto, that has said that it serves Services without a class. */
    public static ClassSet thatHasServedClassless(String value, String provider, Capabilities capabilities) {
        return theDefault(value, provider, capabilities, Classless.AUTO, false, null, true);
    }

    /** One class, the default, that serves no Service whose source ranges nobody enforces. */
    public static ClassSet refusingUnenforcedSourceRanges(String value, String provider, Capabilities capabilities) {
        return theDefault(value, provider, capabilities, Classless.ALWAYS, true, null, false);
    }

    /** One class, the default, with TLS on all ports. */
    public static ClassSet withTls(String value, String provider, Capabilities capabilities) {
        return theDefault(
                value, provider, capabilities, Classless.ALWAYS, false, new ClassTls("web", List.of()), false);
    }

    private static ClassSet theDefault(
            String value,
            String provider,
            Capabilities capabilities,
            Classless classless,
            boolean refusesUnenforcedSourceRanges,
            @Nullable ClassTls tls,
            boolean hasServedClassless) {
        return ClassSet.of(
                List.of(new ClassDeclaration(
                        provider,
                        Instant.parse("2026-01-01T00:00:00Z"),
                        value,
                        "me",
                        provider,
                        Map.of(),
                        List.of(),
                        null,
                        HealthCheckPolicy.AUTO,
                        false,
                        classless,
                        refusesUnenforcedSourceRanges,
                        tls,
                        List.of(),
                        hasServedClassless)),
                "me",
                new KnownProviders(Map.of(provider, capabilities), Map.of()));
    }

    /** One class, the default, whose provider has not said yet what it can do. */
    public static ClassSet awaited(String value, String provider) {
        return poolSet(
                value, provider, new KnownProviders(Map.of(), Map.of(provider, "away")), null, Classless.ALWAYS, false);
    }

    /** One class, which names another controller. */
    public static ClassSet ofAnotherBerth(String value) {
        return ClassSet.of(List.of(declared("theirs", value, "another", "pool")), "me", KnownProviders.NONE);
    }

    /** A class of this Berth, and one of another. */
    public static ClassSet besideAnotherBerth(String value, String provider, Capabilities capabilities, String others) {
        return ClassSet.of(
                List.of(declared("mine", value, "me", provider), declared("theirs", others, "another", "pool")),
                "me",
                new KnownProviders(Map.of(provider, capabilities), Map.of()));
    }

    private static ClassDeclaration declared(String name, String value, String controllerName, String provider) {
        return new ClassDeclaration(
                name,
                Instant.EPOCH,
                value,
                controllerName,
                provider,
                Map.of(),
                List.of(),
                null,
                HealthCheckPolicy.AUTO,
                false,
                Classless.NEVER);
    }

    /** One class that is not accepted: nobody knows its provider. */
    public static ClassSet ofUnknownProvider(String value, Classless classless) {
        return poolSet(value, "unknown", KnownProviders.NONE, null, classless, false);
    }

    /** One class for each of these, and none of them the default. */
    public static ClassSet ofParameters(
            String provider, Capabilities capabilities, List<Map<String, String>> parameters) {
        return ClassSet.of(
                IntStream.range(0, parameters.size())
                        .mapToObj(i -> new ClassDeclaration(
                                "class-" + i,
                                Instant.parse("2026-01-01T00:00:00Z"),
                                "example.com/" + i,
                                "me",
                                provider,
                                parameters.get(i),
                                List.of(),
                                null,
                                HealthCheckPolicy.AUTO,
                                false,
                                Classless.NEVER))
                        .toList(),
                "me",
                new KnownProviders(Map.of(provider, capabilities), Map.of()));
    }

    private static ClassSet poolSet(
            String value,
            String provider,
            KnownProviders providers,
            @Nullable IpMode ipMode,
            Classless classless,
            boolean releasesNodePorts) {
        return ClassSet.of(
                List.of(new ClassDeclaration(
                        provider,
                        Instant.parse("2026-01-01T00:00:00Z"),
                        value,
                        "me",
                        provider,
                        Map.of(),
                        List.of(),
                        ipMode,
                        HealthCheckPolicy.AUTO,
                        releasesNodePorts,
                        classless)),
                "me",
                providers);
    }
}
