package dev.berth.app;

import io.javaoperatorsdk.operator.Operator;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Runs the operator once Quarkus is up, so that health is served while the caches fill. */
@Singleton
public final class OperatorApplication implements QuarkusApplication {
    private static final ScopedValue<Launch> LAUNCH = ScopedValue.newInstance();

    private final Operator operator;
    private final Wiring wiring;

    @Inject
    OperatorApplication(Operator operator, Wiring wiring) {
        this.operator = operator;
        this.wiring = wiring;
    }

    /**
     * Runs it until it is stopped.
     *
     * @param exit is given the exit code, and what the start failed of; null: it did not
     */
    static void run(Launch launch, BiConsumer<Integer, @Nullable Throwable> exit) {
        ScopedValue.where(LAUNCH, launch).run(() -> Quarkus.run(OperatorApplication.class, exit));
    }

    /** Quarkus creates the beans that need it on the thread that starts it. */
    @Produces
    @Singleton
    static Launch launch() {
        return LAUNCH.get();
    }

    @Override
    public int run(String... args) {
        wiring.start(operator);
        Quarkus.waitForExit();
        return 0;
    }
}
