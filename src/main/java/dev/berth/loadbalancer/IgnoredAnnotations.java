package dev.berth.loadbalancer;

import dev.berth.provider.Capabilities;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The annotations of a Service that look as if they asked Berth for something, and are not read: misspelt ones, those of
 * other kinds, and those of other controllers whose Services are not taken over. Pure.
 */
final class IgnoredAnnotations {
    private static final String PREFIX = "berth.dev/";

    /** How many are named in a sentence. */
    private static final int NAMED = 3;

    private static final int LONGEST_NAME = 320;

    /** That people write on Services. */
    private static final List<String> ASKED_BY = List.of(
            WellKnownNames.ADDRESSES,
            WellKnownNames.ADDRESS_POOL,
            WellKnownNames.SHARING_KEY,
            WellKnownNames.RETAIN,
            WellKnownNames.REPLACE_ADDRESS);

    /** That Berth writes on Services. */
    private static final List<String> WRITTEN =
            List.of(WellKnownNames.SERVED_BY_CLASS, WellKnownNames.NODE_PORTS_RELEASED);

    private static final String NO_CROSSING =
            "belongs to cilium and is not read: Services share an address within one namespace";

    private static final Map<String, String> OF_OTHER_KINDS =
            Map.of(WellKnownNames.RELEASE_STRANDED, "AddressPools", "berth.dev/retire", "ServiceCIDRs");

    /** Of other controllers, for what cannot be asked of Berth. */
    private static final Map<String, String> WITHOUT_EQUAL = Map.of(
            "lbipam.cilium.io/sharing-cross-namespace",
            NO_CROSSING,
            "io.cilium/lb-ipam-sharing-cross-namespace",
            NO_CROSSING);

    private IgnoredAnnotations() {}

    private record Ignored(Reason reason, String clause) {}

    /**
     * One thing that can be asked for.
     *
     * @param names of the annotations of another controller
     * @param ours the one of Berth's own
     */
    private record Thing(List<String> names, String ours) {
        static Stream<Thing> all(ForeignAnnotations source) {
            return Stream.of(
                    new Thing(source.addresses(), WellKnownNames.ADDRESSES),
                    new Thing(source.pools(), WellKnownNames.ADDRESS_POOL),
                    new Thing(source.sharingKeys(), WellKnownNames.SHARING_KEY));
        }
    }

    /**
     * All of them in one sentence; absent: there are none.
     *
     * @param can what the provider of its class reads is not ignored
     * @param sources that are read besides Berth's own
     */
    static Optional<WaitReason> of(ServiceState service, Capabilities can, List<ForeignAnnotations> sources) {
        if (service.asked().annotations().isEmpty()) {
            return Optional.empty();
        }
        List<Ignored> all = Stream.concat(
                        service.asked().annotations().keySet().stream()
                                .filter(name -> !can.reads(name))
                                .sorted()
                                .flatMap(name -> Stream.concat(unknown(name).stream(), withoutEqual(name).stream())),
                        ForeignAnnotations.KNOWN.stream()
                                .filter(source -> !sources.contains(source))
                                .flatMap(source -> foreign(service, can, source)))
                .toList();
        int more = all.size() - NAMED;
        return all.stream()
                .findFirst()
                .map(first -> new WaitReason(
                        first.reason(),
                        all.stream().limit(NAMED).map(Ignored::clause).collect(Collectors.joining("; "))
                                + (more > 0 ? "; and " + more + " more" : "")
                                + WellKnownNames.ANNOTATIONS_PAGE));
    }

    private static Optional<Ignored> unknown(String name) {
        if (ASKED_BY.contains(name) || WRITTEN.contains(name)) {
            return Optional.empty();
        }
        int slash = name.indexOf('/') + 1;
        boolean isOurs = name.startsWith(PREFIX);
        if (!isOurs && !Spelling.isNear(name.substring(0, slash), PREFIX)) {
            return Optional.empty();
        }
        String word = name.substring(slash);
        Optional<String> meant = near(word);
        if (!isOurs && meant.isEmpty()) {
            // The prefix may be anybody's.
            return Optional.empty();
        }
        String what = Optional.ofNullable(OF_OTHER_KINDS.get(name))
                .map(kind -> "is for " + kind + ", and does nothing on a Service")
                .or(() -> meant.or(() -> byAnothersName(word))
                        .or(() -> byOneWord(word))
                        .map(ours -> "is not known; did you mean " + ours + "?"))
                .orElseGet(() -> "is not known; those that are: " + String.join(", ", ASKED_BY));
        return Optional.of(
                new Ignored(Reason.UnknownAnnotation, "annotation " + OneLine.of(name, LONGEST_NAME) + " " + what));
    }

    private static Optional<Ignored> withoutEqual(String name) {
        return Optional.ofNullable(WITHOUT_EQUAL.get(name))
                .map(what -> new Ignored(Reason.AnnotationOfOtherController, "annotation " + name + " " + what));
    }

    private static Optional<String> near(String word) {
        return Spelling.nearest(
                        word,
                        ASKED_BY.stream()
                                .map(name -> name.substring(PREFIX.length()))
                                .toList())
                .map(PREFIX::concat);
    }

    /** {@code allow-shared-ip}, as MetalLB calls it. */
    private static Optional<String> byAnothersName(String word) {
        return ForeignAnnotations.KNOWN.stream()
                .flatMap(Thing::all)
                .filter(thing -> thing.names().stream().anyMatch(name -> name.endsWith("/" + word)))
                .map(Thing::ours)
                .findFirst();
    }

    /** {@code pool}. */
    private static Optional<String> byOneWord(String word) {
        return ASKED_BY.stream()
                .filter(name ->
                        List.of(name.substring(PREFIX.length()).split("-")).contains(word))
                .findFirst();
    }

    private static Stream<Ignored> foreign(ServiceState service, Capabilities can, ForeignAnnotations source) {
        Map<String, String> annotations = service.asked().annotations();
        return Thing.all(source)
                .filter(thing -> isBlank(annotations.get(thing.ours())))
                .flatMap(thing -> thing.names().stream()
                        .filter(name -> !isBlank(annotations.get(name)) && !can.reads(name))
                        .map(name -> new Ignored(
                                Reason.AnnotationOfOtherController,
                                "annotation " + name + " belongs to " + source.controller() + " and is not read; use "
                                        + thing.ours() + ", or start Berth with --migrate-from="
                                        + source.controller())));
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }
}
