package dev.berth.loadbalancer;

import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is known of the load balancer that providers have under the name of one Service. A value: each method answers
 * with the next one. Nothing in it must survive a restart, for a provider can be asked again.
 */
public sealed interface ProviderState {
    /** Nothing is known. */
    static ProviderState nothing() {
        return new Nothing();
    }

    /** No provider was asked, or what it made is deleted. */
    record Nothing() implements ProviderState {}

    /**
     * No provider was asked, but one lists a load balancer of the Service.
     *
     * @param classValue of the class whose provider it is
     */
    record Listed(String uid, String classValue) implements ProviderState {}

    /** A provider was asked. Until it has deleted it again, there may be a load balancer. */
    sealed interface Asked extends ProviderState {
        LoadBalancerRequest request();

        ServedClass by();
    }

    /** The answer is not known, or not any more: the provider has to be asked again. */
    record Unanswered(LoadBalancerRequest request, ServedClass by) implements Asked {}

    /**
     * The provider has what was asked for.
     *
     * @param answer with what the provider said of its targets when it was last looked at
     * @param inDoubt whether it may have something else by now, and is to be looked at
     * @param misses how often in a row it was looked at, and did not answer
     */
    record Ensured(LoadBalancerRequest request, ServedClass by, EnsureOutcome.Ready answer, boolean inDoubt, int misses)
            implements Asked {}

    /** The provider answered that another serves it; it is not asked the same again. */
    record Elsewhere(LoadBalancerRequest request, ServedClass by) implements Asked {}

    /** The provider has nothing for the Service, which lost its addresses and may get others. */
    record Deleted(ServiceIdentity service) implements ProviderState {}

    /**
     * One class after the other has its provider delete what it may have made.
     *
     * @param made what was asked for before, and is not deleted yet; empty: not known
     * @param deletedBy the classes whose providers have deleted
     * @param next the class whose provider is deleting
     */
    record Deleting(ServiceIdentity service, Optional<Made> made, List<ServedClass> deletedBy, ServedClass next)
            implements ProviderState {
        public Deleting {
            deletedBy = List.copyOf(deletedBy);
        }
    }

    /** A load balancer that there may be, and the class by whose provider it was made. */
    record Made(LoadBalancerRequest request, ServedClass by) {}

    // What it tells.

    /** What may have been made and is not deleted yet; absent: nothing, or it is not known. */
    default Optional<Made> made() {
        return switch (this) {
            case Asked asked -> Optional.of(new Made(asked.request(), asked.by()));
            case Deleting deleting -> deleting.made();
            case Nothing none -> Optional.empty();
            case Listed listed -> Optional.empty();
            case Deleted deleted -> Optional.empty();
        };
    }

    /** Whether something may have been made for this very Service. */
    default boolean mayHaveMadeFor(ServiceIdentity service) {
        return made().filter(made -> made.request().service().equals(service)).isPresent();
    }

    /** What was made for another Service of this name; {@code uid} empty: there is none of this name. */
    default Optional<Made> madeForAnother(Optional<String> uid) {
        return made().filter(
                        made -> !uid.equals(Optional.of(made.request().service().uid())));
    }

    /** What none of these classes makes so: its class was created again, with another provider or other parameters. */
    default Optional<Made> madeByOther(List<ServedClass> classes) {
        return made().filter(made -> {
            for (ServedClass by : classes) {
                if (by.provider().equals(made.by().provider())
                        && by.parameters().equals(made.by().parameters())) {
                    return false;
                }
            }
            return true;
        });
    }

    /** What the provider answered, to whatever request; absent: nothing that holds. */
    default Optional<EnsureOutcome.Ready> lastAnswer() {
        return this instanceof Ensured ensured ? Optional.of(ensured.answer()) : Optional.empty();
    }

    /** What the provider of {@code by} answered to this very request; absent: it has to be asked. */
    default Optional<EnsureOutcome.Ready> answerTo(LoadBalancerRequest request, ServedClass by) {
        return this instanceof Ensured ensured && isOf(by) && ensured.request().equals(request)
                ? Optional.of(ensured.answer())
                : Optional.empty();
    }

    /** What the provider answered to a request like this but for the targets; absent: it has to be asked. */
    default Optional<EnsureOutcome.Ready> answerButForTargets(LoadBalancerRequest request, ServedClass by) {
        return this instanceof Ensured ensured && isOf(by) && ensured.request().differsInTargetsOnly(request)
                ? Optional.of(ensured.answer())
                : Optional.empty();
    }

