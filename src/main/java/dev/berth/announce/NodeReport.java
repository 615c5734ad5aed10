package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one node announces, and why not, as its agent says. In runs of addresses: a pool that is announced whole is one.
 *
 * @param parts by protocol; absent: the agent announces nothing by it
 */
public record NodeReport(SequencedMap<Protocol, Part> parts) {
    /** Of an agent that announces nothing, and is about to end. */
    public static final NodeReport NONE = new NodeReport(new TreeMap<>());

    public NodeReport {
        parts = Collections.unmodifiableSequencedMap(new TreeMap<>(parts));
    }

    /**
     * Of one protocol.
     *
     * @param announced in their order
     * @param conflicting those of them that another machine claims, as {@link dev.berth.reason.Reason#AddressConflict} has it
     * @param silent by the word of the {@link NotAnnouncedReason#reason}. Addresses that another node announces are in none
     */
    public record Part(List<IpRange> announced, List<IpRange> conflicting, SequencedMap<String, List<IpRange>> silent) {
        public Part {
            announced = List.copyOf(announced);
            conflicting = List.copyOf(conflicting);
            SequencedMap<String, List<IpRange>> copy = new TreeMap<>();
            silent.forEach((reason, ranges) -> copy.put(reason, List.copyOf(ranges)));
            silent = Collections.unmodifiableSequencedMap(copy);
        }

        /**
         * Of what was decided for ARP and NDP.
         *
         * @param isHere whether the kernel of the node answers for an address
         * @param isClaimed the same of what answers for an address
         */
        public static Part ofL2(SequencedMap<Ip, Verdict> verdicts, Predicate<Ip> isHere, Predicate<Ip> isClaimed) {
            Builder builder = new Builder();
            verdicts.forEach((ip, verdict) -> {
                switch (verdict) {
                    case Verdict.Announces _ -> {
                        builder.add(ip, isHere.test(ip) ? null : NotAnnouncedReason.AGENT_NOT_READY);
                        if (isHere.test(ip) && isClaimed.test(ip)) {
                            builder.conflicting.add(ip);
                        }
                    }
                    case Verdict.Silent(NotAnnouncedReason reason, String owner) -> {
                        if (owner.isEmpty()) {
                            builder.add(ip, reason);
                        }
                    }
                }
            });
            return builder.build();
        }

        /**
         * Of what was decided for BGP.
         *
         * @param isTold whether a route is announced to a router
         */
        public static Part ofBgp(SequencedMap<Ip, RouteVerdict> verdicts, Predicate<Route> isTold) {
            Builder builder = new Builder();
            verdicts.forEach((ip, verdict) -> {
                switch (verdict) {
                    case RouteVerdict.Announces(Route route) ->
                        builder.add(ip, isTold.test(route) ? null : NotAnnouncedReason.NO_SESSION);
                    case RouteVerdict.Silent(NotAnnouncedReason reason) -> builder.add(ip, reason);
                }
            });
            return builder.build();
        }
    }

    private static final class Builder {
        private final IpSet announced = new IpSet();
        private final IpSet conflicting = new IpSet();
        private final Map<NotAnnouncedReason, IpSet> silent = new EnumMap<>(NotAnnouncedReason.class);

        /** @param reason null: it is announced */
        void add(Ip ip, @Nullable NotAnnouncedReason reason) {
            (reason == null ? announced : silent.computeIfAbsent(reason, _ -> new IpSet())).add(ip);
        }

        Part build() {
            SequencedMap<String, List<IpRange>> reasons = new TreeMap<>();
            silent.forEach((reason, set) -> reasons.put(reason.reason().name(), set.runs()));
            return new Part(announced.runs(), conflicting.runs(), reasons);
        }
    }

    /** What it says of one address. */
    sealed interface Says {
        /**
         * The node announces it.
         *
         * @param inConflict whether another machine claims it, too
         */
        record Announces(boolean inConflict) implements Says {}

        /** It does not. */
        record Silent(String reason) implements Says {}

        /** Nothing: another node does, or the agent has not heard of it. */
        record Nothing() implements Says {}
    }

    /** To be asked of many addresses. */
    static final class Index {
        private final NodeReport report;
        private final Map<Protocol, Sets> sets = new EnumMap<>(Protocol.class);

        private record Sets(IpSet announced, IpSet conflicting, SequencedMap<String, IpSet> silent) {}

        Index(NodeReport report) {
            this.report = report;
            report.parts().forEach((protocol, part) -> {
                SequencedMap<String, IpSet> silent = new TreeMap<>();
                part.silent().forEach((reason, ranges) -> silent.put(reason, IpSet.of(ranges)));
                sets.put(protocol, new Sets(IpSet.of(part.announced()), IpSet.of(part.conflicting()), silent));
            });
        }

        NodeReport report() {
            return report;
        }

        Says of(Protocol protocol, Ip ip) {
            Sets known = sets.get(protocol);
            if (known == null) {
                return new Says.Nothing();
            }
            if (known.announced().contains(ip)) {
                return new Says.Announces(known.conflicting().contains(ip));
            }
            Optional<String> reason = known.silent().entrySet().stream()
                    .filter(one -> one.getValue().contains(ip))
                    .map(Map.Entry::getKey)
                    .findFirst();
            return reason.<Says>map(Says.Silent::new).orElseGet(Says.Nothing::new);
        }
    }
}
