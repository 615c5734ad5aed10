package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * The Node that an agent runs on, as far as BGP needs it.
 *
 * @param addresses its InternalIPs: the first of each family is the one that it is reached by
 * @param all its addresses of any type
 */
public record OwnNode(SequencedMap<String, String> labels, List<Ip> addresses, List<Ip> all) {
    /** Before the Node was read. */
    public static final OwnNode UNKNOWN = new OwnNode(new TreeMap<>(), List.of(), List.of());

    public OwnNode {
        labels = Collections.unmodifiableSequencedMap(new TreeMap<>(labels));
        addresses = List.copyOf(addresses);
        all = List.copyOf(all);
    }
}
