package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Why a Service waits, in words.
 *
 * @param reason one PascalCase word, stable
 * @param message a sentence with numbers, and what to do
 */
public record WaitReason(String reason, String message) {
    /** A status has to be read by people, and sent to all who watch. */
    private static final int NAMED_POOLS = 100;

    private static final int LONGEST_MESSAGE = 10_000;
    private static final int LONGEST_NAME = 253;

    private static final String NOT_AVAILABLE = "AddressNotAvailable";
    private static final String SHARED_SOON = "SharedAddressPending";

    /** Those that only what the Service asks for itself can have. */
    private static final List<String> OF_ANNOTATIONS = List.of(NOT_AVAILABLE, SHARED_SOON);

    public WaitReason {
        message = OneLine.of(message, LONGEST_MESSAGE);
    }

    /** What a pool does not have at all. */
    private static final List<RefusalReason> NOT_THERE =
            List.of(RefusalReason.NO_SUCH_FAMILY, RefusalReason.NOT_ITS_ADDRESS);

    /** What is said of one address alone. */
    private static final List<RefusalReason> NAMED = List.of(RefusalReason.IN_USE, RefusalReason.NOT_SHAREABLE);

    /**
     * The whole explanation in one: what it asks for and is not there comes first, then what explains most; pools that it
     * does not mean are counted.
     *
     * @param refusals of every pool, by family; or of the one whose address is just being claimed for both
     */
    public static WaitReason of(AddressRequest request, List<Refusal> refusals) {
        WaitReason why = because(request, refusals);
        boolean isByAnnotation = !request.wishes().pools().isEmpty() || OF_ANNOTATIONS.contains(why.reason);
        return isByAnnotation ? new WaitReason(why.reason, why.message + WellKnownNames.ANNOTATIONS_PAGE) : why;
    }

    private static WaitReason because(AddressRequest request, List<Refusal> refusals) {
        if (refusals.stream().anyMatch(refusal -> refusal.rule() == RefusalReason.SHARED_SOON)) {
            return new WaitReason(SHARED_SOON, "another of its sharing key is claiming the address for both");
        }
        Meant meant = Meant.by(request, refusals);
        if (meant.refusals().isEmpty()) {
            return meant.missing().isEmpty()
                    ? new WaitReason("NoPool", "there is no AddressPool; create one")
                    : new WaitReason("PoolNotFound", String.join("; ", meant.missing()));
        }
        return notInAnyPool(request, meant).or(() -> taken(meant)).orElseGet(() -> refused(meant));
    }

    /**
     * The pools that the Service, or else its class, names; all, if neither does.
     *
     * @param whose how a message refers to them, with a space before it; empty: all are meant
     * @param missing a clause for each that does not exist
     * @param refusals of those that exist, as they were asked
     * @param others how many pools are not meant
     */
    private record Meant(String whose, List<String> missing, List<Refusal> refusals, long others) {
        static Meant by(AddressRequest request, List<Refusal> refusals) {
            List<String> asked = request.wishes().pools();
            List<String> named = asked.isEmpty() ? request.bearer().classPools() : asked;
            if (named.isEmpty()) {
                return new Meant("", List.of(), refusals, 0);
            }
            String who = asked.isEmpty() ? "which its LoadBalancerClass names" : "which it asks for";
            List<String> all = refusals.stream().map(Refusal::pool).distinct().toList();
            return new Meant(
                    asked.isEmpty() ? " of its class" : " that it asks for",
                    named.stream()
                            .filter(name -> !all.contains(name))
                            .limit(NAMED_POOLS)
                            .map(name -> "AddressPool \"" + OneLine.of(name, LONGEST_NAME) + "\", " + who
                                    + ", does not exist" + Spelling.didYouMean(name, all))
                            .toList(),
                    refusals.stream()
                            .filter(refusal -> named.contains(refusal.pool()))
                            .toList(),
                    all.stream().filter(name -> !named.contains(name)).count());
        }

        List<IpFamily> families() {
            return refusals.stream().map(Refusal::family).distinct().toList();
        }

