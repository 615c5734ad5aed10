package dev.berth.loadbalancer;

import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Outcome.ClaimTried.Whose;
import dev.berth.loadbalancer.Postponed.Why;
import dev.berth.pool.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What came of the effects so far, in one pass over one Service. Grows by value; what comes later counts. Each effect
 * asks it a dozen times: loops, as streams took a tenth of a pass here.
 */
public final class Facts {
    /** What is done once in a pass. */
    public enum Done {
        /** That it got addresses is counted. */
        ASSIGNED_COUNTED,
        /** It is in the queue no longer, for it waits for no address. */
        QUEUE_LEFT,
        /** It is in the queue for the addresses that it lacks. */
        QUEUE_JOINED,
        /** An event says why it is skipped. */
        REPORTED,
        /** The provider was asked all that it had to be. */
        PROVIDER_ASKED,
        /** A dry run told whether the API server keeps ipMode. */
        IP_MODE_ASKED,
        /** The status says what it must, or nothing more can be written. */
        STATUS_WRITTEN,
        /** The Service was written, or could not be, before it releases addresses. */
        RELEASING_SAID,
        /** What was made for another of its name is deleted. */
        PREDECESSOR_DELETED,
        /** That it could not be deleted is remembered. */
        FAILURE_REMEMBERED,
        /** Finalizer, ingress and conditions are off. */
        CLEARED
    }

    /** Whether the provider may be called. */
    enum Turn {
        TAKEN,
        IN_LINE,
        STUCK
    }

    /** Nothing was done yet. */
    public static final Facts NONE = new Facts(List.of(), EnumSet.noneOf(Done.class));

    private final List<Outcome> outcomes;

    /** By these outcomes. */
    private final Set<Done> done;

    private Facts(List<Outcome> outcomes, Set<Done> done) {
        this.outcomes = outcomes;
        this.done = done;
    }

    /** In order. */
    public List<Outcome> outcomes() {
        return Collections.unmodifiableList(outcomes);
    }

    /** The same, and what came of the next effect. */
    public Facts with(List<Outcome> more) {
        List<Outcome> all = new ArrayList<>(outcomes.size() + more.size());
        all.addAll(outcomes);
        all.addAll(more);
        Set<Done> doneByNow = EnumSet.copyOf(done);
        for (Outcome outcome : more) {
            outcome.done().ifPresent(doneByNow::add);
        }
        return new Facts(all, doneByNow);
    }

    /** The same, and what came of the next effect. */
    Facts with(Outcome... more) {
        return with(List.of(more));
    }

    private <T> Optional<T> last(Class<T> kind) {
        for (int index = outcomes.size() - 1; index >= 0; index--) {
            if (kind.isInstance(outcomes.get(index))) {
                return Optional.of(kind.cast(outcomes.get(index)));
            }
        }
        return Optional.empty();
    }

    /** What the last outcome of a kind tells that tells anything. */
    private <T, R> Optional<R> latest(Class<T> kind, Function<T, Optional<R>> what) {
        for (int index = outcomes.size() - 1; index >= 0; index--) {
            if (kind.isInstance(outcomes.get(index))) {
                Optional<R> found = what.apply(kind.cast(outcomes.get(index)));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    boolean areNone() {
        return outcomes.isEmpty();
    }

    boolean did(Done what) {
        return done.contains(what);
    }

    /** Whether what was planned is not so any more, and if so, whether a live read has to tell; absent: it is so. */
    Optional<TerminalEffect.PlanAgain> planAgain() {
        return last(Outcome.Changed.class).map(changed -> new TerminalEffect.PlanAgain(changed.live()));
    }

    /** How many of the plan's steps are done. */
    int steps() {
        return last(Outcome.StepsDone.class).map(Outcome.StepsDone::count).orElse(0);
    }

    /** Each choice of addresses, in order; empty: nothing was chosen yet. */
    List<TriedChoice> choices() {
        List<TriedChoice> choices = new ArrayList<>();
        for (int index = 0; index < outcomes.size(); index++) {
            if (outcomes.get(index) instanceof Outcome.OfChoice choice) {
                choices.add(TriedChoice.of(choice, outcomes.subList(index + 1, outcomes.size())));
            }
        }
        return choices;
    }

    /** The last choice of addresses; absent: nothing was chosen yet. */
    Optional<TriedChoice> lastChoice() {
        for (int index = outcomes.size() - 1; index >= 0; index--) {
            if (outcomes.get(index) instanceof Outcome.OfChoice choice) {
                return Optional.of(TriedChoice.of(choice, outcomes.subList(index + 1, outcomes.size())));
            }
        }
        return Optional.empty();
    }

    /** The Address object that was found last of those that were unsure; absent: none was. */
    Optional<Claim> found() {
        return last(Outcome.Found.class).map(Outcome.Found::claim);
    }

    /** The addresses whose Address objects could not be made, and that are not given up; empty: all could. */
    List<Ip> notMade() {
        return butGivenUp(all(Outcome.NotMade.class, Outcome.NotMade::ip));
    }

    /** The same of those that were chosen in this pass. */
    List<Ip> chosenInVain() {
        List<Ip> notMade = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.ClaimTried(Ip ip, Whose whose) && whose == Whose.NOT_MADE) {
                notMade.add(ip);
            }
        }
        return butGivenUp(notMade);
    }

    private List<Ip> butGivenUp(List<Ip> notMade) {
        if (!notMade.isEmpty()) {
            notMade.removeAll(all(Outcome.GivenUp.class, Outcome.GivenUp::ip));
        }
        return notMade;
    }

    /** What a live read of the Service told; absent: it was not read since it was planned for. */
    Optional<Outcome.OfRead> readService() {
        return last(Outcome.OfRead.class);
    }

    private <T, R> List<R> all(Class<T> kind, Function<T, R> what) {
        List<R> found = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (kind.isInstance(outcome)) {
                found.add(what.apply(kind.cast(outcome)));
            }
        }
        return found;
    }

