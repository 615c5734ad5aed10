package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.reason.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Why a Service waits, in words.
 *
 * @param message a sentence with numbers, and what to do
 */
public record WaitReason(Reason reason, String message) {
    /** A status has to be read by people, and sent to all who watch. */
    private static final int NAMED_POOLS = 100;

    private static final int LONGEST_MESSAGE = 10_000;
    private static final int LONGEST_NAME = 253;

    /** How a message refers to pools that the LoadBalancerClass names. */
    private static final String OF_CLASS = " of its class";

    private static final String RAISE_QUOTA = "; release a Service or raise the quota";

    /** What is said first of two families that differ. */
    private static final List<Reason> BY_WEIGHT = List.of(
            Reason.NoPoolForFamily,
            Reason.AddressNotAvailable,
            Reason.PoolExhausted,
            Reason.QuotaExceeded,
            Reason.NotAllowedByPools);

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
     * does not mean are counted. A family that no pool has comes last, if the Service can do without it.
     *
     * @param refusals of every pool, by family; or of the one whose address is just being claimed for both
     */
    public static WaitReason of(AddressRequest request, List<Refusal> refusals) {
        WaitReason why = because(request, refusals);
        boolean isByAnnotation = !request.constraints().pools().isEmpty()
                || !request.constraints().addresses().isEmpty()
                || why.reason == Reason.SharedAddressPending;
        return isByAnnotation ? new WaitReason(why.reason, why.message + WellKnownNames.ANNOTATIONS_PAGE) : why;
    }

    private static WaitReason because(AddressRequest request, List<Refusal> refusals) {
        if (refusals.stream().anyMatch(refusal -> refusal.reason() == RefusalReason.SHARED_SOON)) {
            return new WaitReason(
                    Reason.SharedAddressPending,
                    "another Service with the same sharing key is claiming the shared address");
        }
        Meant meant = Meant.by(request, refusals);
        if (meant.refusals().isEmpty()) {
            return meant.missing().isEmpty()
                    ? new WaitReason(Reason.NoPool, "there is no AddressPool; create one")
                    : new WaitReason(Reason.PoolNotFound, String.join("; ", meant.missing()));
        }
        List<IpFamily> families = meant.families();
        List<WaitReason> alike = families.stream()
                .map(family -> ofFamily(request, meant.of(family), family, families))
                .distinct()
                .toList();
        if (alike.size() == 1) {
            return alike.getFirst();
        }
        boolean asTheyCome = weight(request, alike.getFirst()) <= weight(request, alike.getLast());
        List<IpFamily> byWeight = asTheyCome ? families : families.reversed();
        WaitReason first = ofFamily(request, meant.of(byWeight.getFirst()).withoutOthers(), byWeight.getFirst());
        WaitReason last = ofFamily(request, meant.of(byWeight.getLast()).withoutMissing(), byWeight.getLast());
        return new WaitReason(first.reason, first.message + "; " + last.message);
    }

    private static int weight(AddressRequest request, WaitReason why) {
        return why.reason == Reason.NoPoolForFamily && !request.allOrNone()
                ? BY_WEIGHT.size()
                : BY_WEIGHT.indexOf(why.reason);
    }

    private static WaitReason ofFamily(AddressRequest request, Meant meant, IpFamily family) {
        return ofFamily(request, meant, family, List.of(family));
    }

    /** @param named the families that the sentence is about */
    private static WaitReason ofFamily(AddressRequest request, Meant meant, IpFamily family, List<IpFamily> named) {
        String families = named.stream().map(IpFamily::toString).collect(Collectors.joining(" or "));
        return notInAnyPool(request, meant, family, families)
                .or(() -> taken(meant))
                .orElseGet(() -> request.constraints()
                        .address(family)
                        .map(ip -> refused(meant, ip))
                        .orElseGet(() -> refused(meant, families)));
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
            List<String> asked = request.constraints().pools();
            List<String> named = asked.isEmpty() ? request.requester().classPools() : asked;
            if (named.isEmpty()) {
                return new Meant("", List.of(), refusals, 0);
            }
            String subject = asked.isEmpty() ? "AddressPool" : "requested AddressPool";
            String verb = asked.isEmpty() ? " of its LoadBalancerClass does not exist" : " does not exist";
            List<String> all = refusals.stream().map(Refusal::pool).distinct().toList();
            return new Meant(
                    asked.isEmpty() ? OF_CLASS : " that it requests",
                    named.stream()
                            .filter(name -> !all.contains(name))
                            .limit(NAMED_POOLS)
                            .map(name -> subject + " \"" + OneLine.of(name, LONGEST_NAME) + "\"" + verb
                                    + Spelling.didYouMean(name, all))
                            .toList(),
                    refusals.stream()
                            .filter(refusal -> named.contains(refusal.pool()))
                            .toList(),
                    all.stream().filter(name -> !named.contains(name)).count());
        }

        List<IpFamily> families() {
            return refusals.stream().map(Refusal::family).distinct().toList();
        }

