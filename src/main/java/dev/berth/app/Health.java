package dev.berth.app;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Startup;

/** Started: all that is held is known, or another replica leads. The SDK itself tells whether informers work. */
@Singleton
final class Health {
    private final Wiring wiring;

    @Inject
    Health(Wiring wiring) {
        this.wiring = wiring;
    }

    @Produces
    @Liveness
    HealthCheck watching() {
        return () -> HealthCheckResponse.named("Nodes, Namespaces and ServiceCIDRs are watched")
                .status(wiring.isAlive())
                .build();
    }

    @Produces
    @Startup
    HealthCheck adopted() {
        return () -> HealthCheckResponse.named("Addresses are known, or another replica leads")
                .status(wiring.isStarted())
                .build();
    }
}
