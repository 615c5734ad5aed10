package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServingEffect.NodePorts;
import dev.berth.loadbalancer.ServingEffect.ReleaseNodePorts;
import dev.berth.reason.Reason;
import java.util.List;

/** Releases the node ports of one Service, in one pass: the only write to a Service beside its status. */
final class NodePortEffects {
    private final ReconcileContext pass;

    NodePortEffects(ReconcileContext pass) {
        this.pass = pass;
    }

    Outcome release(ReleaseNodePorts effect) {
        List<Claim> claimsBefore = pass.claims();
        String ports = effect.of().ports();
        return switch (pass.write(
                claimsBefore, () -> pass.parts().cluster().releaseNodePorts(effect.service(), ports))) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                pass.say(answer, effect.done());
                yield new Outcome.Changed(false);
            }
            case Write.Conflict<ServiceState> changed -> new Outcome.Changed(true);
            case Write.NotFound<ServiceState> gone -> new Outcome.Changed(true);
            case Write.Refused<ServiceState>(String message) -> notReleased(message, effect.of());
            case Write.Unknown<ServiceState>(String message) -> notReleased(message, effect.of());
        };
    }

    private static Outcome notReleased(String message, NodePorts of) {
        return ReconcileContext.failed("releasing node ports", Reason.ReleaseNodePortsFailed, message, of);
    }
}
