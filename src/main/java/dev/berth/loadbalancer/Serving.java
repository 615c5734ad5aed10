package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What to do next for a Service that is served: claims first, then the provider, then the status, and last what is
 * released. Pure: whoever does it asks again with what came of it.
 */
public final class Serving {
    private final ServicePlan.Serve serve;
    private final ServiceState service;
    private final ServedClass served;
    private final Known known;
    private final ObservedState situation;
    private final Facts facts;

    /** Null until it is needed: many an effect is decided without it. */
    private @Nullable HoldingSelection claimed;

    /**
     * What is known beside the plan, now.
     *
     * @param answered who has the addresses that its provider answered: a pool may have come since, or another
     *     Service's claim
     * @param published what was last published for it; null: nothing, as far as is remembered
     * @param overwrites what another controller wrote to its status, as far as is remembered
     * @param steady how time passes, for delays
     * @param targetsDue when the targets of its load balancer are to be looked at; absent: there is nothing to look at
     */
    public record Known(
            ObservedState situation,
            AnsweredAddresses answered,
            @Nullable List<Published> published,
            Overwrites overwrites,
            Instant steady,
            IpModes ipModes,
            Optional<Duration> targetsDue) {}

    private Serving(ServicePlan.Serve serve, Known known, Facts facts) {
        this.serve = serve;
        this.service = serve.service();
        this.served = serve.servedClass();
        this.known = known;
        this.situation = known.situation();
        this.facts = facts;
    }

    public static ServingEffect next(ServicePlan.Serve serve, Known known, Facts facts) {
        return new Serving(serve, known, facts).next();
    }

    private ServingEffect next() {
        Optional<ServingEffect> rest = Acquiring.rest(facts);
        if (rest.isPresent()) {
            return rest.get();
        }
        // Also where saying so fails, too: what fails after the status was written, is backed off where it is said.
        Optional<ServiceFailure> failed = facts.did(Done.STATUS_WRITTEN) ? Optional.empty() : facts.notBackedOff();
        if (failed.isPresent()) {
            return new ServingEffect.Postpone(failed.get());
        }
        Optional<ServingEffect> givesUp = claiming().giveUp();
        if (givesUp.isPresent()) {
            return givesUp.get();
        }
        if (facts.planAgain().isPresent()) {
            return facts.planAgain().get();
        }
        if (facts.areNone()) {
            Optional<Duration> delay = situation.waits().delay(serve::attempt);
            if (delay.isPresent()) {
                return new TerminalEffect.Wait(delay.get());
            }
            if (!serve.acquires()) {
                return new ServingEffect.StopWaiting();
            }
        }
        if (facts.trouble().isEmpty() && !facts.did(Done.PROVIDER_ASKED)) {
            return facts.demand()
                    .map(demand -> Ensuring.next(serve, known, facts, demand))
                    .orElseGet(this::claim);
        }
        if (!facts.did(Done.STATUS_WRITTEN)) {
            return publish();
        }
        if (facts.trouble().isPresent()) {
            return fail(facts.trouble().get());
        }
        return release();
    }

    private ServingEffect fail(ServiceFailure what) {
        boolean losesTurn = serve.acquires()
                && facts.waiting().isEmpty()
                && facts.triedToRelease().isEmpty()
                && !facts.did(Done.RELEASING_SAID);
        Optional<Duration> again = orTargetsDue(facts.again());
        return again.filter(left -> what.saidBefore())
                .<ServingEffect>map(TerminalEffect.Wait::new)
                .orElseGet(() -> new TerminalEffect.Fail(what, losesTurn, again));
    }

    /** The sooner of {@code again} and when the targets are to be looked at: that waits for nothing else. */
    private Optional<Duration> orTargetsDue(Optional<Duration> again) {
        return known.targetsDue()
                .filter(due -> facts.did(Done.PROVIDER_ASKED))
                .map(due -> Facts.sooner(again, due))
                .or(() -> again);
    }

    private Claiming claiming() {
        return new Claiming(serve, situation, facts);
    }

