package dev.berth.migration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An L2Advertisement or BGPAdvertisement of MetalLB, which becomes a LoadBalancerClass.
 *
 * @param kind one of the two
 * @param pools all IPAddressPools
 */
record MetalLbAdvertisement(MetalLbKind kind, Foreign advertisement, List<Foreign> pools) {
    private static final List<String> KNOWN = List.of(
            "aggregationLength",
            "aggregationLengthV6",
            "communities",
            "interfaces",
            "ipAddressPoolSelectors",
            "ipAddressPools",
            "localPref",
            "nodeSelectors",
            "peers",
            "serviceSelectors");
    private static final Pattern COMMUNITY = Pattern.compile("[0-9]{1,10}:[0-9]{1,10}(:[0-9]{1,10})?");
    private static final String LARGE = "large:";

    String origin() {
        return "%s \"%s\"".formatted(kind.kind(), advertisement.name());
    }

    private String provider() {
        return kind == MetalLbKind.L2_ADVERTISEMENT ? "l2" : "bgp";
    }

    /** No other's: it has a suffix by its kind. */
    String className() {
        return advertisement.name() + "-" + provider();
    }

    private boolean isForAllPools() {
        return !advertisement.says("ipAddressPools") && !advertisement.says("ipAddressPoolSelectors");
    }

    /** The names of the pools that it names or selects. */
    private List<String> named() {
        return Stream.concat(
                        advertisement.texts("ipAddressPools").stream(),
                        pools.stream()
                                .filter(pool -> advertisement
                                        .elements("ipAddressPoolSelectors")
                                        .anyMatch(pool::isSelectedBy))
                                .map(Foreign::name))
                .distinct()
                .toList();
    }

    boolean isFor(String pool) {
        return isForAllPools() || named().contains(pool);
    }

    /**
     * The class.
     *
     * @param peers what becomes of each BGPPeer, by name
     * @param communities by the names that Community objects give them
     */
    Exported export(SequencedMap<String, List<String>> peers, Map<String, String> communities) {
        List<String> notes = new ArrayList<>();
        ObjectNode object = Foreign.ours("LoadBalancerClass", className());
        ObjectNode spec = object.putObject("spec");
        spec.put("loadBalancerClass", "berth.dev/" + className());
        spec.put("provider", provider());
        if (!isForAllPools()) {
            if (named().isEmpty()) {
                return none("its selectors match no IPAddressPool");
            }
            ArrayNode names = spec.putArray("pools");
            named().forEach(names::add);
        }
        ObjectNode parameters = spec.objectNode();
        if (kind == MetalLbKind.L2_ADVERTISEMENT) {
            List<String> interfaces = advertisement.texts("interfaces");
            put(parameters, "interfaces", interfaces);
            if (interfaces.isEmpty()) {
                notes.add(
                        "without interfaces MetalLB answers on each; Berth answers on the one whose subnet has the address. For a"
                                + " pool outside of all subnets, add the parameter interfaces");
            }
        } else {
            List<String> named = advertisement.texts("peers");
            List<String> known = named.stream()
                    .flatMap(peer -> peers.getOrDefault(peer, List.of()).stream())
                    .toList();
            named.stream()
                    .filter(peer -> peers.getOrDefault(peer, List.of()).isEmpty())
                    .forEach(peer ->
                            notes.add("peer \"%s\" is left out: there is no such BGPPeer, or it was not exported"
                                    .formatted(peer)));
            if (known.isEmpty() && !named.isEmpty()) {
                return none("none of its peers was exported");
            }
            put(parameters, "peers", known);
            put(parameters, "communities", communities(communities, notes));
            advertisement
                    .number("localPref")
                    .ifPresent(preference -> parameters.put("localPref", preference.toString()));
            aggregation("aggregationLength", 32, parameters);
            aggregation("aggregationLengthV6", 128, parameters);
        }
        if (!parameters.isEmpty()) {
            spec.set("parameters", parameters);
        }
        if (advertisement.elements("nodeSelectors").anyMatch(selector -> !selector.isEmpty())) {
            notes.add(
                    "nodeSelectors has no counterpart: each node that can deliver announces, but those that are labelled"
                            + " node.kubernetes.io/exclude-from-external-load-balancers");
        }
        if (advertisement.says("serviceSelectors")) {
            notes.add("serviceSelectors has no counterpart: a Service chooses by spec.loadBalancerClass");
        }
        notes.addAll(advertisement.unknown(KNOWN));
        return new Exported(origin(), List.of(object), notes);
    }

    private Exported none(String why) {
        return new Exported(origin(), List.of(), List.of("not exported: " + why));
    }

    private static void put(ObjectNode parameters, String name, List<String> values) {
        if (!values.isEmpty()) {
            parameters.put(name, String.join(",", values));
        }
    }

    private List<String> communities(Map<String, String> byName, List<String> notes) {
        return advertisement.texts("communities").stream()
                .flatMap(text -> {
                    String value = byName.getOrDefault(text, text);
                    Optional<String> community = Optional.of(
                                    value.startsWith(LARGE) ? value.substring(LARGE.length()) : value)
                            .filter(number -> COMMUNITY.matcher(number).matches());
                    if (community.isEmpty()) {
                        notes.add("community \"%s\" is left out: it is not a number, and no Community has that name"
                                .formatted(text));
                    }
                    return community.stream();
                })
                .toList();
    }

    private void aggregation(String field, long whole, ObjectNode parameters) {
        advertisement
                .number(field)
                .filter(length -> length != whole)
                .ifPresent(length -> parameters.put(field, length.toString()));
    }
}
