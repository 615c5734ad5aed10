package dev.berth.plan;

import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.Sharing;
import dev.berth.address.Wishes;
import dev.berth.provider.IpMode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a Service asks for by annotations and {@code spec.loadBalancerIP}. Pure.
 *
 * @param wishes what it asks for; nothing, where it cannot be understood
 * @param fault why it cannot be understood, in words; absent: it can
 * @param retain what it says about keeping its address; null: nothing
 */
public record AskedAddresses(
        Wishes wishes, Optional<WaitReason> fault, @Nullable Boolean retain) {
    private static final int LONGEST_KEY = 253;

    /** What cannot be understood: one sentence for people. */
    private static final class Misunderstood extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String reason;

        Misunderstood(String reason, String message) {
            super(message, null, false, false);
            this.reason = reason;
        }
    }

    /** Reads them; {@code ipMode} is that of its class. */
    public static AskedAddresses of(ServiceState service, IpMode ipMode) {
        try {
            Boolean retain = retain(service);
            Wishes wishes = new Wishes(
                    addresses(service), pools(service), sharing(service, ipMode), Boolean.TRUE.equals(retain));
            return new AskedAddresses(wishes, Optional.empty(), retain);
        } catch (Misunderstood what) {
            return new AskedAddresses(
                    Wishes.NONE, Optional.of(new WaitReason(what.reason, String.valueOf(what.getMessage()))), null);
        }
    }

    private static Optional<String> annotation(ServiceState service, String name) {
        return Optional.ofNullable(service.asked().annotations().get(name))
                .map(String::trim)
                .filter(text -> !text.isEmpty());
    }

    private static List<Ip> addresses(ServiceState service) {
        Optional<Set<Ip>> annotated =
                annotation(service, Marks.ADDRESSES).map(text -> read("annotation " + Marks.ADDRESSES, text));
        Optional<Set<Ip>> field =
                Optional.ofNullable(service.asked().loadBalancerIp()).map(text -> read("spec.loadBalancerIP", text));
        if (annotated.isPresent() && field.isPresent() && !annotated.get().equals(field.get())) {
            throw new Misunderstood(
                    "AddressesDiffer",
                    "annotation " + Marks.ADDRESSES
                            + " and spec.loadBalancerIP ask for different addresses; remove one of them");
        }
        List<Ip> asked = new ArrayList<>(annotated.or(() -> field).orElse(new LinkedHashSet<>()));
        for (IpFamily family : IpFamily.values()) {
            List<Ip> ofFamily =
                    asked.stream().filter(ip -> ip.family() == family).toList();
            if (ofFamily.size() > 1) {
                throw new Misunderstood(
                        "InvalidAddresses",
                        "it asks for " + ofFamily.get(0) + " and " + ofFamily.get(1)
                                + "; one address a family can be asked for");
            }
            if (!ofFamily.isEmpty() && !service.wantedFamilies().contains(family)) {
                throw new Misunderstood(
                        "AddressOfOtherFamily",
                        "it asks for " + ofFamily.getFirst() + ", but its ipFamilyPolicy and ipFamilies ask for no "
                                + family + " address");
            }
        }
        return asked;
    }

    private static Set<Ip> read(String where, String text) {
        Set<Ip> ips = new LinkedHashSet<>();
        for (String part : list(text).toList()) {
            try {
                ips.add(Ip.parse(part));
            } catch (IllegalArgumentException notAnAddress) {
                throw new Misunderstood("InvalidAddresses", where + ": " + notAnAddress.getMessage());
            }
        }
        return ips;
    }

    private static Stream<String> list(String text) {
        return Stream.of(text.split(",", -1)).map(String::trim).filter(part -> !part.isEmpty());
    }

    private static List<String> pools(ServiceState service) {
        return annotation(service, Marks.ADDRESS_POOL).stream()
                .flatMap(AskedAddresses::list)
                .distinct()
                .toList();
    }

    private static @Nullable Boolean retain(ServiceState service) {
        Optional<String> text = annotation(service, Marks.RETAIN);
        if (text.isEmpty()) {
            return null;
        }
        return switch (text.get()) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new Misunderstood(
                        "InvalidRetain",
                        "annotation " + Marks.RETAIN + ": \"" + text.get() + "\" is neither true nor false");
        };
    }

    private static @Nullable Sharing sharing(ServiceState service, IpMode ipMode) {
        Optional<String> key = annotation(service, Marks.SHARING_KEY);
        if (key.isEmpty()) {
            return null;
        }
        if (key.get().length() > LONGEST_KEY) {
            throw new Misunderstood(
                    "InvalidSharingKey",
                    "annotation " + Marks.SHARING_KEY + " is longer than " + LONGEST_KEY + " characters");
        }
        return new Sharing(
                key.get(),
                terms(service.asked(), ipMode),
                service.ports().stream()
                        .map(port -> new Sharing.Port(service.key(), port.protocol(), port.port()))
                        .toList());
    }

    /**
     * Packets for the Local policy go to nodes with an endpoint: two Services of one address that packets
     * arrive at have to have the same ones. A proxy tells them apart by port.
     */
    private static String terms(ServiceState.Asked asked, IpMode ipMode) {
        String terms = "ipMode " + ipMode + ", externalTrafficPolicy " + (asked.localTraffic() ? "Local" : "Cluster");
        return asked.localTraffic() && ipMode == IpMode.VIP
                ? terms + ", selector " + new TreeMap<>(asked.selector())
                : terms;
    }
}
