package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.Requester;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides what is to be done for a Service, by whose it is. Pure.
 *
 * <p>A Service that is not ours by its {@link Ownership} must be asked for by a class of ours and have no mark of
 * another controller. A finalizer of ours on one that is not goes. One that another Berth serves, of another
 * controller name, is never ours, and what that one claimed is not looked at.
 */
public final class Planner {
    private final ServiceSnapshot snapshot;
    private final ServiceState service;
    private final Ownership ownership;

    /** Whether another Berth serves it. */
    private final boolean servedElsewhere;

    private Planner(ServiceSnapshot snapshot, ServiceState service) {
        this.snapshot = withoutOthers(snapshot);
        this.service = service;
        this.ownership = new Ownership(this.snapshot, service);
        this.servedElsewhere = ownership.isServedElsewhere(snapshot.holdings());
    }

    private static ServiceSnapshot withoutOthers(ServiceSnapshot snapshot) {
        return snapshot.withoutHoldings(snapshot.classes()::isClaimedElsewhere);
    }

    public static ServicePlan plan(ServiceSnapshot snapshot) {
        return snapshot.service()
                .map(service -> new Planner(snapshot, service).plan())
                .orElseGet(() -> gone(withoutOthers(snapshot)));
    }

    /** It is another Berth's; if it was ours before, what we claimed is given back. All else is that one's to write. */
    private ServicePlan leaveElsewhere() {
        List<Ip> held = ownership.releasedToOthers();
        boolean isMarked =
                service.servedByClass().filter(snapshot.classes()::isOurs).isPresent();
        if (held.isEmpty() && !isMarked) {
            return new ServicePlan.NotOurs(List.of());
        }
        if (isMarked && ownership.classMissing().isPresent()) {
            return leftAsItIs(ownership.classMissing().get());
        }
        List<Step.TearingDown> steps = new ArrayList<>();
        ownership.mayHaveMade().forEach(served -> steps.add(new Step.DeleteLoadBalancer(served)));
        if (isMarked) {
            // The other Berth waits until the mark is off.
            steps.add(new Step.Clear(ownership.othersIngress()));
        }
        if (!held.isEmpty()) {
            steps.add(new Step.Release(held));
        }
        return new ServicePlan.TearDown("another Berth serves its class", steps);
    }

    /** The claims of a Service that is not there; reservations for its name stay. */
    private static ServicePlan gone(ServiceSnapshot snapshot) {
        List<Ip> left = snapshot.holdings().stream()
                .filter(holding -> holding.holderNamed(snapshot.key()).isPresent())
                .map(Holding::ip)
                .toList();
        return left.isEmpty()
                ? new ServicePlan.NotOurs(List.of())
                : new ServicePlan.TearDown("it no longer exists", List.of(new Step.Release(left)));
    }

    private ServicePlan plan() {
        ServicePlan plan = planForItself();
        List<Ip> left = new ArrayList<>(snapshot.holdings().stream()
                .filter(this::isPredecessors)
                .map(Holding::ip)
                .toList());
        for (Step step : plan.steps()) {
            if (step instanceof Step.ConfirmClaim(Holding holding, ServedClass none)) {
                left.remove(holding.ip());
            }
        }
        return left.isEmpty()
                ? ownership
                        .halfMark(plan)
                        .map(value -> takeBack("it is marked for class " + value))
                        .orElse(plan)
                : new ServicePlan.TearDown(
                        "an earlier Service of the same name held addresses", List.of(new Step.Release(left)));
    }

    /** Whether it is held for one that had the name before. */
    private boolean isPredecessors(Holding holding) {
        return holding.predecessorOf(service.key(), service.uid()).isPresent();
    }

