package dev.berth.plan;

import dev.berth.plan.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The classes that most tests do with. */
final class SampleClasses {
    /** What the one class serves. */
    static final String VALUE = "berth.dev/pool";

    private SampleClasses() {}

    /** One class, the default, of the provider {@code pool}. */
    static ClassBook one(Classless classless) {
        return ClassBook.of(
                List.of(new ClassDeclaration(
                        "pool",
                        Instant.parse("2026-01-01T00:00:00Z"),
                        VALUE,
                        "me",
                        "pool",
                        Map.of(),
                        List.of(),
                        null,
                        HealthCheckPolicy.AUTO,
                        true,
                        classless)),
                "me",
                Map.of("pool", Capabilities.fromPools(IpMode.VIP).withImmediate(true)));
    }
}
