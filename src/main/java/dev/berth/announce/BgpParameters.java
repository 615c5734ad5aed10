package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Selector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The {@code parameters} of a LoadBalancerClass whose addresses are announced by BGP.
 *
 * @param peers names of BGPPeers; empty: any
 * @param peerSelector labels of BGPPeers
 * @param communities of each route, in their order
 * @param localPref LOCAL_PREF, for peers of the own autonomous system; absent: 100
 * @param lengths of the network that is announced in place of an address, by its family; absent: the address alone is
 * @param withoutEndpoints whether an address is announced also while no endpoint of its Services could answer
 */
public record BgpParameters(
        List<String> peers,
        Selector peerSelector,
        List<Community> communities,
        Optional<Long> localPref,
        SequencedMap<IpFamily, Integer> lengths,
        boolean withoutEndpoints) {
    /** Of a class that has no parameters. */
    public static final BgpParameters DEFAULT =
            new BgpParameters(List.of(), Selector.EVERYTHING, List.of(), Optional.empty(), new TreeMap<>(), false);

    private static final String PEERS = "peers";
    private static final String PEER_SELECTOR = "peerSelector";
    private static final String COMMUNITIES = "communities";
    private static final String LOCAL_PREF = "localPref";
    private static final String AGGREGATION_LENGTH = "aggregationLength";
    private static final String AGGREGATION_LENGTH_V6 = "aggregationLengthV6";
    private static final String WITHOUT_ENDPOINTS = "withoutEndpoints";
    private static final List<String> KNOWN = List.of(
            AGGREGATION_LENGTH,
            AGGREGATION_LENGTH_V6,
            COMMUNITIES,
            LOCAL_PREF,
            PEER_SELECTOR,
            PEERS,
            WITHOUT_ENDPOINTS);

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern LABEL = Pattern.compile("([^=\\s,]{1,317})=([^=\\s,]{0,63})");
    private static final long LARGEST = 0xFFFF_FFFFL;

    public BgpParameters {
        peers = List.copyOf(peers);
        communities = List.copyOf(communities);
        lengths = Collections.unmodifiableSequencedMap(new TreeMap<>(lengths));
    }

    /**
     * Reads them; what is absent has its default.
     *
     * @throws IllegalArgumentException that names the first one that is unknown or cannot be read, and what it must be
     */
    public static BgpParameters of(Map<String, String> parameters) {
        parameters.keySet().stream()
                .filter(name -> !KNOWN.contains(name))
                .sorted()
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("parameter \"%s\" is unknown; provider \"bgp\" knows %s"
                            .formatted(name, String.join(", ", KNOWN)));
                });
        return new BgpParameters(
                list(
                        parameters,
                        PEERS,
                        name -> NAME.matcher(name).matches() ? Optional.of(name) : Optional.empty(),
                        "is not a name of a BGPPeer; write names separated by commas"),
                new Selector(list(
                        parameters,
                        PEER_SELECTOR,
                        BgpParameters::requirement,
                        "is not a label; write labels separated by commas, like rack=a,site=west")),
                list(
                        parameters,
                        COMMUNITIES,
                        Community::find,
                        "is not a community; write them separated by commas, like 64512:100, 64512:1:100 or no-export"),
                Optional.ofNullable(parameters.get(LOCAL_PREF)).map(value -> number(LOCAL_PREF, value, 0, LARGEST)),
                lengths(parameters),
                L2Parameters.withoutEndpoints(parameters));
    }

    private interface Reading<T> {
        /** Absent: it cannot be read. */
        Optional<T> find(String text);
    }

    private static <T> List<T> list(Map<String, String> parameters, String name, Reading<T> reading, String fault) {
        String value = parameters.get(name);
        List<T> all = new ArrayList<>();
        if (value != null) {
            Stream.of(value.split(",", -1))
                    .map(String::strip)
                    .forEach(text -> all.add(reading.find(text)
                            .orElseThrow(() -> new IllegalArgumentException(
                                    "parameter \"%s\" is \"%s\", and \"%s\" %s".formatted(name, value, text, fault)))));
        }
        return all;
    }

    private static Optional<Selector.Requirement> requirement(String text) {
        return Optional.of(LABEL.matcher(text))
                .filter(java.util.regex.Matcher::matches)
                .map(label -> new Selector.Requirement(label.group(1), Selector.Operator.IN, List.of(label.group(2))));
    }

    private static SequencedMap<IpFamily, Integer> lengths(Map<String, String> parameters) {
        SequencedMap<IpFamily, Integer> lengths = new TreeMap<>();
        for (IpFamily family : IpFamily.values()) {
            String name = family == IpFamily.IPV4 ? AGGREGATION_LENGTH : AGGREGATION_LENGTH_V6;
            String value = parameters.get(name);
            if (value != null) {
                lengths.put(family, (int) number(name, value, 1, Prefix.longest(family)));
            }
        }
        return lengths;
    }

    private static long number(String name, String value, long lowest, long highest) {
        return Optional.of(value)
                .filter(text -> text.matches("[0-9]{1,10}"))
                .map(Long::valueOf)
                .filter(number -> number >= lowest && number <= highest)
                .orElseThrow(() ->
                        new IllegalArgumentException("parameter \"%s\" is \"%s\"; it must be a number from %d to %d"
                                .formatted(name, value, lowest, highest)));
    }

    /** What is announced of an address. */
    Prefix prefix(Ip address) {
        Integer length = lengths.get(address.family());
        return length == null ? Prefix.of(address) : Prefix.of(address, length);
    }

    /** Whether addresses of the class are announced to a peer. */
    boolean allows(BgpPeer peer) {
        return (peers.isEmpty() || peers.contains(peer.name())) && peerSelector.matches(peer.labels());
    }
}
