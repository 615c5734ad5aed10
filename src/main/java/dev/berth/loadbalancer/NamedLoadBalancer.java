package dev.berth.loadbalancer;

import java.util.Optional;

/**
 * What the load balancer of one Service is called at its provider, as far as is known: by that name people find it there. It
 * stays the same for the life of the Service. A value.
 *
 * @param provider whose load balancer it is
 * @param uid of the Service
 * @param name absent: not known
 */
public record NamedLoadBalancer(String provider, String uid, Optional<String> name) {
    /** In a sentence, as long as its name is not known. */
    public static final String UNNAMED = "load balancer";

    /** No name is known. */
    public static final NamedLoadBalancer NONE = new NamedLoadBalancer("", "", Optional.empty());

    /** Whether the provider is to be asked for the name. Nobody looks for it where the provider works in Berth itself. */
    public boolean isWanted(ServedClass by, String serviceUid) {
        return !by.capabilities().immediate() && find(by, serviceUid).isEmpty();
    }

    private Optional<String> find(ServedClass by, String serviceUid) {
        return name.filter(known -> provider.equals(by.provider()) && uid.equals(serviceUid));
    }

    /** The load balancer in a sentence: {@code load balancer "lb-1"}, or {@link #UNNAMED}. */
    public String called(ServedClass by, String serviceUid) {
        return find(by, serviceUid).map(known -> UNNAMED + " \"" + known + "\"").orElse(UNNAMED);
    }
}
