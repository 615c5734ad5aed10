package dev.berth.loadbalancer;

import dev.berth.claim.ServiceKey;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What went wrong for a Service.
 *
 * @param doing what was being done: "claiming 192.0.2.1"
 * @param cause in the words of whoever refused it
 * @param attempt what is not to be tried again before its time
 * @param retryAfter when to try again, exactly; absent: by the back-off
 * @param heldUp whether it could not be tried, for an earlier call has not returned
 * @param saidBefore whether it was not tried just now, for it went wrong before
 */
public record ServiceFailure(
        String doing,
        Reason reason,
        String cause,
        Attempt attempt,
        Optional<Duration> retryAfter,
        boolean heldUp,
        boolean saidBefore) {
    /** How long a request that was rejected is not repeated: the provider may be wrong, or replaced. */
    private static final Duration REJECTED_FOR = Duration.ofHours(1);

    /** The provider failed to make the load balancer. */
    private static final Set<Reason> OF_ENSURING = Set.of(
            Reason.EnsureFailed,
            Reason.EnsureRejected,
            Reason.ProviderQuotaExceeded,
            Reason.CertificateMissing,
            Reason.AnswerRefused,
            Reason.ProviderStuck);

    /** That is tried again by the back-off. */
    public ServiceFailure(String doing, Reason reason, String cause, Attempt attempt) {
        this(doing, reason, cause, attempt, Optional.empty(), false, false);
    }

    /**
     * The provider failed to make the load balancer.
     *
     * @param called the load balancer in a sentence: {@code load balancer "lb-1"}
     */
    public static ServiceFailure ofEnsuring(
            ServiceKey service, String called, ProviderException failure, LoadBalancerRequest request) {
        Reason reason = switch (failure.kind()) {
            case TRY_AGAIN -> Reason.EnsureFailed;
            case QUOTA_EXCEEDED -> Reason.ProviderQuotaExceeded;
            case PERMANENT -> Reason.EnsureRejected;
        };
        Optional<Duration> delay = failure.kind() == ProviderException.Kind.PERMANENT
                ? failure.retryAfter().or(() -> Optional.of(REJECTED_FOR))
                : failure.retryAfter();
        return new ServiceFailure(
                        "ensuring " + called + " for " + service,
                        reason,
                        String.valueOf(failure.getMessage()),
                        new Attempt.Call(request))
                .after(delay);
    }

    /** The provider failed to delete the load balancer, or could not be asked to. */
    static ServiceFailure ofDeleting(ServiceIdentity service, String cause, Attempt attempt) {
        return ofDeleting(NamedLoadBalancer.UNNAMED, service, cause, attempt);
    }

    /**
     * The same.
     *
     * @param called the load balancer in a sentence, as {@link #ofEnsuring} has it
     */
    public static ServiceFailure ofDeleting(String called, ServiceIdentity service, String cause, Attempt attempt) {
        return new ServiceFailure("deleting " + called + " for " + service, Reason.DeleteFailed, cause, attempt);
    }

    /** The same, now that the cause is known. */
    public ServiceFailure by(String why) {
        return new ServiceFailure(doing, reason, why, attempt, retryAfter, heldUp, saidBefore);
    }

    /** The same, tried again when the other side says. */
    public ServiceFailure after(Optional<Duration> delay) {
        return new ServiceFailure(doing, reason, cause, attempt, delay, heldUp, saidBefore);
    }

    /** The same, that could not be tried: it need not wait once the earlier call has returned. */
    public ServiceFailure heldUpByEarlierCall() {
        return new ServiceFailure(doing, reason, cause, attempt, retryAfter, true, saidBefore);
    }

    /** The same, that still has to wait. */
    ServiceFailure again() {
        return new ServiceFailure(doing, reason, cause, attempt, retryAfter, heldUp, true);
    }

    /** Whether it is said in words of the provider. */
    boolean isOfItsProvider() {
        return isOfEnsuring() || reason == Reason.PredecessorNotDeleted;
    }

    /** Whether the provider failed to make the load balancer. */
    boolean isOfEnsuring() {
        return OF_ENSURING.contains(reason);
    }

    public String message() {
        return doing + ": " + cause;
    }
}
