package dev.berth.app;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.RuntimeInfo;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/** What the probes of the operator are told. */
@Singleton
final class Health {
    private final Wiring wiring;
    private final Operator operator;

    @Inject
    Health(Wiring wiring, Operator operator) {
        this.wiring = wiring;
        this.operator = operator;
    }

    @Produces
    @Liveness
    HealthCheck watching() {
        return () -> HealthCheckResponse.named("Nodes, Namespaces and ServiceCIDRs are watched")
                .status(wiring.isAlive())
                .build();
    }

    @Produces
    @Readiness
    HealthCheck reconciling() {
        return () -> HealthCheckResponse.named("What is reconciled is watched")
                .status(isReconciling(operator.getRuntimeInfo()))
                .build();
    }

    /** The SDK logs a warning where it is asked before it has started. */
    private static boolean isReconciling(RuntimeInfo sdk) {
        return sdk.isStarted() && sdk.allEventSourcesAreHealthy();
    }

    /** All that is held is known, or another replica leads. */
    @Produces
    @Startup
    HealthCheck adopted() {
        return () -> HealthCheckResponse.named("Addresses are known, or another replica leads")
                .status(wiring.isStarted())
                .build();
    }
}