    private ServingEffect claim() {
        if (claiming().foundAnother()) {
            return new TerminalEffect.PlanAgain(false);
        }
        for (int index = facts.steps(); index < serve.steps().size(); index++) {
            Step.Serving step = serve.steps().get(index);
            // What comes after the choice of the rest is of no use without it.
            if (!(step instanceof Step.ConfirmClaim) || facts.waiting().isEmpty()) {
                Optional<ServingEffect> next = of(index, step);
                if (next.isPresent()) {
                    return next.get();
                }
            }
        }
        if (serve.marks() && (bringsItsOwn() || !addresses().isEmpty())) {
            return marked().differenceFrom(service)
                    .map(ServingEffect.AddFinalizer::new)
                    .map(mark -> situation
                            .waits()
                            .delay(mark::mark)
                            .<ServingEffect>map(TerminalEffect.Wait::new)
                            .orElse(mark))
                    .orElseGet(() -> new TerminalEffect.PlanAgain(false));
        }
        return new ServingEffect.AskFor();
    }

    /** The next effect of the step at {@code index}; absent: it is done. */
    private Optional<ServingEffect> of(int index, Step.Serving step) {
        return switch (step) {
            case Step.Refuse(WaitReason why) -> Optional.of(note(index, new Outcome.NotUnderstood(why)));
            case Step.Warn(WaitReason why) -> Optional.of(note(index, new Outcome.CannotShare(why)));
            case Step.Hint(WaitReason why) -> Optional.of(note(index, new Outcome.Ignored(why)));
            case Step.OfClaims claims -> claiming().of(index, claims);
        };
    }

    private static ServingEffect note(int index, Outcome what) {
        return new ServingEffect.Note(List.of(new Outcome.StepsDone(index + 1), what));
    }

    private boolean bringsItsOwn() {
        return served.capabilities().addresses() == AddressSource.PROVIDER;
    }

    /** Where no Address tells that the Service is ours, our condition has to, from the first write on. */
    private Publication marked() {
        List<Condition> conditions = new ArrayList<>(service.conditions());
        if (bringsItsOwn() && service.condition(WellKnownNames.ADDRESS_ASSIGNED).isEmpty()) {
            conditions.add(conditions().assigned());
        }
        return new Publication(true, mark(), null, conditions);
    }

    private @Nullable String mark() {
        return served.isMarkedOnServices() ? served.value() : null;
    }

    /** The addresses that are surely its own. */
    private List<Ip> addresses() {
        return claimed().publishable(service);
    }

    private HoldingSelection claimed() {
        HoldingSelection selected = claimed;
        if (selected == null) {
            selected = situation.claimed(
                    service, serve.constraints(), serve.servedClass().value());
            claimed = selected;
        }
        return selected;
    }

    private ServiceConditions conditions() {
        return new ServiceConditions(
                service,
                served,
                facts,
                addresses(),
                situation.stranded(claimed()),
                situation.pools(),
                facts.demand().flatMap(demand -> situation.provider().answerTo(demand.request(), served)),
                situation.provider().isOutOfSight(),
                isInConflict(),
                situation.announcements(),
                stays(),
                situation.now());
    }

    private ServingEffect publish() {
        Optional<List<Published>> entries = entries();
        if (entries.isPresent()) {
            // The provider answered before this: an Address may have been deleted since.
            List<Ip> wanted = Published.addresses(entries.get());
            if (!bringsItsOwn() && !addresses().containsAll(wanted)) {
                return new TerminalEffect.PlanAgain(false);
            }
        }
        Optional<List<Published>> shown = entries.or(this::withoutOthers);
        Optional<ServingEffect> unread = shown.flatMap(left -> checkGoing(Published.addresses(left)));
        if (unread.isPresent()) {
            return unread.get();
        }
        if (entries.isPresent()) {
            boolean counted = facts.overwrite().isPresent();
            if (!counted && isOverwritten(entries.get())) {
                return countOverwrite(entries.get());
            }
            if (!counted
                    && !facts.did(Done.IP_MODE_ASKED)
                    && known.ipModes().isUnknown()
                    && Publication.differsInIpModeOnly(entries.get(), service.ingress())) {
                return askForIpMode(publication(entries));
            }
        }
        boolean isLetStand =
                facts.overwrite().flatMap(Outcome.OverwriteCounted::standsFor).isPresent();
        Publication wanted = publication(isLetStand ? Optional.empty() : shown);
        Optional<Publication.Difference> difference = wanted.differenceFrom(service);
        // Decided before the claims are written: by the time of the patch it could be over.
        Optional<Duration> delay = delay(difference);
        if (delay.isPresent()) {
            return new TerminalEffect.Wait(delay.get());
        }
        // What stays was published before.
        List<Ip> first = aboutToBePublished(difference.filter(patch -> entries.isPresent()));
        first.removeAll(facts.confirmed());
        Optional<ServingEffect> unsure = Confirming.next(first, serve, situation, known.answered());
        if (unsure.isPresent()) {
            return unsure.get();
        }
        boolean inWordsOnly = difference.filter(this::isInWordsOnly).isPresent();
        return situation
                .wordsWait()
                .filter(left -> inWordsOnly)
                .<ServingEffect>map(left -> new ServingEffect.DelayWords(wanted, left))
                .orElseGet(() -> new ServingEffect.Publish(
                        wanted, difference, inWordsOnly, situation.named().called(served, service.uid()), reports()));
    }

