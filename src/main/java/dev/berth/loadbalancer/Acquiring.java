package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.pool.Refusal;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What comes next for a Service that lacks addresses: they are chosen and claimed, and chosen again for those families for
 * which another operator was faster; then the Service leaves the queue, or joins it for what it lacks still. Pure.
 */
final class Acquiring {
    /** How often a choice may be lost to another operator before the Service is postponed. */
    private static final int CHOICES = 20;

    private Acquiring() {}

    /**
     * Decides by what came of each choice so far; absent: nothing is left to do.
     *
     * @param asked what it lacks by the plan
     * @param attempt what is not tried again before its time, if it fails
     */
    static Optional<ServingEffect> next(AddressRequest asked, Attempt attempt, Facts facts) {
        if (facts.did(Done.QUEUE_LEFT) || facts.did(Done.QUEUE_JOINED)) {
            return Optional.empty();
        }
        AddressRequest request = asked;
        List<Refusal> missing = new ArrayList<>();
        List<TriedChoice> choices = facts.choices();
        for (TriedChoice tried : choices) {
            switch (tried.choice()) {
                case Outcome.NotChosen(List<Refusal> refusals) -> {
                    List<IpFamily> lacking = new ArrayList<>(request.families());
                    lacking.addAll(families(missing));
                    missing.addAll(refusals);
                    return Optional.of(joinQueue(asked, lacking, missing));
                }
                case Outcome.Chosen(Choice.Assigned chosen) -> {
                    missing.addAll(chosen.missing());
                    List<IpFamily> lost = tried.lost();
                    if (lost.isEmpty() && !facts.did(Done.ASSIGNED_COUNTED)) {
                        return Optional.of(new ServingEffect.CountAssigned());
                    }
                    if (lost.isEmpty()) {
                        return Optional.of(
                                missing.isEmpty()
                                        ? new ServingEffect.StopWaiting()
                                        : joinQueue(asked, families(missing), missing));
                    }
                    request = request.onlyFor(lost);
                }
            }
        }
        return Optional.of(
                choices.size() < CHOICES
                        ? new ServingEffect.Choose(request)
                        : new ServingEffect.Postpone(lostToOthers(attempt)));
    }

    /** What was chosen is claimed to the end, whatever comes of a part of it; absent: all was tried. */
    static Optional<ServingEffect> rest(Facts facts) {
        return facts.lastChoice().flatMap(TriedChoice::next);
    }

    private static List<IpFamily> families(List<Refusal> refusals) {
        return refusals.stream().map(Refusal::family).toList();
    }

    /** For these families, in the order in which the Service asks for them; for all, where a part is no use. */
    private static ServingEffect joinQueue(AddressRequest asked, List<IpFamily> lacking, List<Refusal> refusals) {
        AddressRequest rest = asked.onlyFor(
                asked.families().stream().filter(lacking::contains).toList());
        List<Refusal> inOrder = refusals.stream()
                .sorted(Comparator.comparingInt(refusal -> asked.families().indexOf(refusal.family())))
                .toList();
        return new ServingEffect.JoinQueue(asked.allOrNone() ? asked : rest, inOrder, WaitReason.of(rest, inOrder));
    }

    private static ServiceFailure lostToOthers(Attempt attempt) {
        return new ServiceFailure(
                "choosing an address",
                Reason.ClaimFailed,
                CHOICES + " chosen addresses were taken by another operator, or are still being deleted",
                attempt);
    }
}
