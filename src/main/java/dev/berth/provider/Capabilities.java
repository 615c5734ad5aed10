package dev.berth.provider;

import java.util.List;

/**
 * What a provider does and can do. Made with {@link #fromPools} or {@link #ofItsOwn}, and the {@code with…} methods.
 *
 * <p>What a Service asks for and the provider has not is told to its owner, as a condition and an event. The
 * provider is called all the same, but for what it cannot be without: a protocol or a family that it cannot carry
 * is left out of the request.
 *
 * @param addresses who chooses the address
 * @param ipModes how its packets may arrive; the first is what {@code ipMode: Auto} means
 * @param targets where it sends packets
 * @param protocols that it can carry
 * @param families of addresses that it can carry
 * @param features what else it can do
 * @param annotations names of the Service's annotations that it reads; one that ends in {@code /} stands for all that
 *     start with it. No other annotation reaches it
 * @param immediate whether its calls touch nothing outside Berth: they cannot leave anything behind, so
 *     the finalizer may come with the status, and no event announces them
 */
public record Capabilities(
        AddressSource addresses,
        List<IpMode> ipModes,
        Targets targets,
        List<Protocol> protocols,
        List<Family> families,
        List<Feature> features,
        List<String> annotations,
        boolean immediate) {
    public Capabilities {
        ipModes = List.copyOf(ipModes);
        protocols = List.copyOf(protocols);
        families = List.copyOf(families);
        features = List.copyOf(features);
        annotations = List.copyOf(annotations);
        if (ipModes.isEmpty() || protocols.isEmpty() || families.isEmpty()) {
            throw new IllegalArgumentException("a provider has at least one ipMode, protocol and family");
        }
    }

    /** Who chooses the address. */
    public enum AddressSource {
        /** Berth, from its pools. */
        POOLS,
        /** The provider itself. */
        PROVIDER
    }

    /** Where a provider sends packets. */
    public enum Targets {
        /** To the node ports of {@link LoadBalancerRequest#nodes}. */
        NODE_PORTS,
        /** To the pods of {@link LoadBalancerRequest#endpoints}, which it reaches itself: no node port is needed. */
        ENDPOINTS,
        /** Nowhere itself: something else brings the packets, or it finds its targets alone. */
        NONE
    }

    /** A family of addresses. */
    public enum Family {
        IPV4,
        IPV6
    }

    /** What a Service may ask for beyond ports and addresses. */
    public enum Feature {
        /** Ports of more than one protocol on one load balancer. */
        MIXED_PROTOCOLS,
        /** {@link LoadBalancerRequest#sourceRanges}. */
        SOURCE_RANGES,
        /** {@link LoadBalancerRequest#sessionAffinity}. */
        SESSION_AFFINITY,
        /** {@code externalTrafficPolicy: Local}: only nodes that pass the health check get packets. */
        LOCAL_TRAFFIC_POLICY,
        /** {@link LoadBalancerProvider#listLoadBalancers}. */
        LISTING
    }

    /** A provider that makes the addresses of Berth's pools carry TCP and UDP of both families. */
    public static Capabilities fromPools(IpMode... ipModes) {
        return of(AddressSource.POOLS, ipModes);
    }

    /** A provider that brings its own addresses, and carries TCP and UDP of both families. */
    public static Capabilities ofItsOwn(IpMode... ipModes) {
        return of(AddressSource.PROVIDER, ipModes);
    }

    private static Capabilities of(AddressSource addresses, IpMode... ipModes) {
        return new Capabilities(
                addresses,
                List.of(ipModes),
                Targets.NODE_PORTS,
                List.of(Protocol.TCP, Protocol.UDP),
                List.of(Family.IPV4, Family.IPV6),
                List.of(),
                List.of(),
                false);
    }

    public Capabilities withTargets(Targets others) {
        return new Capabilities(addresses, ipModes, others, protocols, families, features, annotations, immediate);
    }

    public Capabilities withProtocols(Protocol... others) {
        return new Capabilities(
                addresses, ipModes, targets, List.of(others), families, features, annotations, immediate);
    }

    public Capabilities withFamilies(Family... others) {
        return new Capabilities(
                addresses, ipModes, targets, protocols, List.of(others), features, annotations, immediate);
    }

    public Capabilities withFeatures(Feature... others) {
        return new Capabilities(
                addresses, ipModes, targets, protocols, families, List.of(others), annotations, immediate);
    }

    public Capabilities withAnnotations(String... names) {
        return new Capabilities(addresses, ipModes, targets, protocols, families, features, List.of(names), immediate);
    }

    public Capabilities withImmediate(boolean other) {
        return new Capabilities(addresses, ipModes, targets, protocols, families, features, annotations, other);
    }

    /** Whether it can do this. */
    public boolean has(Feature feature) {
        return features.contains(feature);
    }

    /** Whether it reads the annotation of this name. */
    public boolean reads(String annotation) {
        return annotations.stream()
                .anyMatch(name -> name.endsWith("/") ? annotation.startsWith(name) : annotation.equals(name));
    }
}