    private ServicePlan planForItself() {
        if (servedElsewhere) {
            return leaveElsewhere();
        }
        Optional<String> before = service.servedByClass()
                .filter(value ->
                        ownership.claimed().isEmpty() && snapshot.classes().isServedElsewhere(value));
        if (before.isPresent()) {
            String message = "another Berth installation served it with class \"" + before.get()
                    + "\" and has not cleaned up yet; if that installation was removed, delete the annotation "
                    + WellKnownNames.SERVED_BY_CLASS
                    + WellKnownNames.ANNOTATIONS_PAGE;
            return new ServicePlan.Skip(service, Reason.ServedByOtherController, null, message, List.of());
        }
        if (service.deleting()) {
            return ownership.isOurs() || service.hasOurFinalizer()
                    ? tearDown("it is being deleted")
                    : new ServicePlan.NotOurs(whenSkipped());
        }
        if (!service.typeLoadBalancer()) {
            return ownership.isOurs() || service.hasOurFinalizer() || service.hasOurConditions()
                    ? tearDown("its type is no longer LoadBalancer")
                    : new ServicePlan.NotOurs(whenSkipped());
        }
        if (ownership.isOurs()) {
            return keep();
        }
        ServicePlan plan = adopt();
        return service.hasOurFinalizer() && !(plan instanceof ServicePlan.Serve)
                ? takeBack("it has Berth's finalizer, but Berth does not serve it")
                : plan;
    }

    private ServicePlan keep() {
        Optional<String> named = Optional.ofNullable(service.loadBalancerClass());
        Optional<String> claimed = ownership.claimedClass();
        // Beside a claim for the class that it names now, which may have landed late, another may have made something.
        boolean isMarkedForAnother = service.servedByClass()
                .filter(value -> !Optional.of(value).equals(named))
                .filter(value -> snapshot.classes().byValue(value).isPresent())
                .isPresent();
        if (named.isPresent() && claimed.isPresent() && (!named.equals(claimed) || isMarkedForAnother)) {
            return tearDown("its class is now " + named.get());
        }
        Optional<ServedClass> served =
                named.or(() -> claimed).map(snapshot.classes()::byValue).orElseGet(snapshot.classes()::defaultClass);
        if (served.isPresent()) {
            return serve(served.get());
        }
        if (named.isPresent() && claimed.isEmpty()) {
            return tearDown("no LoadBalancerClass here serves its class " + named.get());
        }
        // First by the cluster: by what each remembers, two operators would write different messages in turn, forever.
        Optional<String> shown =
                ownership.classInCluster().or(snapshot::askedByClass).or(() -> named);
        return leftAsItIs(shown.flatMap(snapshot.classes()::whyNotAccepted)
                        .orElseGet(() -> "no accepted LoadBalancerClass serves "
                                + shown.map(value -> "\"" + value + "\"").orElse("Services without a class")
                                + " any more")
                + "; it keeps its addresses as they are until one does");
    }

    /**
     * With what it holds, for its class is missing; but for what was never claimed, and is published no longer, or bears
     * no mark: what was held for its marks alone goes with them.
     */
    private ServicePlan leftAsItIs(String message) {
        List<Ip> unclaimed = ownership.claimed().stream()
                .filter(holding -> holding.state() != Holding.State.CLAIMED
                        && (!service.isMarkedOurs() || !service.publishes(holding.ip())))
                .map(Holding::ip)
                .toList();
        return unclaimed.isEmpty()
                ? explained(Reason.ClassMissing, message)
                : new ServicePlan.TearDown(
                        "addresses were about to be claimed for a class that no longer exists",
                        List.of(new Step.Release(unclaimed)));
    }

    private ServicePlan explained(Reason reason, String message) {
        return new ServicePlan.Skip(
                service, reason, null, message, List.of(new Step.Explain(reason, message, ownership.staysPublished())));
    }

    private ServicePlan adopt() {
        Optional<ServedClass> served = Optional.ofNullable(service.loadBalancerClass())
                .map(snapshot.classes()::byValue)
                .orElseGet(snapshot.classes()::defaultClass);
        Optional<String> foreign = service.foreignMark();
        if (served.isEmpty()) {
            return Optional.ofNullable(service.loadBalancerClass())
                    .filter(none -> foreign.isEmpty())
                    .flatMap(snapshot.classes()::whyNotAccepted)
                    .map(why -> explained(Reason.ClassNotAccepted, why))
                    .orElseGet(this::notOurs);
        }
        if (foreign.isPresent() && !snapshot.migrateFrom().isEmpty()) {
            return takeOver(served.get());
        }
        if (foreign.isPresent()) {
            return new ServicePlan.Skip(
                    service,
                    Reason.ServedByOtherController,
                    served.get().name(),
                    NotServedReason.byAnother(foreign.get()).message(),
                    whenSkipped());
        }
        if (service.loadBalancerClass() == null && snapshot.deference().isPresent()) {
            return new ServicePlan.Skip(
                    service,
                    Reason.DeferredToOther,
                    served.get().name(),
                    "another controller appears to serve Services without a class ("
                            + snapshot.deference().get().sign() + "); set spec.loadBalancerClass: "
                            + served.get().value() + " on the Service, or classless: Always on LoadBalancerClass \""
                            + served.get().name() + "\"",
                    whenSkipped());
        }
        return serve(served.get());
    }

