package dev.berth.loadbalancer;

import dev.berth.address.Ip;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The next thing to do for a Service that is served, complete. Each may be the last before a crash: the next pass goes on
 * from there.
 */
public sealed interface ServingEffect {
    /** It waits for no address: it leaves the queue. */
    record StopWaiting() implements ServingEffect {}

    /**
     * Claim an address, or make sure of one, as the plan has it.
     *
     * @param index of the step in the plan
     */
    record TakeStep(int index, Step.Serving step) implements ServingEffect {}

    /**
     * Put our finalizer on, and by which class it is served, alone: what comes next touches the world. All else is
     * planned again, from what the API server answered.
     */
    record AddFinalizer(Publication wanted) implements ServingEffect {}

    /** Look up what the Service asks of its provider. */
    record AskFor() implements ServingEffect {}

    /** Have the provider make it so. */
    record Call(ProviderCall call) implements ServingEffect {}

    /**
     * Read the Addresses of what is about to go from the status and is not the Service's own as far as is known: another
     * operator may have claimed them unheard. So two operators that serve one Service come to agree on one address
     * before either releases the other.
     */
    record CheckPublished(List<Ip> addresses) implements ServingEffect {}

    /** Another controller wrote to the status; the third time in a while it is let stand. */
    record CountOverwrite(List<Published> wanted) implements ServingEffect {}

    /** Have a dry run tell whether the API server keeps ipMode, for nothing else differs. */
    record AskForIpMode(Publication wanted) implements ServingEffect {}

    /** Write the Addresses of what is about to be published for the first time. */
    record ConfirmClaims(List<Ip> addresses) implements ServingEffect {}

    /** Write finalizer, ingress and conditions in one patch, if anything differs. */
    record Publish(Publication wanted) implements ServingEffect {}

    /** Release what it holds and keeps no longer. */
    record ReleaseSurplus(List<Ip> addresses) implements ServingEffect {}

    /** Release the node ports, now that the Service is delivered without them. */
    record ReleaseNodePorts() implements ServingEffect {}

    /** Plan again, for what was released may have been all that made the Service ours. */
    record PlanAgain() implements ServingEffect {}

    /**
     * Say what went wrong, and try again later.
     *
     * @param losesTurn whether those behind it in the queue go first: it may never get its address
     */
    record Fail(Trouble what, boolean losesTurn) implements ServingEffect {}

    /** Nothing is left to do. */
    record Rest(Optional<Duration> again) implements ServingEffect {}

    /** Nothing may be done before its time: this was tried, and failed. */
    record Wait(Duration delay) implements ServingEffect {}
}
