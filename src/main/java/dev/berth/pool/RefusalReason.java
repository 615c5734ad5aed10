package dev.berth.pool;

import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Why a pool gives a request no address, in the order in which they are asked: each with its check and its sentence.
 * The first ones are of the pool alone, full or not; those from {@link #IN_USE} on depend on who holds what, and who
 * waits.
 */
public enum RefusalReason {
    NO_SUCH_FAMILY(
            (pool, asked) -> !pool.declares(asked.family()), refusal -> "has no " + refusal.family() + " addresses"),
    /** It does not have the very address that is asked for. */
    NOT_ITS_ADDRESS(
            (pool, asked) -> asked.address().isPresent()
                    && !pool.contains(asked.address().get()),
            (pool, use) -> use.whereItIs(),
            refusal -> "does not contain the requested address"),
    /** It names addresses of the family, and all of them are excluded, belong to another pool, or are used by the cluster. */
    NO_ALLOCATABLE_ADDRESSES(
            (pool, asked) -> !pool.has(asked.family()),
            refusal -> "has no " + refusal.family()
                    + " address to allocate: all are excluded, belong to another pool, or are used by the cluster"),
    /** Part of what it says cannot be read. */
    UNREADABLE((pool, asked) -> !pool.isWhole(), "is partly invalid; see its condition Valid"),
    SUSPENDED((pool, asked) -> pool.policy().suspended(), "is suspended"),
    NOT_IN_CLASS(
            (pool, asked) -> !asked.requester().classPools().isEmpty()
                    && !asked.requester().classPools().contains(pool.name()),
            "is not allowed by the Service's class"),
    /** The Service names other pools. */
    NOT_NAMED(
            (pool, asked) -> !asked.pools().isEmpty() && !asked.pools().contains(pool.name()),
            "is not requested by the Service"),
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
    IN_USE(ofHeld(held -> !held.isOfItsKey(), HeldAddress::holder), RefusalReason::inBrackets),
    /** It could be shared, but one of the ports is another's, or the terms differ. */
    NOT_SHAREABLE(
            ofHeld(held -> held.obstacle().isPresent(), held -> held.obstacle().orElse("")), RefusalReason::inBrackets),
    /** Another of its sharing key is just claiming the address that both are to have. */
    SHARED_SOON(
            ofHeld(held -> !held.canBeJoined(), held -> ""),
            refusal -> "has an address that is being claimed for its sharing key"),
    OVER_QUOTA(
            ofFree(
                    (pool, use) -> {
                        OptionalInt limit = pool.policy().quota().of(use.namespace());
                        return limit.isPresent() && use.used() >= limit.getAsInt();
                    },
                    (pool, use) -> "namespace " + use.namespace() + " has " + use.used() + " of "
                            + pool.policy().quota().of(use.namespace()).orElse(0)),
            refusal -> "(quota: " + refusal.detail() + ")"),
    FULL(
            ofFree((pool, use) -> use.free().signum() <= 0, RefusalReason::nothing),
            refusal -> "(0 of " + refusal.capacity() + " free)"),
    OTHERS_WAIT(
            ofFree((pool, use) -> !use.isInTurn(), RefusalReason::nothing),
            refusal -> "(" + refusal.free() + " of " + refusal.capacity()
                    + " free, reserved for Services that have waited" + " longer)");

    /** A check that depends on who holds what, and what a reader needs to know besides, as a clause. */
    private record OfUse(BiPredicate<Pool, Occupancy> check, BiFunction<Pool, Occupancy, String> detail) {}

    /** One of the very address that is asked for, where others hold it. */
    private static OfUse ofHeld(Predicate<HeldAddress> check, Function<HeldAddress, String> detail) {
        return new OfUse(
                (pool, use) -> {
                    HeldAddress held = use.held();
                    return held != null && check.test(held);
                },
                (pool, use) -> {
                    HeldAddress held = use.held();
                    return held == null ? "" : detail.apply(held);
                });
    }

    /** One of what nobody holds yet. */
    private static OfUse ofFree(BiPredicate<Pool, Occupancy> check, BiFunction<Pool, Occupancy, String> detail) {
        return new OfUse((pool, use) -> use.held() == null && check.test(pool, use), detail);
    }

    private static String nothing(Pool pool, Occupancy use) {
        return "";
    }

    private static String inBrackets(Refusal refusal) {
        return "(" + refusal.detail() + ")";
    }

    /** Never, if it depends on who holds what. */
    @SuppressWarnings("ImmutableEnumChecker") // lambdas of nothing that changes
    private final BiPredicate<Pool, PoolRequest> ofPool;

    /** Never, if it is of the pool alone. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final BiPredicate<Pool, Occupancy> ofUse;

    private final boolean isOfPool;

    @SuppressWarnings("ImmutableEnumChecker")
    private final BiFunction<Pool, Occupancy, String> detail;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<Refusal, String> sentence;

    RefusalReason(
            BiPredicate<Pool, PoolRequest> check,
            BiFunction<Pool, Occupancy, String> detail,
            Function<Refusal, String> sentence) {
        this.isOfPool = true;
        this.ofPool = check;
        this.ofUse = (pool, use) -> false;
        this.detail = detail;
        this.sentence = sentence;
    }

    RefusalReason(BiPredicate<Pool, PoolRequest> check, Function<Refusal, String> sentence) {
        this(check, RefusalReason::nothing, sentence);
    }

    RefusalReason(BiPredicate<Pool, PoolRequest> check, String sentence) {
        this(check, refusal -> sentence);
    }

    RefusalReason(OfUse ofUse, Function<Refusal, String> sentence) {
        this.isOfPool = false;
        this.ofPool = (pool, asked) -> false;
        this.ofUse = ofUse.check();
        this.detail = ofUse.detail();
        this.sentence = sentence;
    }

    /** Whether the pool alone decides it, full or not. */
    boolean isOfPool() {
        return isOfPool;
    }

    /** Whether the pool, full or not, refuses the request for this reason. */
    boolean forbids(Pool pool, PoolRequest asked) {
        return ofPool.test(pool, asked);
    }

    /** Whether the pool refuses for this reason, by who holds what, and who waits. */
    boolean refuses(Pool pool, Occupancy use) {
        return ofUse.test(pool, use);
    }

    /** What a reader needs to know besides, as a clause; empty: nothing. */
    String detail(Pool pool, Occupancy use) {
        return detail.apply(pool, use);
    }

    /** What to say of the pool, after its name. */
    String sentence(Refusal refusal) {
        return sentence.apply(refusal);
    }
}