    /** Where it is sure that nobody else will serve it, it is told so. */
    private ServicePlan notOurs() {
        Optional<NotServedReason> unserved = service.foreignMark().isPresent()
                ? Optional.empty()
                : NotServedReason.of(
                        service.loadBalancerClass(),
                        snapshot.classes().values(),
                        snapshot.classes().withoutClass());
        Optional<Duration> untilSure = unserved.flatMap(why -> why.untilSure(snapshot.age(), snapshot.deference())
                // A clock that was set back takes nothing back.
                .map(left -> saysAlready(why.reason()) ? Duration.ZERO : left));
        return unserved.filter(why -> untilSure.equals(Optional.of(Duration.ZERO)))
                .map(why -> why.reason() == Reason.ClassNotAccepted
                        ? explained(why.reason(), why.message())
                        : new ServicePlan.Skip(service, why.reason(), null, why.message(), whenSkipped()))
                .orElseGet(() -> new ServicePlan.NotOurs(whenSkipped(), untilSure));
    }

    private boolean saysAlready(Reason reason) {
        return service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                .filter(said -> said.isFor(reason))
                .isPresent();
    }

    /** With the addresses that another controller gave it; whether Berth defers to it is not asked: it said not to. */
    private ServicePlan takeOver(ServedClass served) {
        AddressAnnotations asked = asked(served);
        Optional<WaitReason> hindrance = Adoption.hindrance(service, served, asked);
        if (hindrance.isPresent()) {
            return new ServicePlan.Skip(
                    service,
                    Reason.ServedByOtherController,
                    served.name(),
                    hindrance.get().message(),
                    whenSkipped());
        }
        return Adoption.request(snapshot, service, served, asked)
                .<ServicePlan>map(request -> new ServicePlan.Adopt(service, served.name(), request, whenSkipped()))
                .orElseGet(() -> serve(served));
    }

    private AddressAnnotations asked(ServedClass served) {
        return AddressAnnotations.of(service, served.ipMode(), snapshot.migrateFrom());
    }

    /** What it said of a wait that is over. */
    private List<Step.Skipping> whenSkipped() {
        return service.hasOurConditions() ? List.of(new Step.RemoveConditions()) : List.of();
    }

    private ServicePlan serve(ServedClass served) {
        List<Step.Serving> steps = new ArrayList<>();
        AddressAnnotations asked = asked(served);
        IgnoredAnnotations.of(service, served.capabilities(), snapshot.migrateFrom())
                .ifPresent(why -> steps.add(new Step.Hint(why)));
        HoldingSelection selection = HoldingSelection.of(
                service, snapshot.holdings(), asked.constraints(), snapshot.pools(), served.value());
        if (served.capabilities().addresses() == AddressSource.POOLS) {
            address(served, asked, selection, steps);
        }
        boolean isMarked = service.hasOurFinalizer()
                && (!served.isMarkedOnServices()
                        || service.servedByClass()
                                .filter(served.value()::equals)
                                .isPresent());
        boolean mayHold = served.capabilities().addresses() == AddressSource.PROVIDER
                || !selection.kept().isEmpty()
                || steps.stream().anyMatch(step -> step instanceof Step.Acquire || step instanceof Step.ConfirmClaim);
        boolean marks = !served.capabilities().immediate() && !isMarked && mayHold;
        return new ServicePlan.Serve(service, served, asked.constraints(), steps, marks, ownership.staysPublished());
    }

