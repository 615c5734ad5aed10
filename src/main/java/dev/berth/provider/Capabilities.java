package dev.berth.provider;

import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a provider does and can do. Made with {@link #fromPools} or {@link #ofItsOwn}, and the {@code with…} methods.
 *
 * <p>What a Service asks for and the provider has not is told to its owner, as a condition and an event. The
 * provider is called all the same, but for what it cannot be without: a protocol or a family that it cannot carry
 * is left out of the request.
 */
public final class Capabilities {
    private static final int MOST_CALLS_AT_ONCE = 100;

    private final AddressSource addresses;
    private final List<IpMode> ipModes;
    private final Targets targets;
    private final List<Protocol> protocols;
    private final List<Family> families;
    private final List<Feature> features;
    private final List<String> annotations;
    private final boolean immediate;
    private final OptionalInt callLimit;

    private Capabilities(
            AddressSource addresses,
            List<IpMode> ipModes,
            Targets targets,
            List<Protocol> protocols,
            List<Family> families,
            List<Feature> features,
            List<String> annotations,
            boolean immediate,
            OptionalInt callLimit) {
        this.addresses = addresses;
        this.ipModes = List.copyOf(ipModes);
        this.targets = targets;
        this.protocols = List.copyOf(protocols);
        this.families = List.copyOf(families);
        this.features = List.copyOf(features);
        this.annotations = List.copyOf(annotations);
        this.immediate = immediate;
        this.callLimit = callLimit;
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
        LISTING,
        /** {@link LoadBalancerRequest#tls}. Without it, a class that asks for TLS is not served. */
        TLS_TERMINATION
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
                false,
                OptionalInt.empty());
    }

    /** Where it sends packets. */
    public Capabilities withTargets(Targets others) {
        return new Capabilities(
                addresses, ipModes, others, protocols, families, features, annotations, immediate, callLimit);
    }

    /** The protocols that it can carry. */
    public Capabilities withProtocols(Protocol... others) {
        return new Capabilities(
                addresses, ipModes, targets, List.of(others), families, features, annotations, immediate, callLimit);
    }

    /** The families of addresses that it can carry. */
    public Capabilities withFamilies(Family... others) {
        return new Capabilities(
                addresses, ipModes, targets, protocols, List.of(others), features, annotations, immediate, callLimit);
    }

    /** What else it can do. */
    public Capabilities withFeatures(Feature... others) {
        return new Capabilities(
                addresses, ipModes, targets, protocols, families, List.of(others), annotations, immediate, callLimit);
    }

    /**
     * Names of the Service's annotations that it reads; one that ends in {@code /} stands for all that start with it. No
     * other annotation reaches it.
     */
    public Capabilities withAnnotations(String... names) {
        return new Capabilities(
                addresses, ipModes, targets, protocols, families, features, List.of(names), immediate, callLimit);
    }

    /**
     * Whether its calls touch nothing outside Berth: they cannot leave anything behind, so the finalizer may come with
     * the status, and no event announces them.
     */
    public Capabilities withImmediate(boolean other) {
        return new Capabilities(
                addresses, ipModes, targets, protocols, families, features, annotations, other, callLimit);
    }

    /**
     * How many calls it takes at once, those of all classes and the list together. One that outlives its deadline in Berth's
     * own process counts until it has returned. Without a limit, Berth makes up to 16 at once for each class.
     *
     * @param most 1 to 100
     * @throws IllegalArgumentException if {@code most} is outside of that
     */
    public Capabilities withCallLimit(int most) {
        if (most < 1 || most > MOST_CALLS_AT_ONCE) {
            throw new IllegalArgumentException(
                    "a call limit is from 1 to " + MOST_CALLS_AT_ONCE + ", and this one is " + most);
        }
        return new Capabilities(
                addresses,
                ipModes,
                targets,
                protocols,
                families,
                features,
                annotations,
                immediate,
                OptionalInt.of(most));
    }

    /** Who chooses the address. */
    public AddressSource addresses() {
        return addresses;
    }

    /** How its packets may arrive; the first is what {@code ipMode: Auto} means. */
    public List<IpMode> ipModes() {
        return ipModes;
    }

    /** Where it sends packets. */
    public Targets targets() {
        return targets;
    }

    /** That it can carry. */
    public List<Protocol> protocols() {
        return protocols;
    }

    /** Of addresses that it can carry. */
    public List<Family> families() {
        return families;
    }

    /** What else it can do. */
    public List<Feature> features() {
        return features;
    }

    /** Names of the annotations that it reads, see {@link #withAnnotations}. */
    public List<String> annotations() {
        return annotations;
    }

    /** Whether its calls touch nothing outside Berth, see {@link #withImmediate}. */
    public boolean immediate() {
        return immediate;
    }

    /** How many calls it takes at once, see {@link #withCallLimit}; empty: it has no limit of its own. */
    public OptionalInt callLimit() {
        return callLimit;
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

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof Capabilities that && parts().equals(that.parts()));
    }

    @Override
    public int hashCode() {
        return parts().hashCode();
    }

    @Override
    public String toString() {
        return "Capabilities" + parts();
    }

    private List<Object> parts() {
        return List.of(addresses, ipModes, targets, protocols, families, features, annotations, immediate, callLimit);
    }
}
