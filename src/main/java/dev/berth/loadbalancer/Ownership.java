package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.provider.Capabilities.AddressSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whose a Service is, and by which class, as its claims and its marks tell. Pure.
 *
 * <p>It is ours once an address is claimed for its uid, or if its marks say that we served it.
 */
public final class Ownership {
    private final ServiceSnapshot snapshot;
    private final ServiceState service;
    private final List<Holding> claimed = new ArrayList<>();

    /**
     * Of one Service.
     *
     * @param snapshot without what another Berth claimed
     */
    Ownership(ServiceSnapshot snapshot, ServiceState service) {
        this.snapshot = snapshot;
        this.service = service;
        for (Holding holding : snapshot.holdings()) {
            if (holding.isFor(service.key(), service.uid())) {
                claimed.add(holding);
            }
        }
    }

    /**
     * Whether another Berth serves it: by the class it names; without one, by the class that its address was claimed
     * for, by the mark beside the finalizer, or because the default class is the other's.
     *
     * @param all what is held for its name, also what another Berth claimed
     */
    boolean isServedElsewhere(List<Holding> all) {
        if (service.loadBalancerClass() != null) {
            return snapshot.classes().isServedElsewhere(service.loadBalancerClass());
        }
        if (!claimed().isEmpty()) {
            return false;
        }
        boolean claimedElsewhere = all.stream().anyMatch(holding -> holding.isFor(service.key(), service.uid()));
        return service.servedByClass()
                .map(snapshot.classes()::isServedElsewhere)
                .orElse(claimedElsewhere || snapshot.classes().isDefaultElsewhere());
    }

    /** Whether this Berth serves it, or has served it. */
    boolean isOurs() {
        return service.isMarkedOurs()
                || !claimed().isEmpty()
                || snapshot.askedByClass().isPresent();
    }

    /**
     * The class value by which a Service is ours that only the list of a provider reports: our marks were taken off while no
     * Berth ran. Absent: it has them, or it is no load balancer, or the class that it names, or would have, is not of this
     * provider, or allocates from pools, or another controller's finalizer is on it.
     *
     * @param provider the name of the provider that lists it
     */
    public static Optional<String> ofListed(String provider, ServiceState service, ClassSet classes) {
        if (service.isMarkedOurs()
                || !service.typeLoadBalancer()
                || service.foreignFinalizer().isPresent()) {
            return Optional.empty();
        }
        return Optional.ofNullable(service.loadBalancerClass())
                .map(classes::byValue)
                .orElseGet(classes::defaultClass)
                .filter(served -> served.provider().equals(provider)
                        && served.capabilities().addresses() == AddressSource.PROVIDER)
                .map(ServedClass::value);
    }

    /** What is held for its uid. */
    List<Holding> claimed() {
        return Collections.unmodifiableList(claimed);
    }

    /**
     * The class value that the claims are for, or that is marked on it; empty: there is neither. A claim for another
     * class than that of the mark landed late, or lost to one that landed late.
     */
    Optional<String> claimedClass() {
        return claimedClasses().stream().findFirst().or(service::servedByClass).or(snapshot::askedByClass);
    }

    /** The same by what the cluster has alone, and not by what this process remembers. */
    Optional<String> classInCluster() {
        List<Holding> sure = new ArrayList<>(claimed);
        sure.removeIf(holding -> holding.state() != Holding.State.CLAIMED);
        return claimedClasses(sure).stream().findFirst().or(service::servedByClass);
    }

    /**
     * The class value that is marked on it, if it is to be served by another one, and no condition is beside the mark yet:
     * with one, the mark would say that the other class has served it.
     */
    Optional<String> halfMark(ServicePlan plan) {
        return plan instanceof ServicePlan.Serve serve && !isOurs()
                ? service.servedByClass()
                        .filter(value -> !value.equals(serve.servedClass().value()))
                : Optional.empty();
    }

    /**
     * The class values that the claims are for: first the one that is marked, then those of what it publishes, and then those
     * that are marked where their providers were asked, for the mark may have been taken off.
     */
    private List<String> claimedClasses() {
        return claimedClasses(claimed);
    }

    private List<String> claimedClasses(List<Holding> claims) {
        List<Holding> likeliestFirst = new ArrayList<>(claims);
        likeliestFirst.sort(Comparator.comparing((Holding holding) -> !service.publishes(holding.ip()))
                .thenComparing(holding -> !isMarkedOnServices(holding.loadBalancerClass())));
        SequencedSet<String> values = new LinkedHashSet<>();
        for (Holding holding : likeliestFirst) {
            if (holding.loadBalancerClass() != null) {
                values.add(holding.loadBalancerClass());
            }
        }
        service.servedByClass().filter(values::contains).ifPresent(values::addFirst);
        return List.copyOf(values);
    }

    private boolean isMarkedOnServices(@Nullable String value) {
        return Optional.ofNullable(value)
                .flatMap(snapshot.classes()::byValue)
                .filter(ServedClass::isMarkedOnServices)
                .isPresent();
    }

