package dev.berth.controller.servicecidr;

import dev.berth.kube.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was reported last, by the type of the condition: a status may be too early to be written, and be another then. */
final class LastReported {
    private final Map<String, PolicyConditions.Report> last = new HashMap<>();

    /**
     * Notes that this is reported.
     *
     * @param before the conditions that the object has; they show what was reported before a restart
     * @return whether something else was reported last, or it was not yet anything to look at
     */
    boolean note(@Nullable List<Condition> before, PolicyConditions.Report report) {
        PolicyConditions.Report known = last.put(report.type(), report);
        String now = report.status() + " " + report.reason();
        return known == null
                ? !now.equals(Conditions.find(before, report.type())
                        .map(one -> one.getStatus() + " " + one.getReason())
                        .orElse(""))
                : report.bad() != known.bad() || !now.equals(known.status() + " " + known.reason());
    }

    /** Of nothing but these there is anything to say any more. */
    void retain(List<PolicyConditions.Report> reports) {
        last.keySet()
                .retainAll(reports.stream().map(PolicyConditions.Report::type).toList());
    }

    /** The policy is gone. */
    void forget() {
        last.clear();
    }
}
