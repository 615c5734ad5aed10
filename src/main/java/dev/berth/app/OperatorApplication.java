package dev.berth.app;

import io.javaoperatorsdk.operator.Operator;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.inject.Inject;

/** Runs the operator once Quarkus is up, so that health is served while the caches fill. */
public final class OperatorApplication implements QuarkusApplication {
    private final Operator operator;
    private final Wiring wiring;

    @Inject
    OperatorApplication(Operator operator, Wiring wiring) {
        this.operator = operator;
        this.wiring = wiring;
    }

    @Override
    public int run(String... args) {
        wiring.start(operator);
        Quarkus.waitForExit();
        return 0;
    }
}
