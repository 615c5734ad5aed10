package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.pool.Refusal;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The next thing to do for a Service that is served, complete. Each may be the last before a crash: the next pass goes on
 * from there.
 */
public sealed interface ServingEffect
        permits ServingEffect.StopWaiting,
                ServingEffect.Note,
                ServingEffect.OfStep,
                ServingEffect.Choose,
                ServingEffect.ClaimChosen,
                ServingEffect.CountAssigned,
                ServingEffect.JoinQueue,
                ServingEffect.ReadService,
                ServingEffect.GiveUpClaim,
                ServingEffect.AddFinalizer,
                ServingEffect.AskFor,
                ServingEffect.TakeTurn,
                ServingEffect.Call,
                ServingEffect.Accept,
                ServingEffect.Refresh,
                ServingEffect.AskAgain,
                ServingEffect.Keep,
                ServingEffect.MakeDue,
                ServingEffect.Postpone,
                ServingEffect.CheckPublished,
                ServingEffect.CountOverwrite,
                ServingEffect.AskForIpMode,
                ServingEffect.ReadAgain,
                ServingEffect.ConfirmClaim,
                ServingEffect.Publish,
                ServingEffect.DelayWords,
                ServingEffect.ReleaseSurplus,
                ServingEffect.ReleaseNodePorts,
                ServingEffect.Rest,
                DrawDelay,
                SayReleasing,
                TerminalEffect {
    /** Nothing is done: this holds from now on for the rest of the pass, though time goes on. */
    record Note(List<Outcome> what) implements ServingEffect {
        public Note {
            what = List.copyOf(what);
        }
    }

    /** It waits for no address, or no longer: it leaves the queue. */
    record StopWaiting() implements ServingEffect {}

    /** A step of the plan that one effect does, by its {@code index} in it. */
    sealed interface OfStep extends ServingEffect {
        int index();
    }

    /** Create the Address object of an address that is held for the Service. */
    record CreateClaim(int index, Ip ip, ClaimSpec spec) implements OfStep {}

    /** Read an Address object: the answer to its create was lost. */
    record ReadClaim(int index, Ip ip) implements OfStep {}

    /** Have an Address object say what the Service needs of it by now. */
    record UpdateClaim(int index, Claim claim, ClaimSpec spec) implements OfStep {}

    /** Choose addresses once, and hold all that are chosen. */
    record Choose(AddressRequest request) implements ServingEffect {}

    /** Claim an address that was chosen. */
    sealed interface ClaimChosen extends ServingEffect {
        Ip ip();
    }

    /** Create the Address object of an address that was chosen. */
    record CreateChosen(Ip ip, ClaimSpec spec) implements ClaimChosen {}

    /** Join those who share an address that was chosen. */
    record JoinChosen(Claim shared, ClaimSpec joined) implements ClaimChosen {
        @Override
        public Ip ip() {
            return shared.ip();
        }
    }

    /** Count that the Service got all that was chosen. */
    record CountAssigned() implements ServingEffect {}

    /**
     * Have the Service wait in the queue for the addresses that it lacks.
     *
     * @param refusals of these, which {@code why} tells
     */
    record JoinQueue(AddressRequest request, List<Refusal> refusals, WaitReason why) implements ServingEffect {
        public JoinQueue {
            refusals = List.copyOf(refusals);
        }
    }

    /** Read the Service live: what it still publishes is nobody else's. */
    record ReadService() implements ServingEffect {}

    /**
     * Hold the address no longer, for its Address object could not be made, and let those that wait go first. A Service for
     * which no address can be claimed would otherwise keep all who wait behind it from theirs.
     */
    record GiveUpClaim(Ip ip) implements ServingEffect {}

    /**
     * Put our finalizer on, and by which class it is served, alone: what comes next touches the world. All else is
     * planned again, from what the API server answered.
     */
    record AddFinalizer(Publication.Difference patch) implements ServingEffect {
        /** What is tried. */
        public Mark mark() {
            return new Mark(patch.timeless());
        }
    }

    /** What is tried with {@link AddFinalizer}: not again before its time, if it fails. */
    record Mark(Publication.Difference patch) implements Attempt {}

    /** Look up what the Service asks of its provider. */
    record AskFor() implements ServingEffect {}

    /** Wait for the provider's turn, before it is called. */
    record TakeTurn(LoadBalancerRequest request) implements ServingEffect {}

    /**
     * Call the provider.
     *
     * @param before what events say before the call
     * @param done what events say once the provider has taken other targets
     */
    record Call(ProviderCall.Made call, List<ServiceEvent> before, List<ServiceEvent> done) implements ServingEffect {
        public Call {
            before = List.copyOf(before);
            done = List.copyOf(done);
        }

        /** What events say after the call, by what came of it. */
        public List<ServiceEvent> after(Outcome.OfCall came) {
            return came instanceof Outcome.Updated ? done : List.of();
        }
    }

    /** Remember what the provider answered: it breaks no rule. */
    record Accept(LoadBalancerRequest request, EnsureOutcome.Ready answer) implements ServingEffect {}

    /** Remember what the provider has: it is what it answered, but maybe for the health of its targets. */
    record Refresh(LoadBalancerStatus found) implements ServingEffect {}

    /** Say why what the provider has is not what it should be, and remember that it has to be asked again. */
    record AskAgain(ServiceEvent why) implements ServingEffect {}

    /** What the provider answered holds. */
    record Keep(List<Published> ingress) implements ServingEffect {}

    /** Have the Service looked at again after this pass: its targets changed while its provider was notified of others. */
    record MakeDue() implements ServingEffect {}

    /** It failed, or cannot be tried: it is not tried again before its time. */
    record Postpone(ServiceFailure what) implements ServingEffect {}

    /**
     * Read the Address of what is about to go from the status and is not the Service's own as far as is known: another
     * operator may have claimed it unheard. So two operators that serve one Service come to agree on one address
     * before either releases the other.
     */
    record CheckPublished(Ip address) implements ServingEffect {}

    /**
     * Remember that another controller wrote to the status.
     *
     * @param after what is remembered from now on
     * @param standsFor how long it is let stand; absent: it is put right
     * @param news what an event says of it; absent: it was said
     */
    record CountOverwrite(Overwrites after, Optional<Duration> standsFor, Optional<ServiceEvent> news)
            implements ServingEffect {}

    /** Have a dry run tell whether the API server keeps ipMode, for nothing else differs. */
    record AskForIpMode(Publication.Difference patch) implements ServingEffect {}

    /** Read an Address that is not the Service's own as far as is known, and was to be published. */
    record ReadAgain(Holding known) implements ServingEffect {}

    /**
     * Write the Address of what is about to be published for the first time. A read would not do: another operator may
     * be about to release the address, for it looked at the Service before the Service wanted it. Its release fails by this
     * write, or was first.
     */
    record ConfirmClaim(Claim claim) implements ServingEffect {}

    /**
     * Write finalizer, ingress and conditions in one patch.
     *
     * @param patch absent: the Service says it already
     * @param inWordsOnly whether nothing is new but words
     * @param called its load balancer in a sentence, for events
     * @param reports what events say beside, once it is written
     */
    record Publish(
            Publication wanted,
            Optional<Publication.Difference> patch,
            boolean inWordsOnly,
            String called,
            List<ServiceEvent> reports)
            implements ServingEffect {
        public Publish {
            reports = List.copyOf(reports);
        }
    }

    /** Write nothing yet, for nothing is new but words. */
    record DelayWords(Publication wanted, Duration left) implements ServingEffect {}

    /** Release an address that it holds and keeps no longer. */
    record ReleaseSurplus(Leaving address) implements ServingEffect {}

    /**
     * Release the node ports, now that the Service is delivered without them.
     *
     * @param service as it is known by now
     */
    record ReleaseNodePorts(ServiceState service, NodePorts of) implements ServingEffect {
        /** What an event says once it is done. */
        public ServiceEvent done() {
            return ServiceEvent.normal(Reason.ReleasedNodePorts, "Released the node ports of " + of.ports());
        }
    }

    /** What is tried with {@link ReleaseNodePorts}: with the same ports not again before its time, if it fails. */
    record NodePorts(String ports) implements Attempt {}

    /**
     * Nothing is left to do.
     *
     * @param again when to look again at the latest; absent: only when something happens
     * @param settled whether nothing has to wait any more
     * @param forgetsTurn whether it waits for no address: should it again, it gets another place
     */
    record Rest(Optional<Duration> again, boolean settled, boolean forgetsTurn) implements ServingEffect {}
}
