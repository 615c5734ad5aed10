package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a Service asks for by annotations and {@code spec.loadBalancerIP}. Pure.
 *
 * <p>Where it says a thing in Berth's own words, what it says of that in others' does not count.
 *
 * @param constraints what it asks for; nothing, where it cannot be understood
 * @param fault why it cannot be understood, in words; absent: it can
 * @param retain what it says about keeping its address; null: nothing
 */
public record AddressAnnotations(
        AddressConstraints constraints,
        Optional<WaitReason> fault,
        @Nullable Boolean retain) {
    private static final int LONGEST_KEY = 253;
    private static final String SPEC_FIELD = "spec.loadBalancerIP";
    private static final List<String> UNSPECIFIED = List.of("0.0.0.0", "::");

    /** What cannot be understood: one human-readable sentence. */
    private static final class Misunderstood extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Reason reason;

        Misunderstood(Reason reason, String message) {
            super(message, null, false, false);
            this.reason = reason;
        }
    }

    /** What was said where, human-readable: {@code annotation metallb.io/address-pool}. */
    private record Setting<T>(String where, T what) {}

    /**
     * Reads them.
     *
     * @param ipMode that of its class
     * @param migrationSources whose annotations count besides Berth's own
     */
    public static AddressAnnotations of(
            ServiceState service, IpMode ipMode, List<ForeignAnnotations> migrationSources) {
        try {
            Boolean retain = retain(service);
            refuseUnreadable(annotation(service, WellKnownNames.REPLACE_ADDRESS));
            AddressConstraints constraints = new AddressConstraints(
                    addresses(service, migrationSources),
                    pools(service, migrationSources),
                    sharing(service, ipMode, migrationSources),
                    Boolean.TRUE.equals(retain));
            return new AddressAnnotations(constraints, Optional.empty(), retain);
        } catch (Misunderstood what) {
            return new AddressAnnotations(
                    AddressConstraints.NONE,
                    Optional.of(new WaitReason(what.reason, what.getMessage() + WellKnownNames.ANNOTATIONS_PAGE)),
                    null);
        }
    }

    private static Optional<String> annotation(ServiceState service, String name) {
        return Optional.ofNullable(service.asked().annotations().get(name))
                .map(String::trim)
                .filter(text -> !text.isEmpty());
    }

    /** What the Service says in the words of the sources, one of each that it speaks. */
    private static List<Setting<String>> foreign(
            ServiceState service,
            List<ForeignAnnotations> migrationSources,
            Function<ForeignAnnotations, List<String>> names) {
        if (migrationSources.isEmpty()) {
            return List.of();
        }
        return migrationSources.stream()
                .flatMap(source -> names.apply(source).stream()
                        .flatMap(name ->
                                annotation(service, name)
                                        .map(text -> new Setting<>("annotation " + name, text))
                                        .stream())
                        .limit(1))
                .toList();
    }

    /** The one thing that is said, or the first where all say the same; null: nothing is. */
    private static <T> @Nullable T agreed(List<Setting<T>> all, Reason reason, String what) {
        for (Setting<T> said : all) {
            if (!said.what().equals(all.getFirst().what())) {
                throw new Misunderstood(
                        reason,
                        all.getFirst().where() + " and " + said.where() + " request different " + what
                                + "; remove one of them");
            }
        }
        return all.isEmpty() ? null : all.getFirst().what();
    }

    private static List<Ip> addresses(ServiceState service, List<ForeignAnnotations> migrationSources) {
        Optional<Setting<String>> own = annotation(service, WellKnownNames.ADDRESSES)
                .map(text -> new Setting<>("annotation " + WellKnownNames.ADDRESSES, text));
        Optional<Setting<String>> field =
                Optional.ofNullable(service.asked().loadBalancerIp()).map(text -> new Setting<>(SPEC_FIELD, text));
        List<Setting<String>> foreign =
                own.isPresent() ? List.of() : foreign(service, migrationSources, source -> source.addresses());
        if (own.isEmpty()) {
            refuseDhcp(service, migrationSources, field);
        }
        List<Setting<Set<Ip>>> all = new ArrayList<>();
        own.ifPresent(said -> all.add(read(said)));
        foreign.forEach(said -> all.add(read(said)));
        field.ifPresent(said -> all.add(read(said)));
        return all.isEmpty() ? List.of() : onePerFamily(service, combined(all));
    }

    /**
     * What all ask for together: one names an address of one family here and of the other there, or the first of
     * two in {@code spec.loadBalancerIP}.
     */
    private static Set<Ip> combined(List<Setting<Set<Ip>>> all) {
        Set<Ip> together = new LinkedHashSet<>();
        for (IpFamily family : IpFamily.values()) {
            List<Setting<Set<Ip>>> ofFamily = all.stream()
                    .map(said -> new Setting<>(said.where(), ofFamily(said.what(), family)))
                    .filter(said -> !said.what().isEmpty())
                    .toList();
            Set<Ip> ips = agreed(ofFamily, Reason.AddressesDiffer, "addresses");
            if (ips != null) {
                together.addAll(ips);
            }
        }
        return together;
    }

    private static Set<Ip> ofFamily(Set<Ip> ips, IpFamily family) {
        Set<Ip> some = new LinkedHashSet<>(ips);
        some.removeIf(ip -> ip.family() != family);
        return some;
    }

    private static void refuseDhcp(
            ServiceState service, List<ForeignAnnotations> migrationSources, Optional<Setting<String>> field) {
        for (ForeignAnnotations source : migrationSources) {
            if (source.unspecifiedIsDhcp()) {
                Stream.concat(foreign(service, List.of(source), each -> each.addresses()).stream(), field.stream())
                        .filter(said -> list(said.what()).anyMatch(UNSPECIFIED::contains))
                        .findFirst()
                        .ifPresent(said -> {
                            throw new Misunderstood(
                                    Reason.DHCPNotSupported,
                                    said.where() + " is \"" + said.what() + "\", by which " + source.controller()
                                            + " asks a DHCP server; Berth allocates addresses from AddressPools:"
                                            + " remove it, or request an address with annotation "
                                            + WellKnownNames.ADDRESSES);
                        });
            }
        }
    }

    private static List<Ip> onePerFamily(ServiceState service, Set<Ip> ips) {
        List<Ip> asked = new ArrayList<>(ips);
        for (IpFamily family : IpFamily.values()) {
            List<Ip> ofFamily =
                    asked.stream().filter(ip -> ip.family() == family).toList();
            if (ofFamily.size() > 1) {
                throw new Misunderstood(
                        Reason.InvalidAddresses,
                        ofFamily.get(0) + " and " + ofFamily.get(1)
                                + " requested; at most one address per family is allowed");
            }
            if (!ofFamily.isEmpty() && !service.wantedFamilies().contains(family)) {
                throw new Misunderstood(
                        Reason.AddressOfOtherFamily,
                        ofFamily.getFirst() + " requested, but the Service's ipFamilyPolicy and ipFamilies do not"
                                + " include " + family);
            }
        }
        return asked;
    }

    private static Setting<Set<Ip>> read(Setting<String> said) {
        Set<Ip> ips = new LinkedHashSet<>();
        for (String part : list(said.what()).toList()) {
            try {
                ips.add(Ip.parse(part));
            } catch (IllegalArgumentException notAnAddress) {
                throw new Misunderstood(Reason.InvalidAddresses, said.where() + ": " + notAnAddress.getMessage());
            }
        }
        return new Setting<>(said.where(), ips);
    }

    private static Stream<String> list(String text) {
        return Stream.of(text.split(",", -1)).map(String::trim).filter(part -> !part.isEmpty());
    }

    private static List<String> pools(ServiceState service, List<ForeignAnnotations> migrationSources) {
        List<Setting<List<String>>> said = new ArrayList<>();
        annotation(service, WellKnownNames.ADDRESS_POOL)
                .map(text -> List.of(new Setting<>("annotation " + WellKnownNames.ADDRESS_POOL, text)))
                .orElseGet(() -> foreign(service, migrationSources, source -> source.pools()))
                .forEach(each -> said.add(
                        new Setting<>(each.where(), list(each.what()).distinct().toList())));
        List<String> pools = agreed(said, Reason.PoolsDiffer, "pools");
        return pools == null ? List.of() : pools;
    }

    /** What is given up is asked of {@link ServiceState#givesUp}. */
    private static void refuseUnreadable(Optional<String> replaced) {
        replaced.flatMap(text ->
                        list(text).filter(part -> Ip.find(part).isEmpty()).findFirst())
                .ifPresent(part -> {
                    throw new Misunderstood(
                            Reason.InvalidReplaceAddress,
                            "annotation " + WellKnownNames.REPLACE_ADDRESS + ": \"" + OneLine.of(part, LONGEST_KEY)
                                    + "\" is not an IP address; list the addresses to give up");
                });
    }

    private static @Nullable Boolean retain(ServiceState service) {
        Optional<String> text = annotation(service, WellKnownNames.RETAIN);
        if (text.isEmpty()) {
            return null;
        }
        return switch (text.get()) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new Misunderstood(
                        Reason.InvalidRetain,
                        "annotation " + WellKnownNames.RETAIN + ": \"" + text.get() + "\" is neither true nor false");
        };
    }

    private static @Nullable Sharing sharing(
            ServiceState service, IpMode ipMode, List<ForeignAnnotations> migrationSources) {
        List<Setting<String>> said = annotation(service, WellKnownNames.SHARING_KEY)
                .map(text -> List.of(new Setting<>("annotation " + WellKnownNames.SHARING_KEY, text)))
                .orElseGet(() -> foreign(service, migrationSources, source -> source.sharingKeys()));
        String key = agreed(said, Reason.SharingKeysDiffer, "sharing keys");
        if (key == null) {
            return null;
        }
        if (key.length() > LONGEST_KEY) {
            throw new Misunderstood(
                    Reason.InvalidSharingKey,
                    said.getFirst().where() + " is longer than " + LONGEST_KEY + " characters");
        }
        return new Sharing(
                key,
                terms(service.asked(), ipMode),
                service.ports().stream()
                        .map(port ->
                                new Sharing.Port(service.key(), port.protocol().name(), port.port()))
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