        List<Refusal> of(IpFamily family) {
            return refusals.stream().filter(r -> r.family() == family).toList();
        }

        /** What does not exist, and then {@code clauses}. */
        String withMissing(String clauses) {
            return Stream.concat(missing.stream(), Stream.of(clauses)).collect(Collectors.joining("; "));
        }

        /** What there is to say beside {@code clauses}, in one list. */
        String around(String clauses) {
            String rest = others == 1
                    ? "1 other pool is not among those" + whose
                    : others + " other pools are not among those" + whose;
            return Stream.of(
                            missing.stream(),
                            Stream.of(clauses),
                            others == 0 ? Stream.<String>empty() : Stream.of(rest))
                    .flatMap(all -> all)
                    .collect(Collectors.joining("; "));
        }
    }

    /** None of the pools has addresses of a family, or the very address that is asked for. */
    private static Optional<WaitReason> notInAnyPool(AddressRequest request, Meant meant) {
        for (IpFamily family : meant.families()) {
            List<Refusal> of = meant.of(family);
            if (of.stream().allMatch(r -> r.rule() == RefusalReason.NO_SUCH_FAMILY)) {
                return Optional.of(new WaitReason(
                        "NoPoolForFamily",
                        meant.around("no AddressPool" + meant.whose() + " has " + family + " addresses (of " + of.size()
                                        + ")")
                                + "; add a range of " + family + " to one"));
            }
            Optional<Ip> asked = request.wishes().address(family);
            if (asked.isPresent() && of.stream().allMatch(r -> NOT_THERE.contains(r.rule()))) {
                String why = of.stream()
                        .map(Refusal::detail)
                        .filter(detail -> !detail.isEmpty())
                        .findFirst()
                        .map(detail -> ": " + detail)
                        .orElse("");
                return Optional.of(new WaitReason(
                        NOT_AVAILABLE, meant.around("no AddressPool" + meant.whose() + " has " + asked.get() + why)));
            }
        }
        return Optional.empty();
    }

    private static Optional<WaitReason> taken(Meant meant) {
        List<Refusal> named = meant.refusals().stream()
                .filter(refusal -> NAMED.contains(refusal.rule()))
                .toList();
        return named.isEmpty()
                ? Optional.empty()
                : Optional.of(new WaitReason(NOT_AVAILABLE, meant.withMissing(clauses(named))));
    }

    private static WaitReason refused(Meant meant) {
        // What a pool that nobody named lacks explains nothing; a pool that is full explains most, then an exhausted
        // quota.
        List<Refusal> telling = meant.refusals().stream()
                .filter(refusal -> !meant.whose().isEmpty() || !NOT_THERE.contains(refusal.rule()))
                .sorted(Comparator.comparing((Refusal refusal) -> !isFull(refusal))
                        .thenComparing(refusal -> refusal.rule() != RefusalReason.OVER_QUOTA))
                .toList();
        String clauses = meant.around(clauses(telling));
        boolean full = telling.stream().anyMatch(WaitReason::isFull);
        String wanted = meant.families().stream().map(IpFamily::toString).collect(Collectors.joining(" and "));
        if (!full && telling.stream().anyMatch(refusal -> refusal.rule() == RefusalReason.OVER_QUOTA)) {
            return new WaitReason(
                    "QuotaExceeded",
                    "no " + wanted + " address: " + clauses + "; release a Service or raise the quota");
        }
        return full
                ? new WaitReason(
                        "PoolExhausted",
                        "no free " + wanted + " address: " + clauses + "; add a range or release a Service")
                : new WaitReason("NoPoolAllows", "no AddressPool gives it an " + wanted + " address: " + clauses);
    }

    private static String clauses(List<Refusal> refusals) {
        return refusals.stream().limit(NAMED_POOLS).map(Refusal::clause).collect(Collectors.joining("; "))
                + (refusals.size() > NAMED_POOLS ? "; and " + (refusals.size() - NAMED_POOLS) + " more pools" : "");
    }

    private static boolean isFull(Refusal refusal) {
        return refusal.rule() == RefusalReason.FULL || refusal.rule() == RefusalReason.OTHERS_WAIT;
    }
}
