package dev.berth.claim;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * On what terms Services of one namespace share an address.
 *
 * @param key what they call it, by annotation
 * @param terms what has to be the same for all of them, as one text of bounded length: mode, traffic policy, and
 *     where it matters the selector
 * @param ports which port is whose, the earlier ones first
 */
public record Sharing(String key, String terms, List<Port> ports) {
    /** Of terms that are longer, so many characters stay, and a digest stands for the rest. */
    private static final int LONGEST_TERMS = 512;

    private static final int KEPT_OF_TERMS = 256;

    /** Terms that are too long to be kept are shortened, whether they are asked for or were kept whole once. */
    public Sharing {
        terms = bounded(terms);
        ports = List.copyOf(ports);
    }

    private static String bounded(String terms) {
        return terms.length() <= LONGEST_TERMS
                ? terms
                : terms.substring(0, KEPT_OF_TERMS) + "... (sha256 " + digest(terms) + ")";
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    /**
     * One port in use.
     *
     * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
     * @param port 1 to 65535
     */
    public record Port(ServiceKey service, String protocol, int port) {
        boolean clashesWith(Port other) {
            return !service.equals(other.service) && port == other.port && protocol.equals(other.protocol);
        }

        @Override
        public String toString() {
            return protocol + "/" + port;
        }
    }

    /** A port of {@code joining} that another Service has here already; absent: there is room for all. */
    public Optional<Port> clash(Collection<Port> joining) {
        return ports.stream()
                .filter(taken -> joining.stream().anyMatch(taken::clashesWith))
                .findFirst();
    }

    /** Whether one who asks for {@code joining} may come in. */
    public boolean admits(Sharing joining) {
        return key.equals(joining.key)
                && terms.equals(joining.terms)
                && clash(joining.ports).isEmpty();
    }

    /**
     * The same with {@code joining}'s ports for its Services; the ports that these had before and ask for no
     * more are theirs no more. What stays keeps its place: it is whose it was first.
     */
    Sharing with(Sharing joining) {
        List<Port> all = new ArrayList<>(ports.stream()
                .filter(port -> joining.ports.contains(port)
                        || joining.ports.stream()
                                .noneMatch(other -> other.service().equals(port.service())))
                .toList());
        joining.ports.stream().filter(port -> !all.contains(port)).forEach(all::add);
        return new Sharing(key, terms, all);
    }

    Sharing without(ServiceKey service) {
        return new Sharing(
                key,
                terms,
                ports.stream().filter(port -> !port.service().equals(service)).toList());
    }
}
