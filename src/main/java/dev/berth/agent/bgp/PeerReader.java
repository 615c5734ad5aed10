package dev.berth.agent.bgp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.announce.BgpPeer;
import dev.berth.announce.ReadPeer;
import dev.berth.duration.DurationText;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Selector;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads BGPPeer objects. Their schema may be another than ours: any content is understood, or said to be none. */
public final class PeerReader {
    /** What Linux takes, and what a link-local address is written with. */
    private static final Pattern INTERFACE = Pattern.compile("[^\\s/%:]{1,15}");

    private PeerReader() {}

    /** What cannot be read; its message is a sentence without an end. */
    private static final class Fault extends Exception {
        private static final long serialVersionUID = 1;

        Fault(String message) {
            super(message);
        }
    }

    /** The peer that an object is, or why it is none. */
    public static ReadPeer read(JsonNode object) {
        String name = object.path("metadata").path("name").asText("");
        String created = object.path("metadata").path("creationTimestamp").asText("");
        try {
            return ReadPeer.of(peer(name, created, object));
        } catch (Fault fault) {
            return new ReadPeer(name, created, Optional.empty(), String.valueOf(fault.getMessage()));
        }
    }

    private static BgpPeer peer(String name, String created, JsonNode object) throws Fault {
        JsonNode spec = object.path("spec");
        SequencedMap<String, String> labels = new TreeMap<>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText("")));
        Optional<Ip> source = ip(spec, "sourceAddress");
        BgpPeer.Router router = router(spec, source);
        int multihop = (int) number(spec, "ebgpMultihop", 0, 0, 255);
        return new BgpPeer(
                name,
                created,
                labels,
                router,
                (int) number(spec, "peerPort", 179, 1, 65535),
                number(spec, "peerASN", 0, 1, BgpPeer.HIGHEST_ASN),
                number(spec, "myASN", 0, 1, BgpPeer.HIGHEST_ASN),
                Optional.of(spec.path("passwordSecret").path("name").asText("")).filter(secret -> !secret.isEmpty()),
                selector(spec.path("nodeSelector")),
                new BgpPeer.Timers(
                        seconds(spec, "holdTime", 90, 3, 65535),
                        seconds(spec, "keepaliveTime", 30, 1, 21845),
                        seconds(spec, "connectRetryTime", 5, 2, 3600)),
                multihop == 0 ? Optional.empty() : Optional.of(multihop),
                families(spec.path("families")),
                seconds(spec, "gracefulRestartTime", 30, 0, 4095),
                source,
                router instanceof BgpPeer.Router.OnInterface || hasIpv6NextHops(spec.path("ipv4NextHop")));
    }

    private static BgpPeer.Router router(JsonNode spec, Optional<Ip> source) throws Fault {
        Optional<Ip> address = ip(spec, "peerAddress");
        String name = spec.path("peerInterface").asText("");
        if (name.isEmpty()) {
            Ip at = address.orElseThrow(() -> new Fault("peerAddress is missing, and so is peerInterface"));
            checkRouter(at);
            if (source.isPresent() && source.get().family() != at.family()) {
                throw new Fault("sourceAddress %s and peerAddress %s must be of the same IP family"
                        .formatted(source.get(), at));
            }
            return new BgpPeer.Router.AtAddress(at);
        }
        if (address.isPresent()) {
            throw new Fault(
                    "it has both peerAddress %s and peerInterface %s; leave one out".formatted(address.get(), name));
        }
        if (source.isPresent() || spec.path("ebgpMultihop").isNumber()) {
            throw new Fault("sourceAddress and ebgpMultihop cannot be used with peerInterface");
        }
        if (!INTERFACE.matcher(name).matches()) {
            throw new Fault(
                    "peerInterface is %s; it must be the name of an interface".formatted(spec.path("peerInterface")));
        }
        return new BgpPeer.Router.OnInterface(name);
    }

    private static void checkRouter(Ip address) throws Fault {
        InetAddress inet = InetAddress.ofLiteral(address.toString());
        if (inet instanceof Inet6Address && inet.isLinkLocalAddress()) {
            throw new Fault("peerAddress %s is a link-local address; write the interface as peerInterface instead"
                    .formatted(address));
        }
        if (inet.isAnyLocalAddress() || inet.isMulticastAddress()) {
            throw new Fault("peerAddress %s is not the address of one router".formatted(address));
        }
    }

    private static Optional<Ip> ip(JsonNode spec, String field) throws Fault {
        JsonNode value = spec.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        return Optional.of(Ip.find(value.asText(""))
                .orElseThrow(() -> new Fault("%s is %s; it must be an IP address".formatted(field, value))));
    }

    /** What is absent has the default, which is no number that is allowed where there is none. */
    private static long number(JsonNode spec, String field, long byDefault, long lowest, long highest) throws Fault {
        JsonNode value = spec.path(field);
        boolean isAbsent = value.isMissingNode() || value.isNull();
        long number = isAbsent ? byDefault : value.asLong(-1);
        if ((!isAbsent && !value.canConvertToLong()) || number < lowest || number > highest) {
            throw new Fault("%s is %s; it must be a number from %d to %d"
                    .formatted(field, isAbsent ? "missing" : value, lowest, highest));
        }
        return number;
    }

    /** A duration, in seconds; what is absent has the default. */
    private static int seconds(JsonNode spec, String field, int byDefault, int lowest, int highest) throws Fault {
        JsonNode value = spec.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return byDefault;
        }
        return (int) DurationText.parse(value.asText(""))
                .filter(duration -> duration.toMillis() % 1000 == 0)
                .map(Duration::toSeconds)
                .filter(seconds -> seconds >= lowest && seconds <= highest)
                .orElseThrow(() -> new Fault("%s is %s; it must be a duration of whole seconds from %ds to %ds"
                        .formatted(field, value, lowest, highest)))
                .longValue();
    }

    private static boolean hasIpv6NextHops(JsonNode given) throws Fault {
        return switch (given.asText("")) {
            case "", "IPv4" -> false;
            case "IPv6" -> true;
            default -> throw new Fault("ipv4NextHop is %s; it must be IPv4 or IPv6".formatted(given));
        };
    }

    private static List<IpFamily> families(JsonNode given) throws Fault {
        if (given.isMissingNode() || given.isNull()) {
            return List.of(IpFamily.values());
        }
        List<IpFamily> families = new ArrayList<>();
        for (JsonNode one : given) {
            try {
                families.add(IpFamily.of(one.asText("")));
            } catch (IllegalArgumentException unknown) {
                throw new Fault("families has %s; it must be IPv4 or IPv6".formatted(one));
            }
        }
        if (families.isEmpty()) {
            throw new Fault("families is empty; leave it out, or name IPv4 or IPv6");
        }
        return families.stream().distinct().toList();
    }

    private static Selector selector(JsonNode given) throws Fault {
        List<Selector.Requirement> requirements = new ArrayList<>();
        given.path("matchLabels")
                .properties()
                .forEach(label -> requirements.add(new Selector.Requirement(
                        label.getKey(),
                        Selector.Operator.IN,
                        List.of(label.getValue().asText("")))));
        for (JsonNode one : given.path("matchExpressions")) {
            String operator = one.path("operator").asText("");
            requirements.add(new Selector.Requirement(
                    one.path("key").asText(""),
                    switch (operator) {
                        case "In" -> Selector.Operator.IN;
                        case "NotIn" -> Selector.Operator.NOT_IN;
                        case "Exists" -> Selector.Operator.EXISTS;
                        case "DoesNotExist" -> Selector.Operator.DOES_NOT_EXIST;
                        default ->
                            throw new Fault(
                                    "nodeSelector has operator \"%s\"; it must be In, NotIn, Exists or DoesNotExist"
                                            .formatted(operator));
                    },
                    one.path("values")
                            .valueStream()
                            .map(value -> value.asText(""))
                            .toList()));
        }
        return new Selector(requirements);
    }
}