    /** What was read of the Address objects of what goes from the status; empty: nobody looked. */
    List<Outcome.GoingRead> goingRead() {
        return all(Outcome.GoingRead.class, Function.identity());
    }

    /** The addresses that are the Service's own by a write of their Address objects in this pass. */
    List<Ip> confirmed() {
        return all(Outcome.Confirmed.class, Outcome.Confirmed::ip);
    }

    /** The addresses that were to be released; empty: none was. */
    List<Ip> triedToRelease() {
        return all(Outcome.ReleaseTried.class, Outcome.ReleaseTried::ip);
    }

    /** Whether an address could not be released, and no delay is known yet after which it is tried again. */
    boolean needsDelayForRelease() {
        return drawn(DrawDelay.Of.RELEASE).isEmpty()
                && all(Outcome.ReleaseTried.class, Outcome.ReleaseTried::isLeft).contains(true);
    }

    /** Why it lacks an address; absent: it has all that it asks for. */
    Optional<WaitReason> waiting() {
        return last(Outcome.Lacks.class).map(Outcome.Lacks::why).or(this::fault);
    }

    /** Why what it asks for changes nothing; absent: there is no such reason. */
    Optional<WaitReason> fault() {
        return last(Outcome.NotUnderstood.class).map(Outcome.NotUnderstood::why);
    }

    /** Why it cannot share its address as it asks to; absent: it can, or does not ask. */
    Optional<WaitReason> sharingConflict() {
        return last(Outcome.CannotShare.class).map(Outcome.CannotShare::why);
    }

    /** Which of its annotations are not read; absent: none that should be. */
    Optional<WaitReason> ignored() {
        return last(Outcome.Ignored.class).map(Outcome.Ignored::why);
    }

    /** What went wrong last, and would be tried again at the next event; absent: nothing, or it is backed off. */
    Optional<ServiceFailure> notBackedOff() {
        return last(Outcome.OfFailure.class).flatMap(outcome -> switch (outcome) {
            case Outcome.Failed(ServiceFailure what) -> Optional.of(what);
            case Outcome.BackedOff backedOff -> Optional.empty();
        });
    }

    /** What went wrong; absent: nothing. */
    Optional<ServiceFailure> trouble() {
        return latest(Outcome.OfTrouble.class, outcome -> switch (outcome) {
            case Outcome.Failed(ServiceFailure what) -> Optional.of(what);
            case Outcome.BackedOff(ServiceFailure what, Duration delay) -> Optional.of(what);
            case Outcome.NotConfirmed(ServiceFailure what) -> Optional.of(what);
            case Outcome.IpModeNotAsked(ServiceFailure what) -> Optional.of(what);
            case Outcome.StillPostponed(Postponed(Why.Failed(ServiceFailure what), Duration left)) ->
                Optional.of(what.again());
            case Outcome.StillPostponed(Postponed(Why.Pending pending, Duration left)) -> Optional.empty();
        });
    }

    /** What its provider is waiting for; absent: nothing. */
    Optional<String> pending() {
        return latest(Outcome.OfPending.class, outcome -> switch (outcome) {
            case Outcome.OnItsWay(Duration delay, String message) -> Optional.of(message);
            case Outcome.StillPostponed(Postponed(Why.Pending(String message), Duration left)) -> Optional.of(message);
            case Outcome.StillPostponed(Postponed(Why.Failed failed, Duration left)) -> Optional.empty();
        });
    }

    /** What it asks of its provider; absent: that was not looked at yet. */
    Optional<Demand> demand() {
        return last(Outcome.Asks.class).map(Outcome.Asks::demand);
    }

