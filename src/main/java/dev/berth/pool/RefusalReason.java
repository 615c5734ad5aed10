package dev.berth.pool;

import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * Why a pool gives a request no address, in the order in which they are asked: each with its check, as far as the pool
 * alone decides it, and its sentence.
 */
public enum RefusalReason {
    NO_SUCH_FAMILY(
            (pool, asked) -> !pool.declares(asked.family()), refusal -> "has no " + refusal.family() + " addresses"),
    /** It does not have the very address that is asked for. */
    NOT_ITS_ADDRESS(
            (pool, asked) -> asked.address().isPresent()
                    && !pool.contains(asked.address().get()),
            "does not have the address that it asks for"),
    /** It names addresses of the family, and all of them are excluded, of another pool, or in use in the cluster. */
    NONE_TO_ALLOCATE(
            (pool, asked) -> !pool.has(asked.family()),
            refusal -> "has no " + refusal.family()
                    + " address to allocate: all are excluded, of another pool, or in use in the cluster"),
    /** Part of what it says cannot be read. */
    UNREADABLE((pool, asked) -> !pool.isWhole(), "cannot be read in part; its condition Valid says what to correct"),
    SUSPENDED((pool, asked) -> pool.policy().suspended(), "is suspended"),
    NOT_IN_CLASS(
            (pool, asked) -> !asked.requester().classPools().isEmpty()
                    && !asked.requester().classPools().contains(pool.name()),
            "is not among the pools of its class"),
    /** The Service names other pools. */
    NOT_NAMED(
            (pool, asked) -> !asked.pools().isEmpty() && !asked.pools().contains(pool.name()),
            "is not among the pools that it names"),
    NOT_AUTO_ASSIGNED(
            (pool, asked) -> !pool.policy().autoAssign()
                    && asked.requester().classPools().isEmpty()
                    && asked.pools().isEmpty()
                    && asked.address().isEmpty(),
            "has autoAssign: false"),
    NAMESPACE_NOT_SELECTED(
            (pool, asked) ->
                    !pool.policy().namespaces().matches(asked.requester().namespaceLabels()),
            "does not select its namespace"),
    SERVICE_NOT_SELECTED(
            (pool, asked) -> !pool.policy().services().matches(asked.requester().labels()),
            "does not select its labels"),
    /** The very address that is asked for is another's. */
    IN_USE(RefusalReason::detail),
    /** It could be shared, but one of the ports is another's, or the terms differ. */
    NOT_SHAREABLE(RefusalReason::detail),
    /** Another of its sharing key is just claiming the address that both are to have. */
    SHARED_SOON(refusal -> "has an address that is just being claimed for its sharing key"),
    OVER_QUOTA(refusal -> "(quota: " + refusal.detail() + ")"),
    FULL(refusal -> "(0 of " + refusal.capacity() + " free)"),
    OTHERS_WAIT(refusal ->
            "(" + refusal.free() + " of " + refusal.capacity() + " free, for others who have waited longer)");

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
    private final BiPredicate<Pool, PoolRequest> check;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<Refusal, String> sentence;

    RefusalReason(BiPredicate<Pool, PoolRequest> check, Function<Refusal, String> sentence) {
        this.check = check;
        this.sentence = sentence;
    }

    RefusalReason(BiPredicate<Pool, PoolRequest> check, String sentence) {
        this(check, refusal -> sentence);
    }

    /** One that depends on who holds what, and who waits. */
    RefusalReason(Function<Refusal, String> sentence) {
        this((pool, asked) -> false, sentence);
    }

    private static String detail(Refusal refusal) {
        return "(" + refusal.detail() + ")";
    }

    /** Whether the pool, full or not, refuses the request for this reason. */
    boolean forbids(Pool pool, PoolRequest asked) {
        return check.test(pool, asked);
    }

    /** What to say of the pool, after its name. */
    String sentence(Refusal refusal) {
        return sentence.apply(refusal);
    }
}