    private ServingEffect askForIpMode(Publication wanted) {
        if (facts.anotherAsks()) {
            return new TerminalEffect.Wait(IpModes.ANOTHER_ASKS);
        }
        Optional<Publication.Difference> patch = wanted.differenceFrom(service);
        return delay(patch)
                .<ServingEffect>map(TerminalEffect.Wait::new)
                .orElseGet(() -> new ServingEffect.AskForIpMode(patch.orElseThrow()));
    }

    /** How long a patch must wait that failed before, if nothing is due sooner; absent: not at all. */
    private Optional<Duration> delay(Optional<Publication.Difference> patch) {
        return patch.flatMap(what -> situation.waits().delay(what::timeless))
                .map(left -> Facts.sooner(orTargetsDue(facts.again()), left));
    }

    /** Whether nothing is new but words of its provider, how many targets pass, or which nodes announce. */
    private boolean isInWordsOnly(Publication.Difference patch) {
        boolean isOfItsProvider = facts.pending().isPresent()
                || facts.trouble().filter(ServiceFailure::isOfItsProvider).isPresent();
        return (isOfItsProvider && patch.isInWordsOnly(service)) || patch.isInNumbersOnly(service);
    }

    private List<ServiceEvent> reports() {
        List<ServiceEvent> reports = new ArrayList<>();
        facts.sharingConflict()
                .ifPresent(why -> reports.add(ServiceEvent.warning(Reason.SharingConflict, why.message())));
        facts.waiting().ifPresent(why -> reports.add(ServiceEvent.warning(allocationFailed(), why.message())));
        return reports;
    }

    /** Nothing failed where it has an address of each family that it asks for, and only asks for another. */
    private Reason allocationFailed() {
        Condition assigned = conditions().assigned();
        return ServiceConditions.waitsFor(assigned).isPresent()
                ? Reason.AllocationFailed
                : Reason.find(assigned.reason()).orElse(Reason.AllocationFailed);
    }

    /** Also where it was said not long ago: another operator, or this one before a restart, remembers why. */
    private boolean isInConflict() {
        return known.overwrites().isInConflict(known.steady())
                || service.condition(WellKnownNames.STATUS_CONFLICT)
                        // What is dated in the future was said by a clock that was ahead.
                        .filter(said -> Duration.between(said.since(), situation.now())
                                        .abs()
                                        .compareTo(ServiceConditions.OVERWRITES_WITHIN)
                                < 0)
                        .isPresent();
    }

    /** What is to be published, without the modes that the API server would drop; absent: that is not known. */
    private Optional<List<Published>> entries() {
        return facts.ingress()
                .map(entries -> known.ipModes().isPublished(Publication.usesIpMode(service.ingress()))
                        ? entries
                        : entries.stream().map(Published::withoutIpMode).toList());
    }

    /** What its status shows while it is not known what to publish: also what may be its own, and could not be read. */
    private List<Published> stays() {
        if (!facts.isNotConfirmed()) {
            return serve.stays();
        }
        List<Ip> read = facts.goingRead().stream().map(Outcome.GoingRead::ip).toList();
        List<Published> stays = new ArrayList<>(service.ingress());
        stays.removeIf(
                entry -> !serve.stays().contains(entry) && read.containsAll(Published.addresses(List.of(entry))));
        return stays;
    }

    /** What is left where something goes that is another's by now; absent: all stays, or what to publish is known. */
    private Optional<List<Published>> withoutOthers() {
        return Optional.of(stays()).filter(stays -> facts.ingress().isEmpty() && !stays.equals(service.ingress()));
    }

