package dev.berth.claim;

/** What is claimed, for tests. */
public final class SampleClaims {
    private SampleClaims() {}

    /** The same, kept for its owner's return, as a person sets it. */
    public static ClaimSpec retained(ClaimSpec spec) {
        return with(spec, true);
    }

    /** The same, kept no longer. */
    public static ClaimSpec notRetained(ClaimSpec spec) {
        return with(spec, false);
    }

    private static ClaimSpec with(ClaimSpec spec, boolean retain) {
        return new ClaimSpec(
                spec.pool(),
                spec.loadBalancerClass(),
                spec.owners(),
                spec.sharing(),
                spec.releasedAt(),
                retain,
                spec.retaining(),
                spec.departures(),
                spec.otherKind());
    }
}