    /** One address for each family: what is held already, then what is kept for it, and the rest is asked for. */
    private void address(
            ServedClass served, AddressAnnotations asked, HoldingSelection selection, List<Step.Serving> steps) {
        for (Holding holding : selection.kept()) {
            if (holding.state() != Holding.State.CLAIMED) {
                steps.add(new Step.ConfirmClaim(holding, served));
            } else if (asked.fault().isEmpty()) {
                HoldingSelection.amended(holding, service, asked, snapshot.pools())
                        .ifPresent(spec -> steps.add(new Step.Amend(holding, spec)));
            }
            warnOfClash(holding, asked, steps);
        }
        List<IpFamily> lacking = new ArrayList<>(selection.lacking());
        List<IpFamily> movingFamilies = new ArrayList<>(selection.movingFamilies());
        List<Holding> has = new ArrayList<>(selection.kept());
        List<Step.Serving> reserved = new ArrayList<>();
        for (Holding holding : snapshot.holdings()) {
            boolean fits = (holding.isReservedFor(service.key())
                            || (isPredecessors(holding) && holding.state() == Holding.State.CLAIMED))
                    && (holding.loadBalancerClass() == null
                            || Objects.equals(holding.loadBalancerClass(), served.value()))
                    && !HoldingSelection.takenBack(holding, snapshot.pools())
                    && HoldingSelection.asAsked(holding, asked.constraints(), snapshot.pools())
                    && (isPredecessors(holding) || HoldingSelection.isOpenTo(holding, asked.constraints()));
            IpFamily family = holding.ip().family();
            if (fits && asked.fault().isEmpty() && (lacking.remove(family) || movingFamilies.remove(family))) {
                (isPredecessors(holding) ? steps : reserved).add(new Step.ConfirmClaim(holding, served));
                warnOfClash(holding, asked, steps);
                has.removeIf(replaced -> replaced.ip().family() == family);
                has.add(holding);
            }
        }
        boolean whole = service.familyPolicy() == FamilyPolicy.REQUIRE_DUAL_STACK && !lacking.isEmpty();
        List<IpFamily> wanted = new ArrayList<>(service.wantedFamilies());
        wanted.removeIf(family -> !lacking.contains(family) && (whole || !movingFamilies.contains(family)));
        if (!whole) {
            steps.addAll(reserved);
        }
        if (asked.fault().isPresent()) {
            steps.add(new Step.Refuse(asked.fault().get()));
        } else if (!wanted.isEmpty()) {
            steps.add(new Step.Acquire(new AddressRequest(
                    service.key(),
                    service.uid(),
                    served.value(),
                    wanted,
                    whole,
                    new Requester(served.pools(), snapshot.namespaceLabels(), service.labels()),
                    asked.constraints(),
                    formerAddresses(),
                    snapshot.turn())));
        } else {
            has.sort(Comparator.comparingInt(
                    holding -> service.wantedFamilies().indexOf(holding.ip().family())));
            PoolMismatch.unmet(service, has, asked.constraints(), snapshot.pools())
                    .ifPresent(why -> steps.add(new Step.Refuse(why)));
        }
        if (whole) {
            // A half that is no use would be given back at once, and taken again: it stays reserved until then.
            steps.addAll(reserved);
        }
    }

    private static void warnOfClash(Holding holding, AddressAnnotations asked, List<Step.Serving> steps) {
        if (asked.fault().isEmpty()) {
            HoldingSelection.clash(holding, asked.constraints()).ifPresent(why -> steps.add(new Step.Warn(why)));
        }
    }

    /**
     * The addresses in the status of a Service whose marks say that we served it: its Address objects have
     * vanished, and it may ask for the same again. One that is just being taken over from another
     * controller, and holds a part of them, may as well. Any other status is never truth: whoever may write
     * one could take any address by it (CVE-2020-8554).
     */
    private List<Ip> formerAddresses() {
        return service.isMarkedOurs() || !snapshot.migrateFrom().isEmpty() ? service.publishedAddresses() : List.of();
    }

    /** If its class is missing, the Service is kept: the condition that says so completes the marks. */
    private ServicePlan takeBack(String why) {
        return ownership.classMissing().isPresent() ? keep() : tearDown(why);
    }

    private ServicePlan tearDown(String why) {
        Optional<String> hindrance = ownership.hindersDeletion(why);
        if (hindrance.isPresent()) {
            return leftAsItIs(hindrance.get());
        }
        List<Step.TearingDown> steps = new ArrayList<>();
        ownership.mayHaveMade().forEach(served -> steps.add(new Step.DeleteLoadBalancer(served)));
        steps.add(new Step.Clear(ownership.othersIngress()));
        if (!ownership.claimed().isEmpty()) {
            steps.add(new Step.Release(
                    ownership.claimed().stream().map(Holding::ip).toList()));
        }
        return new ServicePlan.TearDown(why, steps);
    }
}