    /**
     * What goes from the status may be the Service's own still, and is not as far as is known: it is read, and if it is,
     * all is planned again. Absent: nothing such goes.
     */
    private Optional<ServingEffect> checkGoing(List<Ip> wanted) {
        List<Ip> going = goingUnheard(wanted);
        List<Outcome.GoingRead> read = facts.goingRead();
        for (Outcome.GoingRead one : read) {
            going.removeIf(one.ip()::equals);
        }
        if (!going.isEmpty()) {
            return Optional.of(new ServingEffect.CheckPublished(going.getFirst()));
        }
        for (Outcome.GoingRead one : read) {
            // What another Berth claimed for it is not its own here.
            if (!one.servedElsewhere()
                    && one.found()
                            .filter(claim -> claim.owners().contains(owner()))
                            .isPresent()) {
                return Optional.of(new TerminalEffect.PlanAgain(true));
            }
        }
        return Optional.empty();
    }

    /** That another seems to have it may be old, or a hold of this operator that the API server will refuse. */
    private List<Ip> goingUnheard(List<Ip> wanted) {
        List<Ip> going = new ArrayList<>(service.publishedAddresses());
        if (going.size() > IpFamily.values().length) {
            // More than one per family is no operator's work, but a stranger's.
            going.clear();
        }
        going.removeAll(wanted);
        if (!going.isEmpty()) {
            Owner owner = owner();
            for (Holding holding : situation.holdings()) {
                if (holding.owners().contains(owner)) {
                    going.removeIf(holding.ip()::equals);
                }
            }
        }
        return going;
    }

    private ServingEffect countOverwrite(List<Published> wanted) {
        Overwrites.Verdict verdict = known.overwrites().by(service.ingress(), known.steady());
        Optional<ServiceEvent> news = verdict.isNew()
                ? Optional.of(ServiceEvent.warning(
                        Reason.StatusOverwritten,
                        "another controller changed status.loadBalancer to " + service.ingress() + "; expected "
                                + wanted))
                : Optional.empty();
        return switch (verdict) {
            case Overwrites.PutRight(Overwrites after, boolean isNew) ->
                new ServingEffect.CountOverwrite(after, Optional.empty(), news);
            case Overwrites.StillStands(Overwrites after, boolean isNew, Duration left) ->
                new ServingEffect.CountOverwrite(after, Optional.of(left), news);
            case Overwrites.LetStand(Overwrites after, boolean isNew) ->
                facts.drawn(DrawDelay.Of.OVERWRITE)
                        .<ServingEffect>map(delay -> new ServingEffect.CountOverwrite(
                                after.letStand(known.steady().plus(delay)), Optional.of(delay), news))
                        .orElseGet(() -> new DrawDelay(DrawDelay.Of.OVERWRITE, after.conflicts()));
        };
    }

    private boolean isOverwritten(List<Published> wanted) {
        List<Published> before = known.published();
        return before != null
                && Publication.sameIngress(before, wanted)
                && !Publication.sameIngress(wanted, service.ingress());
    }

    /** What the Service must say by what is known; {@code ingress} absent: leave it as it is. */
    private Publication publication(Optional<List<Published>> ingress) {
        ServiceConditions conditions = conditions();
        return new Publication(
                bringsItsOwn() || !conditions.addresses().isEmpty(), mark(), ingress.orElse(null), conditions.all());
    }

    /** That the status has one of them already proves nothing: others may have written it. */
    private static List<Ip> aboutToBePublished(Optional<Publication.Difference> difference) {
        return new ArrayList<>(difference
                .flatMap(patch -> Optional.ofNullable(patch.ingress()))
                .map(Published::addresses)
                .orElse(List.of()));
    }

    private ServingEffect release() {
        if (facts.isIngressWritten() && withoutOthers().isEmpty()) {
            Optional<ServingEffect> surplus = releaseSurplus();
            if (surplus.isPresent()) {
                return surplus.get();
            }
            if (facts.needsDelayForRelease()) {
                return new DrawDelay(DrawDelay.Of.RELEASE, 1);
            }
            boolean holdsOtherwise = !facts.triedToRelease().isEmpty() || changedWhatIsKept();
            if (holdsOtherwise && again().isEmpty()) {
                return new TerminalEffect.PlanAgain(false);
            }
            if (NodePortRules.of(service, served) == NodePortRules.Verdict.RELEASE && isDelivered()) {
                ServingEffect.NodePorts of = new ServingEffect.NodePorts(NodePortRules.ports(service));
                return situation
                        .waits()
                        .delay(() -> of)
                        .<ServingEffect>map(left -> new TerminalEffect.Wait(Facts.sooner(orTargetsDue(again()), left)))
                        .orElseGet(() -> new ServingEffect.ReleaseNodePorts(
                                situation.since().newest().orElse(service), of));
            }
        }
        Optional<Duration> again = again();
        // One that waits may leave the queue for a while, when its class is not accepted: it keeps its place.
        return new ServingEffect.Rest(orTargetsDue(again), again.isEmpty(), !facts.did(Done.QUEUE_JOINED));
    }