    /** Whether its provider may be called, or why not; absent: it was not tried since the last call. */
    Optional<Turn> turn() {
        return last(Outcome.OfTurn.class).flatMap(outcome -> switch (outcome) {
            case Outcome.TurnTaken taken -> Optional.of(Turn.TAKEN);
            case Outcome.InLine inLine -> Optional.of(Turn.IN_LINE);
            case Outcome.Stuck stuck -> Optional.of(Turn.STUCK);
            case Outcome.Called called -> Optional.empty();
            case Outcome.StillPostponed postponed -> Optional.empty();
        });
    }

    /** What its provider answered last, and what is not judged yet; absent: there is nothing to judge. */
    Optional<Outcome.Unjudged> unjudged() {
        return last(Outcome.OfJudgement.class).flatMap(outcome -> switch (outcome) {
            case Outcome.Unjudged answer -> Optional.of(answer);
            case Outcome.Judged judged -> Optional.empty();
        });
    }

    /** The targets that there were once the provider had taken others; absent: it has not, or they were compared. */
    Optional<Backends> targetsNow() {
        return last(Outcome.OfTargets.class).flatMap(outcome -> switch (outcome) {
            case Outcome.TargetsNow(Backends backends) -> Optional.of(backends);
            case Outcome.MadeDue madeDue -> Optional.empty();
        });
    }

    /** Which call has not returned that its provider cannot be called before; empty: none is known. */
    String stuck() {
        return last(Outcome.Stuck.class).map(Outcome.Stuck::message).orElse("");
    }

    /** What is to be published; absent: not known, what is published stays. */
    Optional<List<Published>> ingress() {
        return last(Outcome.OfIngress.class).flatMap(outcome -> switch (outcome) {
            case Outcome.ToPublish(List<Published> entries) -> Optional.of(entries);
            case Outcome.NotConfirmed notConfirmed -> Optional.empty();
        });
    }

    /** Whether what is to be published, or to go, could not be made sure of: what is published stays as it is. */
    boolean isNotConfirmed() {
        return last(Outcome.OfIngress.class)
                .filter(Outcome.NotConfirmed.class::isInstance)
                .isPresent();
    }

    /** The delay that was drawn for this; absent: none was. */
    Optional<Duration> drawn(DrawDelay.Of what) {
        return latest(
                Outcome.DelayDrawn.class, drawn -> drawn.of() == what ? Optional.of(drawn.delay()) : Optional.empty());
    }

    /** What became of another controller's write to the status; absent: none was counted. */
    Optional<Outcome.OverwriteCounted> overwrite() {
        return last(Outcome.OverwriteCounted.class);
    }

    /** Whether another Service is just asking whether the API server keeps ipMode. */
    boolean anotherAsks() {
        return last(Outcome.AnotherAsks.class).isPresent();
    }

    /** Whether the ingress says what it must. */
    boolean isIngressWritten() {
        return last(Outcome.Wrote.class)
                .filter(wrote -> wrote.wanted().ingress() != null)
                .isPresent();
    }

    /** Whether the ingress was written, and has no ipMode. */
    boolean isWrittenWithoutIpMode() {
        return last(Outcome.Wrote.class)
                .flatMap(wrote -> Optional.ofNullable(wrote.wanted().ingress()))
                .filter(entries -> !Publication.hasModes(entries))
                .isPresent();
    }

    /** The claims that it has to join, so that all that it publishes is its own; absent: that is not known. */
    Optional<List<Claim>> held() {
        return last(Outcome.Held.class).map(Outcome.Held::shared);
    }

    /** Why what it publishes cannot be held for it; absent: it can, or it was not tried. */
    Optional<List<Refusal>> refusals() {
        return last(Outcome.NotHeld.class).map(Outcome.NotHeld::refusals);
    }

    /** When to look again at the latest; absent: only when something happens. */
    Optional<Duration> again() {
        Optional<Duration> again = Optional.empty();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.OfDelay told) {
                again = again(again, told);
            }
        }
        return again;
    }

    private static Optional<Duration> again(Optional<Duration> before, Outcome.OfDelay told) {
        return switch (told) {
            case Outcome.OnItsWay(Duration delay, String message) -> Optional.of(delay);
            case Outcome.StillPostponed(Postponed(Why.Pending why, Duration left)) -> Optional.of(left);
            case Outcome.StillPostponed(Postponed(Why.Failed why, Duration left)) -> Optional.of(sooner(before, left));
            case Outcome.BackedOff(ServiceFailure what, Duration delay) -> Optional.of(sooner(before, delay));
            case Outcome.LookAgain(Duration delay) -> Optional.of(sooner(before, delay));
            case Outcome.DelayDrawn(DrawDelay.Of of, Duration delay) ->
                of == DrawDelay.Of.RELEASE ? Optional.of(sooner(before, delay)) : before;
            case Outcome.OverwriteCounted(Optional<Duration> standsFor) ->
                standsFor.map(delay -> sooner(before, delay)).or(() -> before);
        };
    }

    static Duration sooner(Optional<Duration> one, Duration other) {
        return one.filter(first -> first.compareTo(other) < 0).orElse(other);
    }
}