    /** Whether the provider says how many of its targets pass their health check, so that it has to be looked at often. */
    default boolean tellsOfTargets() {
        return this instanceof Ensured ensured && ensured.answer().status().targets() != null;
    }

    /** Whether what it said of its targets is old: one look that is not answered may be the restart of a plug-in. */
    default boolean isOutOfSight() {
        return this instanceof Ensured ensured && ensured.misses() > 1;
    }

    default boolean isElsewhere(LoadBalancerRequest request, ServedClass by) {
        return this instanceof Elsewhere elsewhere
                && isOf(by)
                && elsewhere.request().equals(request);
    }

    /** Whether what the provider has is to be looked at. */
    default boolean isDoubted() {
        return this instanceof Ensured ensured && ensured.inDoubt();
    }

    default boolean isDeletedFor(ServiceIdentity service) {
        return this instanceof Deleted deleted && deleted.service().equals(service);
    }

    /** Whether the provider of {@code by} has deleted what it may have made, in this tear-down. */
    default boolean isDeletedBy(ServiceIdentity service, ServedClass by) {
        return this instanceof Deleting deleting
                && deleting.service().equals(service)
                && deleting.deletedBy().contains(by);
    }

    private boolean isOf(ServedClass by) {
        return this instanceof Asked asked && asked.by().provider().equals(by.provider());
    }

    /** Whether the provider of this name was the last to be asked for anything. */
    default boolean isAskedOf(String provider) {
        return switch (this) {
            case Asked asked -> asked.by().provider().equals(provider);
            case Deleting deleting -> deleting.next().provider().equals(provider);
            case Nothing none -> false;
            case Listed listed -> false;
            case Deleted deleted -> false;
        };
    }

    /** Whether a provider that works outside this process was asked to make something. */
    default boolean isAskedOutside() {
        return this instanceof Asked asked && !asked.by().capabilities().immediate();
    }

    /**
     * The class value by which the provider of this very Service was asked, or lists something for it, if that brings
     * its own addresses, so that no Address tells; absent: it was not, or what it made is deleted.
     */
    default Optional<String> bringsItsOwn(String uid) {
        return this instanceof Listed listed
                ? Optional.of(listed).filter(one -> one.uid().equals(uid)).map(Listed::classValue)
                : made().filter(made -> made.by().capabilities().addresses() == AddressSource.PROVIDER
                                && made.request().service().uid().equals(uid))
                        .map(made -> made.by().value());
    }

    /** Whether the provider was last notified of other targets than these. */
    default boolean knowsOther(Backends backends) {
        return this instanceof Asked asked
                && switch (asked.by().capabilities().targets()) {
                    case NODE_PORTS -> !asked.request().nodes().equals(backends.nodes());
                    case ENDPOINTS ->
                        !asked.request().endpoints().equals(backends.endpoints().get());
                    case NONE -> false;
                };
    }

    /** Whether the provider was asked to send packets to nodes. */
    default boolean targetsNodes() {
        return this instanceof Asked asked && asked.by().capabilities().targets() == Targets.NODE_PORTS;
    }

    /** Whether the provider was asked by a class whose health check depends on the nodes. */
    default boolean isCheckedByWhatNodesHave() {
        return this instanceof Asked asked
                && targetsNodes()
                && asked.by().healthCheck().isLeftToTheNodes();
    }

    // What happens to it.

    /** A call is about to be made for a Service that is served: what is not known any more, should its answer be lost. */
    default ProviderState calling(ProviderCall.Made call, ServedClass by) {
        return switch (call) {
            case ProviderCall.Ensure(LoadBalancerRequest request) -> asks(request, by);
            case ProviderCall.Look look -> looked();
            case ProviderCall.Update update -> this;
            case ProviderCall.Delete delete -> unsure();
        };
    }

    /** The call was made, and this came of it. An answer counts once it is judged. */
    default ProviderState called(ProviderCall.Made call, ServedClass by, Outcome.OfCall came) {
        return switch (came) {
            case Outcome.Unjudged answer -> this;
            case Outcome.OnItsWay pending -> this;
            case Outcome.ServedElsewhere elsewhere -> elsewhere(call.request(), by);
            case Outcome.NotSeen notSeen -> missed();
            case Outcome.Updated updated -> updated(call.request(), by);
            case Outcome.UnservedDeleted deleted -> deleted(call.request().service());
            case Outcome.Failed failed -> this;
        };
    }

