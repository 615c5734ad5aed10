package dev.berth.controller.servicecidr;

import dev.berth.kube.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was said last, by the type of the condition: a status may be too early to be written, and be another then. */
final class LastReported {
    private final Map<String, PolicyStatus.Told> last = new HashMap<>();

    /**
     * Whether something else was said last, or it was not yet anything to look at.
     *
     * @param before the conditions that the object has; they tell what was said before a restart
     */
    boolean isNew(@Nullable List<Condition> before, PolicyStatus.Told told) {
        PolicyStatus.Told known = last.put(told.type(), told);
        String now = told.status() + " " + told.reason();
        return known == null
                ? !now.equals(Conditions.find(before, told.type())
                        .map(one -> one.getStatus() + " " + one.getReason())
                        .orElse(""))
                : told.bad() != known.bad() || !now.equals(known.status() + " " + known.reason());
    }

    /** Of nothing but these there is anything to say any more. */
    void retain(List<PolicyStatus.Told> told) {
        last.keySet().retainAll(told.stream().map(PolicyStatus.Told::type).toList());
    }

    /** The policy is gone. */
    void forget() {
        last.clear();
    }
}
