package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.reason.Reason;
import java.util.List;

/** One thing to do. Each may be the last before a crash: the next plan goes on from there. */
public sealed interface Step {
    /** What the addresses of a Service that is ours to serve need. */
    sealed interface Serving extends Step {}

    /** What of it is done to Address objects. */
    sealed interface OfClaims extends Serving {}

    /** Make sure of the Address object of an address that is held, or reserved, for the Service. */
    record ConfirmClaim(Holding holding, ServedClass servedClass) implements OfClaims {}

    /** Have the Address object of an address that it keeps say what the Service says by now. */
    record Amend(Holding holding, ClaimSpec spec) implements OfClaims {}

    /**
     * Say why what it asks for changes nothing: it is not to be understood, contradicts itself, or needs the consent of
     * its owner.
     */
    record Refuse(WaitReason why) implements Serving {}

    /** Say why it cannot share its address as it asks to. */
    record Warn(WaitReason why) implements Serving {}

    /** Say which of its annotations are not read. */
    record Hint(WaitReason why) implements Serving {}

    /** Choose, hold and claim the addresses that are missing. */
    record Acquire(AddressRequest request) implements OfClaims {}

    /** What ends the service of a Service. */
    sealed interface TearingDown extends Step {}

    /** Have the provider delete what it made. */
    record DeleteLoadBalancer(ServedClass servedClass) implements TearingDown {}

    /**
     * Take finalizer, ingress and conditions off in one patch.
     *
     * @param others the entries of the ingress that are another controller's: they stay
     */
    record Clear(List<Published> others) implements TearingDown {
        public Clear {
            others = List.copyOf(others);
        }
    }

    /** Give the addresses back. Always last: an address that is still published is never handed on. */
    record Release(List<Ip> addresses) implements TearingDown {
        public Release {
            addresses = List.copyOf(addresses);
        }
    }

    /** What is done for a Service that is not served. */
    sealed interface Skipping extends Step {}

    /**
     * Say in the status of a Service why it is left as it is.
     *
     * @param ingress what stays in its status: all, but for the addresses that were given to others
     */
    record Explain(Reason reason, String message, List<Published> ingress) implements Skipping {
        public Explain {
            ingress = List.copyOf(ingress);
        }
    }

    /** Take our conditions off a Service that is another's, and nothing else. */
    record RemoveConditions() implements Skipping {}
}