    /** The provider is about to be asked: whatever it answers, what it answered before counts no longer. */
    default ProviderState asks(LoadBalancerRequest request, ServedClass by) {
        return new Unanswered(request, by);
    }

    /** It answered that it is there. */
    default ProviderState ensured(LoadBalancerRequest request, ServedClass by, EnsureOutcome.Ready answer) {
        return new Ensured(request, by, answer, false, 0);
    }

    /** It was notified of other targets, and what it answered holds. */
    default ProviderState updated(LoadBalancerRequest request, ServedClass by) {
        return this
                        instanceof
                        Ensured(var before, ServedClass old, EnsureOutcome.Ready answer, boolean inDoubt, int misses)
                ? new Ensured(request, old.provider().equals(by.provider()) ? by : old, answer, inDoubt, misses)
                : this;
    }

    /**
     * What it answered holds; its class may say something else by now that the provider is not asked for. Who made it
     * is not forgotten, though the class may be of another provider.
     */
    default ProviderState kept(ServedClass by) {
        return this instanceof Ensured ensured ? updated(ensured.request(), by) : this;
    }

    /** It answered that another serves it. */
    default ProviderState elsewhere(LoadBalancerRequest request, ServedClass by) {
        return new Elsewhere(request, by);
    }

    /** What the provider has may not be what it answered: it is to be looked at. */
    default ProviderState doubted() {
        return this
                        instanceof
                        Ensured(var request, ServedClass by, EnsureOutcome.Ready answer, boolean before, int misses)
                ? new Ensured(request, by, answer, true, misses)
                : this;
    }

    /** It is being looked at. */
    default ProviderState looked() {
        return this
                        instanceof
                        Ensured(var request, ServedClass by, EnsureOutcome.Ready answer, boolean before, int misses)
                ? new Ensured(request, by, answer, false, misses)
                : this;
    }

    /** It was looked at, and has what it answered, but maybe for the health of its targets. */
    default ProviderState seen(LoadBalancerStatus status) {
        return this
                        instanceof
                        Ensured(var request, ServedClass by, EnsureOutcome.Ready answer, boolean inDoubt, int misses)
                ? new Ensured(
                        request, by, EnsureOutcome.ready(answer.status().withTargets(status.targets())), inDoubt, 0)
                : this;
    }

    /** It was looked at, and did not answer. */
    default ProviderState missed() {
        return this
                        instanceof
                        Ensured(var request, ServedClass by, EnsureOutcome.Ready answer, boolean inDoubt, int misses)
                ? new Ensured(request, by, answer, inDoubt, misses + 1)
                : this;
    }

    /** What the provider has is not known any more, but that there may be something: it is asked again. */
    default ProviderState unsure() {
        return this instanceof Asked asked ? new Unanswered(asked.request(), asked.by()) : this;
    }

    /** It has deleted what it had for the Service, which stays. */
    default ProviderState deleted(ServiceIdentity service) {
        return new Deleted(service);
    }

    /** The provider of {@code by} is about to be asked to delete: should the answer be lost, it may be deleted. */
    default ProviderState deletes(ServiceIdentity service, ServedClass by) {
        List<ServedClass> before =
                this instanceof Deleting deleting && deleting.service().equals(service)
                        ? deleting.deletedBy()
                        : List.of();
        return new Deleting(service, made(), before, by);
    }

    /** It has. */
    default ProviderState deleted(ServiceIdentity service, ServedClass by) {
        List<ServedClass> before =
                this instanceof Deleting deleting && deleting.service().equals(service)
                        ? deleting.deletedBy()
                        : List.of();
        return new Deleting(
                service,
                made().filter(made -> !made.by().equals(by)),
                Stream.concat(before.stream(), Stream.of(by)).toList(),
                by);
    }

    /** All is done that a pass had to do. */
    default ProviderState settled() {
        return this instanceof Deleting ? nothing() : this;
    }

    /** A provider lists a load balancer of the Service; what is known better stays. */
    default ProviderState listed(String uid, String classValue) {
        return this instanceof Asked || this instanceof Deleting ? this : new Listed(uid, classValue);
    }
}
