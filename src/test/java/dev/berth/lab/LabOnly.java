package dev.berth.lab;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** For tests that need the namespaces of {@code src/test/lab/bin/java}: skipped, with the reason, where there are none. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("lab")
@ExtendWith(LabOnly.InNamespaces.class)
public @interface LabOnly {

    /** Whether this JVM was started by {@code src/test/lab/bin/java} in namespaces of its own. */
    final class InNamespaces implements ExecutionCondition {
        /** Once in a JVM. */
        private static final AtomicBoolean SAID = new AtomicBoolean();

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (System.getenv("BERTH_LAB") != null) {
                return ConditionEvaluationResult.enabled("in namespaces of its own");
            }
            String missing = System.getenv("BERTH_LAB_MISSING");
            String why = missing == null ? "the JVM was not started by src/test/lab/bin/java" : missing;
            if (SAID.compareAndSet(false, true)) {
                System.err.println("lab: the lab's tests are skipped: " + why);
            }
            return ConditionEvaluationResult.disabled("no lab: " + why);
        }
    }
}
