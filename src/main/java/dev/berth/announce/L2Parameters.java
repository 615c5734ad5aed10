package dev.berth.announce;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The {@code parameters} of a LoadBalancerClass whose addresses are announced by ARP and NDP.
 *
 * @param interfaces names of interfaces, {@code *} for any letters; empty: the one whose network has the address
 * @param withoutEndpoints whether an address is announced also while no endpoint of its Services could answer
 */
public record L2Parameters(List<String> interfaces, boolean withoutEndpoints) {
    /** Of a class that has no parameters. */
    public static final L2Parameters DEFAULT = new L2Parameters(List.of(), false);

    private static final String INTERFACES = "interfaces";
    private static final String WITHOUT_ENDPOINTS = "withoutEndpoints";
    private static final List<String> KNOWN = List.of(INTERFACES, WITHOUT_ENDPOINTS);

    /** The kernel takes 15 bytes, and neither a slash nor white space; a colon would name a label. */
    private static final Pattern INTERFACE = Pattern.compile("[^\\s/:,]{1,15}");

    public L2Parameters {
        interfaces = List.copyOf(interfaces);
    }

    /**
     * Reads them; what is absent has its default.
     *
     * @throws IllegalArgumentException that names the first one that is unknown or cannot be read, and what it must be
     */
    public static L2Parameters of(Map<String, String> parameters) {
        parameters.keySet().stream()
                .filter(name -> !KNOWN.contains(name))
                .sorted()
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("parameter \"%s\" is unknown; provider \"l2\" knows %s"
                            .formatted(name, String.join(", ", KNOWN)));
                });
        return new L2Parameters(
                Optional.ofNullable(parameters.get(INTERFACES))
                        .map(L2Parameters::interfaces)
                        .orElse(List.of()),
                withoutEndpoints(parameters));
    }

    private static List<String> interfaces(String value) {
        List<String> names = Stream.of(value.split(",", -1)).map(String::strip).toList();
        names.stream()
                .filter(name -> !INTERFACE.matcher(name).matches())
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException(
                            "parameter \"%s\" is \"%s\", and \"%s\" names no interface; write"
                                            .formatted(INTERFACES, value, name)
                                    + " names separated by commas, like eth0 or bond*");
                });
        return names;
    }

    static boolean withoutEndpoints(Map<String, String> parameters) {
        String value = parameters.getOrDefault(WITHOUT_ENDPOINTS, "Withhold");
        return switch (value) {
            case "Withhold" -> false;
            case "Announce" -> true;
            default ->
                throw new IllegalArgumentException("parameter \"%s\" is \"%s\"; it must be Withhold or Announce"
                        .formatted(WITHOUT_ENDPOINTS, value));
        };
    }

    /** Whether an interface of this name may be used. */
    boolean allows(String name) {
        return interfaces.isEmpty() || names(name);
    }

    /** Whether the parameters name an interface of this name, by a pattern or itself. */
    public boolean names(String name) {
        return interfaces.stream().anyMatch(pattern -> matches(pattern, name));
    }

    /** Without regular expressions: this is asked for each address, node and interface. */
    private static boolean matches(String pattern, String name) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return pattern.equals(name);
        }
        String rest = pattern.substring(star + 1);
        return name.startsWith(pattern.substring(0, star))
                && IntStream.rangeClosed(star, name.length()).anyMatch(from -> matches(rest, name.substring(from)));
    }
}
