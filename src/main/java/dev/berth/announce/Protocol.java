package dev.berth.announce;

import dev.berth.ip.IpFamily;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** How agents announce addresses, by the provider of their LoadBalancerClass. */
public enum Protocol {
    /** By ARP and NDP: one node at a time. */
    L2("l2"),

    /** Each node that can deliver. */
    BGP("bgp");

    private final String provider;

    Protocol(String provider) {
        this.provider = provider;
    }

    /** The name of the provider. */
    public String provider() {
        return provider;
    }

    /** That of a provider; absent: agents do not announce its addresses. */
    public static Optional<Protocol> find(String provider) {
        return Stream.of(values()).filter(one -> one.provider.equals(provider)).findFirst();
    }

    /** What is wrong with the {@code parameters} of a LoadBalancerClass, human-readable without an end; absent: nothing. */
    public Optional<String> fault(Map<String, String> parameters) {
        try {
            Object _ = switch (this) {
                case L2 -> L2Parameters.of(parameters);
                case BGP -> BgpParameters.of(parameters);
            };
            return Optional.empty();
        } catch (IllegalArgumentException unreadable) {
            return Optional.of(String.valueOf(unreadable.getMessage()));
        }
    }

    /** As people call it, for an address of this family. */
    String name(IpFamily family) {
        if (this == BGP) {
            return "BGP";
        }
        return family == IpFamily.IPV4 ? "ARP" : "NDP";
    }
}
