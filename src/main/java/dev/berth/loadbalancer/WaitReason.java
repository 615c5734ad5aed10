package dev.berth.loadbalancer;

import dev.berth.address.IpFamily;
import dev.berth.address.Refusal;
import dev.berth.address.RefusalReason;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Why a Service waits, in words.
 *
 * @param reason one PascalCase word, stable
 * @param message a sentence with numbers, and what to do
 */
public record WaitReason(String reason, String message) {
    /** A status has to be read by people, and sent to all who watch. */
    private static final int NAMED_POOLS = 100;

    /** What is said of one address alone. */
    private static final List<RefusalReason> NAMED = List.of(RefusalReason.IN_USE, RefusalReason.NOT_SHAREABLE);

    /** The whole explanation in one: the most telling rule gives the reason, each pool its clause. */
    public static WaitReason of(List<Refusal> refusals) {
        if (refusals.isEmpty()) {
            return new WaitReason("NoPool", "there is no AddressPool; create one");
        }
        List<IpFamily> families =
                refusals.stream().map(Refusal::family).distinct().toList();
        for (IpFamily family : families) {
            List<Refusal> ofFamily =
                    refusals.stream().filter(r -> r.family() == family).toList();
            if (ofFamily.stream().allMatch(r -> r.rule() == RefusalReason.NO_SUCH_FAMILY)) {
                return new WaitReason(
                        "NoPoolForFamily",
                        "no AddressPool has " + family + " addresses (of " + ofFamily.size() + "); add a range of "
                                + family + " to one");
            }
        }
        List<Refusal> named = refusals.stream()
                .filter(refusal -> NAMED.contains(refusal.rule()))
                .toList();
        if (!named.isEmpty()) {
            return new WaitReason("AddressNotAvailable", clauses(named));
        }
        if (refusals.stream().allMatch(refusal -> refusal.rule() == RefusalReason.NOT_ITS_ADDRESS)) {
            return new WaitReason("AddressNotAvailable", "no AddressPool has the address that it asks for");
        }
        if (refusals.stream().anyMatch(refusal -> refusal.rule() == RefusalReason.SHARED_SOON)) {
            return new WaitReason(
                    "SharedAddressPending", "another of its sharing key is claiming the address for both");
        }
        // What a pool of another family lacks explains nothing; a pool that is full explains most.
        List<Refusal> telling = refusals.stream()
                .filter(refusal -> refusal.rule() != RefusalReason.NO_SUCH_FAMILY
                        && refusal.rule() != RefusalReason.NOT_ITS_ADDRESS)
                .sorted(Comparator.comparing(refusal -> !isFull(refusal)))
                .toList();
        String clauses = clauses(telling);
        boolean full = telling.stream().anyMatch(WaitReason::isFull);
        String wanted = families.stream().map(IpFamily::toString).collect(Collectors.joining(" and "));
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
        return refusals.stream().limit(NAMED_POOLS).map(WaitReason::clause).collect(Collectors.joining("; "))
                + (refusals.size() > NAMED_POOLS ? "; and " + (refusals.size() - NAMED_POOLS) + " more pools" : "");
    }

    private static boolean isFull(Refusal refusal) {
        return refusal.rule() == RefusalReason.FULL || refusal.rule() == RefusalReason.OTHERS_WAIT;
    }

    private static String clause(Refusal refusal) {
        String pool = "AddressPool \"" + refusal.pool() + "\" ";
        return switch (refusal.rule()) {
            case FULL -> pool + "(0 of " + refusal.capacity() + " free)";
            case OTHERS_WAIT ->
                pool + "(" + refusal.free() + " of " + refusal.capacity() + " free, for others who have waited longer)";
            case NO_SUCH_FAMILY -> pool + "has no " + refusal.family() + " addresses";
            case NOT_ITS_ADDRESS -> pool + "does not have the address that it asks for";
            case NOT_NAMED -> pool + "is not among the pools that it names";
            case IN_USE -> pool + "(" + refusal.detail() + ")";
            case NOT_SHAREABLE -> pool + "(" + refusal.detail() + ")";
            case SHARED_SOON -> pool + "has an address that is just being claimed for its sharing key";
            case OVER_QUOTA -> pool + "(quota: " + refusal.detail() + ")";
            case UNREADABLE -> pool + "cannot be read in part; its condition Valid says what to correct";
            case SUSPENDED -> pool + "is suspended";
            case NOT_IN_CLASS -> pool + "is not among the pools of its class";
            case NOT_AUTO_ASSIGNED -> pool + "has autoAssign: false";
            case NAMESPACE_NOT_SELECTED -> pool + "does not select its namespace";
            case SERVICE_NOT_SELECTED -> pool + "does not select its labels";
        };
    }
}
