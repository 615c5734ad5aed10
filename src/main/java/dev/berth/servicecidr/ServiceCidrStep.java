package dev.berth.servicecidr;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** One thing that the ServiceCIDR controller does. */
public sealed interface ServiceCidrStep {
    /** Write it to the ServiceCIDR. */
    sealed interface Written extends ServiceCidrStep {}

    /** Put {@link ServiceCidr#FINALIZER} on. */
    record AddFinalizer() implements Written {}

    /** Say {@link ReadyCondition#READY}. */
    record SetReady() implements Written {}

    /**
     * Say {@link ReadyCondition#TERMINATING}.
     *
     * @param by what it waits for
     */
    record SetTerminating(ServiceCidrDeletion.Blocked by) implements Written {}

    /**
     * Say {@link ReadyCondition#AFTER_ANOTHER}.
     *
     * @param first the name of the other
     */
    record SetAfterAnother(String first) implements Written {}

    /** Say {@link ReadyCondition#LAST_OF_ITS_CIDR}. */
    record SetLastOfItsCidr() implements Written {}

    /** Look again then: until then an API server may not have seen the deletion. */
    record Wait(Instant until) implements ServiceCidrStep {}

    /** Leave {@link ServiceCidr#FINALIZER} on forever, and say so: these CIDRs cannot be read. */
    record Keep(List<String> unreadable) implements ServiceCidrStep {
        public Keep {
            unreadable = List.copyOf(unreadable);
        }
    }

    /** Take {@link ServiceCidr#FINALIZER} off. Decide once more on what the API server has now, before. */
    record RemoveFinalizer() implements Written {}

    /** Whether it depends on the IPAddresses; if not, they need not be read to decide on it once more. */
    default boolean needsAddresses() {
        return this instanceof SetTerminating || this instanceof RemoveFinalizer;
    }

    /**
     * What to do with {@code cidr}, in the order of kube-controller-manager; empty: nothing, it is as it
     * should be. What it does next depends on {@code cidr}, on every ServiceCIDR that overlaps it, on the
     * IPAddresses of both, and on time as far as {@link Wait} says.
     *
     * @param all all ServiceCIDRs, {@code cidr} among them or not
     */
    static List<ServiceCidrStep> of(ServiceCidr cidr, Collection<ServiceCidr> all, ClusterIps ips, Instant now) {
        return cidr.isTerminating() ? end(cidr, ServiceCidrDeletion.of(cidr, all, ips, now)) : care(cidr);
    }

    private static List<ServiceCidrStep> care(ServiceCidr cidr) {
        List<ServiceCidrStep> steps = new ArrayList<>();
        if (!cidr.finalizer()) {
            steps.add(new AddFinalizer());
        }
        if (!ReadyCondition.READY.isSaidBy(cidr.ready())) {
            steps.add(new SetReady());
        }
        return steps;
    }

    private static List<ServiceCidrStep> end(ServiceCidr cidr, ServiceCidrDeletion deletion) {
        return switch (deletion) {
            case ServiceCidrDeletion.Blocked by ->
                ReadyCondition.TERMINATING.isSaidBy(cidr.ready()) ? List.of() : List.of(new SetTerminating(by));
            case ServiceCidrDeletion.AfterAnother(String first) ->
                ReadyCondition.AFTER_ANOTHER.isSaidBy(cidr.ready()) ? List.of() : List.of(new SetAfterAnother(first));
            case ServiceCidrDeletion.LastOfItsCidr() -> List.of(new SetLastOfItsCidr());
            case ServiceCidrDeletion.BeforeAnother later -> List.of();
            case ServiceCidrDeletion.WaitUntil(Instant until) -> List.of(new Wait(until));
            case ServiceCidrDeletion.Unreadable(List<String> cidrs) ->
                cidr.finalizer() ? List.of(new Keep(cidrs)) : List.of();
            case ServiceCidrDeletion.Free() -> cidr.finalizer() ? List.of(new RemoveFinalizer()) : List.of();
        };
    }
}
