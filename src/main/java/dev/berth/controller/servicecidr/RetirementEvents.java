package dev.berth.controller.servicecidr;

import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.ServiceCidr;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Says on a ServiceCIDR what becomes of the request that it retire, when that changes. */
final class RetirementEvents {
    private static final String NO_POLICY = "annotation " + ServiceCidr.RETIRE + " does nothing without a"
            + " ServiceCIDRPolicy: kubectl apply -f docs/examples/service-cidr-policy.yaml";

    private final String apiVersion;
    private final Events events;

    /** What was refused last, by uid. */
    private final Map<String, String> refused = new HashMap<>();

    RetirementEvents(String apiVersion, Events events) {
        this.apiVersion = apiVersion;
        this.events = events;
    }

    /** As the policy has it. */
    void tell(List<RangeRetirement.Outcome> outcomes) {
        retain(outcomes.stream().map(outcome -> outcome.retirement().serviceCidr()));
        outcomes.forEach(this::tell);
    }

    private void tell(RangeRetirement.Outcome outcome) {
        ServiceCidr cidr = outcome.retirement().serviceCidr();
        Optional<String> objection = outcome.objection();
        if (objection.isPresent()) {
            refuse(cidr, String.valueOf(cidr.retire()), objection.get());
            return;
        }
        refused.remove(cidr.uid());
        if (outcome.retirement().verdict() instanceof Retirement.Verdict.Delete) {
            events.normal(
                    about(cidr),
                    Reason.Retiring,
                    "deleted: it no longer allocates addresses, and is removed when none of its addresses is in use");
        }
    }

    /** Nobody looks after ranges. */
    void tellWithoutPolicy(List<ServiceCidr> cidrs) {
        List<ServiceCidr> ignored = cidrs.stream()
                .filter(cidr -> cidr.isToRetire() && !cidr.isTerminating())
                .toList();
        retain(ignored.stream());
        ignored.forEach(cidr -> refuse(cidr, NO_POLICY, NO_POLICY));
    }

    private void retain(Stream<ServiceCidr> known) {
        refused.keySet().retainAll(known.map(ServiceCidr::uid).toList());
    }

    /** Once, even if the numbers in the message change. */
    private void refuse(ServiceCidr cidr, String what, String message) {
        if (!what.equals(refused.put(cidr.uid(), what))) {
            events.warning(about(cidr), Reason.RetirementRefused, message);
        }
    }

    private About about(ServiceCidr cidr) {
        return new About(apiVersion, "ServiceCIDR", "", cidr.name(), cidr.uid());
    }
}