        Meant of(IpFamily family) {
            return new Meant(
                    whose,
                    missing,
                    refusals.stream().filter(r -> r.family() == family).toList(),
                    others);
        }

        Meant withoutOthers() {
            return new Meant(whose, missing, refusals, 0);
        }

        Meant withoutMissing() {
            return new Meant(whose, List.of(), refusals, others);
        }

        /** What does not exist, and then {@code clauses}. */
        String withMissing(String clauses) {
            return Stream.concat(missing.stream(), Stream.of(clauses)).collect(Collectors.joining("; "));
        }

        /** What there is to say beside {@code clauses}, in one list. */
        String around(String clauses) {
            String rest = (others == 1 ? "1 other pool is not " : others + " other pools are not ")
                    + (whose.equals(OF_CLASS) ? "allowed by its class" : "requested");
            return Stream.of(
                            missing.stream(),
                            Stream.of(clauses),
                            others == 0 ? Stream.<String>empty() : Stream.of(rest))
                    .flatMap(all -> all)
                    .collect(Collectors.joining("; "));
        }
    }

    /** None of the pools has addresses of the family, or the very address that is asked for. */
    private static Optional<WaitReason> notInAnyPool(
            AddressRequest request, Meant meant, IpFamily family, String families) {
        List<Refusal> of = meant.refusals();
        if (of.stream().allMatch(r -> r.reason() == RefusalReason.NO_SUCH_FAMILY)) {
            return Optional.of(new WaitReason(
                    Reason.NoPoolForFamily,
                    meant.around("no AddressPool" + meant.whose() + " has " + families + " addresses (of " + of.size()
                                    + ")")
                            + "; add a range of " + families + " to one"));
        }
        Optional<Ip> asked = request.constraints().address(family);
        if (asked.isEmpty() || !of.stream().allMatch(r -> NOT_THERE.contains(r.reason()))) {
            return Optional.empty();
        }
        String why = of.stream()
                .map(Refusal::detail)
                .filter(detail -> !detail.isEmpty())
                .findFirst()
                .map(detail -> ": " + detail)
                .orElse("");
        return Optional.of(new WaitReason(
                Reason.AddressNotAvailable,
                meant.around("no AddressPool" + meant.whose() + " has " + asked.get() + why)));
    }

    private static Optional<WaitReason> taken(Meant meant) {
        List<Refusal> named = meant.refusals().stream()
                .filter(refusal -> NAMED.contains(refusal.reason()))
                .toList();
        return named.isEmpty()
                ? Optional.empty()
                : Optional.of(new WaitReason(Reason.AddressNotAvailable, meant.withMissing(clauses(named))));
    }

    private static WaitReason refused(Meant meant, String families) {
        List<Refusal> telling = telling(meant);
        String clauses = meant.around(clauses(telling));
        if (telling.stream().anyMatch(WaitReason::isFull)) {
            return new WaitReason(
                    Reason.PoolExhausted,
                    "no free " + families + " address: " + clauses + "; add a range or release a Service");
        }
        return telling.stream().anyMatch(WaitReason::isOverQuota)
                ? new WaitReason(Reason.QuotaExceeded, "no " + families + " address: " + clauses + RAISE_QUOTA)
                : new WaitReason(
                        Reason.NotAllowedByPools,
                        "no AddressPool allows an " + families + " address for this Service: " + clauses);
    }

    /** Of the very address that it asks for, which a pool has and nobody holds. */
    private static WaitReason refused(Meant meant, Ip asked) {
        List<Refusal> telling = telling(meant);
        String message = "no AddressPool allows " + asked + " for this Service: " + meant.around(clauses(telling));
        if (telling.stream().anyMatch(WaitReason::isFull)) {
            return new WaitReason(Reason.AddressNotAvailable, message);
        }
        return telling.stream().anyMatch(WaitReason::isOverQuota)
                ? new WaitReason(Reason.QuotaExceeded, message + RAISE_QUOTA)
                : new WaitReason(Reason.NotAllowedByPools, message);
    }

    /**
     * What a pool that nobody named lacks explains nothing; a pool that is full explains most, then an exhausted quota.
     */
    private static List<Refusal> telling(Meant meant) {
        return meant.refusals().stream()
                .filter(refusal -> !meant.whose().isEmpty() || !NOT_THERE.contains(refusal.reason()))
                .sorted(Comparator.comparing((Refusal refusal) -> !isFull(refusal))
                        .thenComparing(refusal -> !isOverQuota(refusal)))
                .toList();
    }

    private static String clauses(List<Refusal> refusals) {
        return refusals.stream().limit(NAMED_POOLS).map(Refusal::clause).collect(Collectors.joining("; "))
                + (refusals.size() > NAMED_POOLS ? "; and " + (refusals.size() - NAMED_POOLS) + " more pools" : "");
    }

    private static boolean isOverQuota(Refusal refusal) {
        return refusal.reason() == RefusalReason.OVER_QUOTA;
    }

    private static boolean isFull(Refusal refusal) {
        return refusal.reason() == RefusalReason.FULL || refusal.reason() == RefusalReason.OTHERS_WAIT;
    }
}