    /**
     * Those whose providers may have made something for it. If nothing tells, the one that would serve it; and if it is
     * ours, but the mark was taken off it, all that the mark could have named: a delete where nothing is succeeds.
     */
    List<ServedClass> mayHaveMade() {
        SequencedSet<String> values = new LinkedHashSet<>();
        service.servedByClass().ifPresent(values::add);
        values.addAll(claimedClasses());
        namedSinceClaimed().ifPresent(values::add);
        snapshot.askedByClass().ifPresent(values::add);
        if (values.isEmpty()) {
            Stream<ServedClass> wouldServe = Optional.ofNullable(service.loadBalancerClass())
                    .map(snapshot.classes()::byValue)
                    .orElseGet(snapshot.classes()::defaultClass)
                    .stream();
            Stream<ServedClass> couldBeNamed = service.isMarkedOurs()
                    ? snapshot.classes().served().stream().filter(ServedClass::isMarkedOnServices)
                    : Stream.empty();
            return Stream.concat(wouldServe, couldBeNamed).distinct().toList();
        }
        List<ServedClass> made = new ArrayList<>();
        for (String value : values) {
            snapshot.classes().byValue(value).ifPresent(made::add);
        }
        return made;
    }

    /**
     * The class that it names: a claim for another may have landed late, when that one served it already. While it stays, only
     * where it publishes what is not held for it: else it has just been given another class, which need not be asked.
     */
    private Optional<String> namedSinceClaimed() {
        return service.hasOurFinalizer()
                        && service.servedByClass().isEmpty()
                        && !claimed().isEmpty()
                        && (service.deleting() || !notHeld().isEmpty())
                ? Optional.ofNullable(service.loadBalancerClass())
                : Optional.empty();
    }

    /**
     * Why its provider cannot be notified that it is over: it is marked with a class that cannot be served, or lost all
     * marks, and is remembered to be of such. Absent: it can be, or it need not, or its claims say otherwise, and so does
     * the class that it names: a mark that users write alone holds nothing up, but a claim may have landed late. Nor does it
     * count where there is no condition beside it, unless its class is there and not accepted.
     */
    Optional<String> classMissing() {
        List<String> claimed = claimedClasses();
        Optional<String> madeBy = service.isMarkedOurs()
                ? service.servedByClass()
                        .filter(value -> claimed.isEmpty()
                                || claimed.contains(value)
                                || value.equals(service.loadBalancerClass()))
                : snapshot.askedByClass()
                        .or(() -> service.servedByClass()
                                .filter(value ->
                                        snapshot.classes().whyNotAccepted(value).isPresent()))
                        .filter(value -> service.wantsLoadBalancer());
        return madeBy.filter(value -> snapshot.classes().byValue(value).isEmpty())
                .map(value -> snapshot.classes()
                        .whyNotAccepted(value)
                        .orElse("no LoadBalancerClass serves \"" + value + "\""));
    }

    /** Why its provider cannot be asked to delete the load balancer, for the reason {@code why}; absent: it can be. */
    Optional<String> hindersDeletion(String why) {
        return classMissing()
                .map(missing -> why + ", but its provider cannot be asked to delete the load balancer: " + missing
                        + "; recreate the class, or delete the load balancer manually and remove the annotation "
                        + WellKnownNames.SERVED_BY_CLASS
                        + WellKnownNames.ANNOTATIONS_PAGE);
    }

    /**
     * What of the status another controller wrote: all, if the Service is not ours. While the class is one of ours, or
     * was when the claim was made, the status is ours whole. Once it is not, another may have published already: only
     * entries that are held for this Service are ours then. (A change of class goes by way of another type, and that
     * takes from the status what was published before.)
     */
    List<Published> othersIngress() {
        String named = service.loadBalancerClass();
        boolean whole = isOurs()
                && (named == null
                        || snapshot.classes().byValue(named).isPresent()
                        || claimedClass().filter(named::equals).isPresent());
        if (whole) {
            return List.of();
        }
        return notHeld();
    }

    /** What it publishes, and does not hold. */
    private List<Published> notHeld() {
        List<String> held =
                claimed().stream().map(holding -> holding.ip().toString()).toList();
        return withoutOthersAddresses().stream()
                .filter(entry -> entry.ip() == null || !held.contains(entry.ip()))
                .toList();
    }

    /**
     * What is given back once another Berth serves it: all, but for what it publishes without an Address. That is given to
     * nobody, until the other Berth has taken it off.
     */
    List<Ip> releasedToOthers() {
        return claimed().stream()
                .filter(holding -> holding.claim() != null || !service.publishes(holding.ip()))
                .map(Holding::ip)
                .toList();
    }

    /** What stays in its status while it is left as it is. */
    List<Published> staysPublished() {
        return service.hasOurFinalizer() ? withoutOthersAddresses() : service.ingress();
    }

    /** What it publishes, but for what was given to other Services since: that is nobody's to publish here. */
    private List<Published> withoutOthersAddresses() {
        return service.ingress().stream()
                .filter(entry ->
                        Published.addresses(List.of(entry)).stream().noneMatch(snapshot.othersAddresses()::contains))
                .toList();
    }
}