    /**
     * Whether there may be more to do, or to say, of the addresses that it has, for it took one for its own, had one amended,
     * or has one more: no event follows our own writes. Who got all of its addresses in this pass got them as it asks for them.
     */
    private boolean changedWhatIsKept() {
        for (Step.Serving step : serve.steps()) {
            boolean changes = switch (step) {
                case Step.ConfirmClaim(Holding before, ServedClass _) ->
                    situation
                            .holding(before.ip())
                            .filter(now ->
                                    now.state() == Holding.State.CLAIMED && now.isFor(service.key(), service.uid()))
                            .isPresent();
                case Step.Amend(Holding before, ClaimSpec spec) ->
                    situation
                            .holding(before.ip())
                            .filter(now -> now.spec().equals(spec))
                            .isPresent();
                case Step.Acquire(AddressRequest request) ->
                    !facts.did(Done.QUEUE_JOINED)
                            && request.families().size()
                                    < service.wantedFamilies().size();
                case Step.Hint hint -> false;
                case Step.Warn warned -> false;
                case Step.Refuse refused -> false;
            };
            if (changes) {
                return true;
            }
        }
        return false;
    }

    /** One address after the other; absent: it holds nothing beyond need, or all of that was tried. */
    private Optional<ServingEffect> releaseSurplus() {
        List<Ip> surplus = surplus();
        if (surplus.isEmpty()) {
            return Optional.empty();
        }
        Releasing releasing = new Releasing(surplus, service.key(), Optional.of(service), situation);
        return releasing
                .next(facts.triedToRelease())
                .map(leaving -> releasing.isOutdated()
                        ? new TerminalEffect.PlanAgain(false)
                        : releasing
                                .first(surplus, service, serve.attempt())
                                .<ServingEffect>map(first -> first)
                                .orElseGet(() -> new ServingEffect.ReleaseSurplus(leaving)));
    }

    private Owner owner() {
        return new Owner(service.key(), service.uid());
    }

    /**
     * What it holds beyond what it keeps, does not wait to make sure of, and did not publish just now; and what is no
     * use without the rest that it waits for.
     */
    private List<Ip> surplus() {
        List<Ip> surplus = HoldingSelection.addresses(HoldingSelection.of(
                        service,
                        situation.holdings(),
                        serve.constraints(),
                        situation.pools(),
                        serve.servedClass().value())
                .rest());
        surplus.removeAll(HoldingSelection.addresses(claimed().kept()));
        if (facts.waiting().isPresent() && serve.acquires()) {
            surplus.addAll(claimed().unusableHalf(service));
        }
        if (!surplus.isEmpty()) {
            surplus.removeAll(addresses());
            surplus.removeAll(Published.addresses(facts.ingress().orElse(List.of())));
        }
        return surplus;
    }

    /** An address that is published has packets delivered; to endpoints only if there is one. */
    private boolean isDelivered() {
        return facts.demand()
                .map(Demand::request)
                .filter(request ->
                        situation.provider().answerTo(request, served).isPresent()
                                && (served.capabilities().targets() != Targets.ENDPOINTS
                                        || !request.endpoints().isEmpty()))
                .isPresent();
    }

    private Optional<Duration> again() {
        return facts.again()
                // The condition goes by itself when it is over.
                .or(() -> isInConflict() ? Optional.of(ServiceConditions.OVERWRITES_WITHIN) : Optional.empty())
                .or(() -> isModeMissing() ? Optional.of(IpModes.ASK_AGAIN) : Optional.empty());
    }

    private boolean isModeMissing() {
        return served.ipMode() == IpMode.PROXY && known.ipModes().isMissing(!facts.isWrittenWithoutIpMode());
    }
}
