package dev.berth.controller.service;

import dev.berth.address.Claim;
import dev.berth.address.Ip;
import dev.berth.controller.Next;
import dev.berth.controller.service.ServicePass.Outcome;
import dev.berth.kube.Events.About;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.NodePortRules;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Trouble.Reason;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Gives the node ports of one Service back, in one pass: the only write to a Service beside its status. */
final class PassNodePorts {
    private static final String HINT =
            "; it needs the permissions of src/main/kubernetes/components/release-node-ports";

    private final PassState pass;

    PassNodePorts(PassState pass) {
        this.pass = pass;
    }

    /** What is asked of the API server; the same is not asked again before its time. */
    private record Request(String ports) {}

    Optional<Outcome> release(ServicePlan.Serve serve) {
        ServiceState state = pass.newest(serve.service());
        Request request = new Request(NodePortRules.ports(state));
        Optional<Duration> mustWait = pass.memory.retries.mustWait(request, pass.steady());
        if (mustWait.isPresent()) {
            return Optional.of(new Outcome.Finished(Next.after(mustWait.get())));
        }
        Map<Ip, Claim> claimsBefore = PassState.claims(pass.parts.ledger(), pass.key);
        return switch (pass.parts.cluster().releaseNodePorts(state, request.ports())) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                pass.wrote(answer, claimsBefore);
                pass.parts
                        .events()
                        .normal(
                                About.service(answer),
                                "ReleasedNodePorts",
                                "Released the node ports of " + request.ports());
                yield Optional.of(new Outcome.Again(false));
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) ->
                notReleased(message.contains("forbidden") ? message + HINT : message, request);
            case Write.Unknown<ServiceState>(String message) -> notReleased(message, request);
        };
    }

    private Optional<Outcome> notReleased(String message, Request request) {
        pass.trouble("releasing node ports", Reason.ReleaseNodePortsFailed, message, request);
        return Optional.empty();
    }
}
