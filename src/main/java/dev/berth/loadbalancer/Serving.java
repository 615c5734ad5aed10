package dev.berth.loadbalancer;

import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.Owner;
import dev.berth.address.PoolBook;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
    private final Facts facts;

    /**
     * What is known beside the plan, now.
     *
     * @param live whether the Service is as a live read found it
     * @param holdings what is held for its name
     * @param provider what is known of its provider
     * @param answerHolds whether an answer of its provider may still be published
     * @param published what was last published for it; null: nothing, as far as is remembered
     * @param overwritten whether another controller keeps writing its status
     * @param waits how long what is about to be tried must still wait, for it failed; absent: not at all
     * @param now for people: since when something is so
     */
    public record Known(
            boolean live,
            List<Holding> holdings,
            PoolBook pools,
            ProviderState provider,
            Predicate<EnsureOutcome.Ready> answerHolds,
            @Nullable List<Published> published,
            boolean overwritten,
            IpModes ipModes,
            Waits waits,
            Instant now) {
        public Known {
            holdings = List.copyOf(holdings);
        }
    }

    /** How long something must still wait. */
    public interface Waits {
        Optional<Duration> delay(Object request);
    }

    private Serving(ServicePlan.Serve serve, Known known, Facts facts) {
        this.serve = serve;
        this.service = serve.service();
        this.served = serve.servedClass();
        this.known = known;
        this.facts = facts;
    }

    public static ServingEffect next(ServicePlan.Serve serve, Known known, Facts facts) {
        return new Serving(serve, known, facts).next();
    }

    private ServingEffect next() {
        if (facts.equals(Facts.NONE)) {
            Optional<Duration> delay = known.waits().delay(serve.timeless());
            if (delay.isPresent()) {
                return new ServingEffect.Wait(delay.get());
            }
            if (!serve.acquires()) {
                return new ServingEffect.StopWaiting();
            }
        }
        if (facts.trouble().isEmpty() && !facts.did(Done.PROVIDER_ASKED)) {
            return claimOrAsk();
        }
        if (!facts.did(Done.STATUS_WRITTEN)) {
            return publish();
        }
        if (facts.trouble().isPresent()) {
            return fail(facts.trouble().get());
        }
        return release();
    }

    private ServingEffect fail(Trouble what) {
        return facts.again()
                .filter(left -> what.saidBefore())
                .<ServingEffect>map(ServingEffect.Wait::new)
                .orElseGet(() -> new ServingEffect.Fail(
                        what, serve.acquires() && facts.waiting().isEmpty()));
    }

    private ServingEffect claimOrAsk() {
        if (facts.demand().isEmpty()) {
            for (int index = facts.steps(); index < serve.steps().size(); index++) {
                Step.Serving step = serve.steps().get(index);
                // What comes after the choice of the rest is of no use without it.
                if (!(step instanceof Step.ConfirmClaim) || facts.waiting().isEmpty()) {
                    return new ServingEffect.TakeStep(index, step);
                }
            }
            if (serve.marks() && (bringsItsOwn() || !addresses().isEmpty())) {
                return new ServingEffect.AddFinalizer(marked());
            }
            return new ServingEffect.AskFor();
        }
        return new ServingEffect.Call(ProviderCall.next(
                known.provider(),
                facts.demand().get(),
                served,
                service.hasOurFinalizer(),
                known.live(),
                known.answerHolds()));
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
        return HoldingSelection.of(
                service,
                known.holdings().stream()
                        .filter(holding -> holding.state() == Holding.State.CLAIMED)
                        .toList(),
                serve.wishes(),
                known.pools());
    }

    private Conditions conditions() {
        return new Conditions(
                service,
                served,
                facts,
                addresses(),
                facts.demand().flatMap(demand -> known.provider().answerTo(demand.request())),
                known.provider().isOutOfSight(),
                known.overwritten(),
                known.now());
    }

    private ServingEffect publish() {
        Optional<List<Published>> entries = entries();
        if (entries.isPresent()) {
            List<Ip> going = goingUnheard(entries.get());
            if (!going.isEmpty() && !facts.did(Done.PUBLISHED_CHECKED)) {
                return new ServingEffect.CheckPublished(going);
            }
            boolean counted = facts.did(Done.OVERWRITE_COUNTED);
            if (!counted && isOverwritten(entries.get())) {
                return new ServingEffect.CountOverwrite(entries.get());
            }
            if (!counted
                    && !facts.did(Done.IP_MODE_ASKED)
                    && known.ipModes().isUnknown()
                    && Publication.differsInIpModeOnly(entries.get(), service.ingress())) {
                return new ServingEffect.AskForIpMode(publication(entries));
            }
        }
        Publication wanted = publication(facts.did(Done.OVERWRITE_LET_STAND) ? Optional.empty() : entries);
        Optional<Publication.Difference> difference = wanted.differenceFrom(service);
        // Decided here, once: by the time of the patch it could be over, with no claim written before.
        Optional<Duration> delay = difference.flatMap(patch -> known.waits().delay(patch.timeless()));
        if (delay.isPresent()) {
            return new ServingEffect.Wait(facts.soonest(delay.get()));
        }
        List<Ip> first = aboutToBePublished(difference);
        if (!first.isEmpty() && !facts.did(Done.CLAIMS_CONFIRMED)) {
            return new ServingEffect.ConfirmClaims(first);
        }
        // The provider answered, and the claims were confirmed, before this: an Address may have been deleted since.
        return bringsItsOwn() || addresses().containsAll(first)
                ? new ServingEffect.Publish(wanted)
                : new ServingEffect.PlanAgain();
    }

    /** What is to be published, without the modes that the API server would drop. */
    private Optional<List<Published>> entries() {
        return facts.ingress()
                .map(entries -> known.ipModes().isPublished(Publication.usesIpMode(service.ingress()))
                        ? entries
                        : entries.stream().map(Published::withoutIpMode).toList());
    }

    /** That another seems to have it may be old, or a hold of this operator that the API server will refuse. */
    private List<Ip> goingUnheard(List<Published> entries) {
        List<Ip> wanted = Publication.addresses(entries);
        List<Ip> published = service.publishedAddresses();
        Owner owner = new Owner(service.key(), service.uid());
        // More than one per family is no operator's work, but a stranger's.
        return published.size() > IpFamily.values().length
                ? List.of()
                : published.stream()
                        .filter(ip -> !wanted.contains(ip)
                                && known.holdings().stream()
                                        .noneMatch(holding -> holding.ip().equals(ip)
                                                && holding.owners().contains(owner)))
                        .toList();
    }

    private boolean isOverwritten(List<Published> wanted) {
        List<Published> before = known.published();
        return before != null
                && Publication.sameIngress(before, wanted)
                && !Publication.sameIngress(wanted, service.ingress());
    }

    /** What the Service must say by what is known; {@code ingress} absent: leave it as it is. */
    private Publication publication(Optional<List<Published>> ingress) {
        Conditions conditions = conditions();
        return new Publication(
                bringsItsOwn() || !conditions.addresses().isEmpty(), mark(), ingress.orElse(null), conditions.all());
    }

    /** That the status has one of them already proves nothing: others may have written it. */
    private static List<Ip> aboutToBePublished(Optional<Publication.Difference> difference) {
        return difference
                .flatMap(patch -> Optional.ofNullable(patch.ingress()))
                .map(Publication::addresses)
                .orElse(List.of());
    }

    private ServingEffect release() {
        if (facts.did(Done.INGRESS_WRITTEN)) {
            if (!facts.did(Done.SURPLUS_RELEASED)) {
                List<Ip> surplus = surplus();
                if (!surplus.isEmpty()) {
                    return new ServingEffect.ReleaseSurplus(surplus);
                }
            } else if (again().isEmpty()) {
                return new ServingEffect.PlanAgain();
            }
            if (NodePortRules.of(service, served) == NodePortRules.Verdict.RELEASE && isDelivered()) {
                return new ServingEffect.ReleaseNodePorts();
            }
        }
        return new ServingEffect.Rest(again());
    }

    /**
     * What it holds beyond what it keeps, does not wait to make sure of, and did not publish just now; and what is no
     * use without the rest that it waits for.
     */
    private List<Ip> surplus() {
        HoldingSelection sure = claimed();
        List<Ip> needed = new ArrayList<>(sure.publishable(service));
        needed.addAll(Publication.addresses(facts.ingress().orElse(List.of())));
        Stream<Ip> surplus =
                HoldingSelection.of(service, known.holdings(), serve.wishes(), known.pools()).rest().stream()
                        .map(Holding::ip)
                        .filter(ip ->
                                sure.kept().stream().noneMatch(kept -> kept.ip().equals(ip)));
        Stream<Ip> half =
                facts.waiting().isPresent() && serve.acquires() ? sure.halfOfNoUse(service).stream() : Stream.empty();
        return Stream.concat(surplus, half).filter(ip -> !needed.contains(ip)).toList();
    }

    /** An address that is published has packets delivered; to endpoints only if there is one. */
    private boolean isDelivered() {
        return facts.demand()
                .map(Demand::request)
                .filter(request -> known.provider().answerTo(request).isPresent()
                        && (served.capabilities().targets() != Targets.ENDPOINTS
                                || !request.endpoints().isEmpty()))
                .isPresent();
    }

    private Optional<Duration> again() {
        return facts.again()
                // The condition goes by itself when it is over.
                .or(() -> known.overwritten() ? Optional.of(Conditions.OVERWRITES_WITHIN) : Optional.empty())
                .or(() -> isModeMissing() ? Optional.of(IpModes.ASK_AGAIN) : Optional.empty());
    }

    private boolean isModeMissing() {
        return served.ipMode() == IpMode.PROXY && known.ipModes().isMissing(!facts.did(Done.WRITTEN_WITHOUT_IP_MODE));
    }
}
