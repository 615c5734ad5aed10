package dev.berth.address;

import java.util.List;
import java.util.Map;

/**
 * What a Service lacks. Its constructor throws IllegalArgumentException if {@code families} is empty or
 * repeats.
 *
 * @param uid the Service's {@code metadata.uid}
 * @param loadBalancerClass the class value that it is served by
 * @param families one address is wanted of each, in the Service's order; not empty, none twice
 * @param allOrNone whether a part is no use (RequireDualStack)
 * @param pools the pools that its class names; empty: every one with autoAssign
 * @param preferred addresses to have again if they are free and a pool allows it
 * @param turn its place among those that wait
 */
public record AddressRequest(
        ServiceKey service,
        String uid,
        String loadBalancerClass,
        List<IpFamily> families,
        boolean allOrNone,
        List<String> pools,
        Map<String, String> namespaceLabels,
        Map<String, String> serviceLabels,
        List<Ip> preferred,
        WaitTurn turn) {
    public AddressRequest {
        families = List.copyOf(families);
        pools = List.copyOf(pools);
        preferred = List.copyOf(preferred);
        if (families.isEmpty() || families.stream().distinct().count() != families.size()) {
            throw new IllegalArgumentException("one address of each family is asked for: " + families);
        }
    }

    /** The same for these families alone; a part is of use, for the rest is there. */
    public AddressRequest onlyFor(List<IpFamily> some) {
        return new AddressRequest(
                service,
                uid,
                loadBalancerClass,
                some,
                allOrNone && some.size() == families.size(),
                pools,
                namespaceLabels,
                serviceLabels,
                preferred,
                turn);
    }

    public Owner owner() {
        return new Owner(service, uid);
    }
}
