package dev.berth.loadbalancer;

import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why no Berth serves a Service that wants a load balancer. Pure.
 *
 * @param isBerths whether the class that it names is Berth's by its prefix, so that nobody else will serve it
 */
public record NotServedReason(Reason reason, String message, boolean isBerths) {
    /** In this time, any other controller that serves Services without a class would have begun. */
    static final Duration OTHERS_BEGIN_WITHIN = Duration.ofSeconds(30);

    private static final String PREFIX = "berth.dev/";

    /** No class asks to be the default. */
    public static final NotServedReason NO_DEFAULT = new NotServedReason(
            Reason.NoDefaultClass,
            "it names no class, and no LoadBalancerClass is the default; set spec.classless: Auto on one, or"
                    + " recreate the Service with spec.loadBalancerClass",
            false);

    /** The class that asks to be the default has a fault. */
    public static NotServedReason notAccepted(String className, String fault) {
        return new NotServedReason(
                Reason.ClassNotAccepted, "LoadBalancerClass \"" + className + "\" is not accepted: " + fault, false);
    }

    /** Another controller left its mark on it, and is not sure to be gone. */
    public static NotServedReason byAnother(String mark) {
        return new NotServedReason(
                Reason.ServedByOtherController,
                "the Service has " + mark
                        + " set by another controller; remove that controller and its finalizer or status, and Berth"
                        + " takes over",
                false);
    }

    /**
     * Why no class serves a Service.
     *
     * @param loadBalancerClass that it names; null: none
     * @param values of all LoadBalancerClasses
     * @param withoutClass why Services that name no class are not served; absent: they are
     * @return absent: one serves it, or is to
     */
    public static Optional<NotServedReason> of(
            @Nullable String loadBalancerClass, List<String> values, Optional<NotServedReason> withoutClass) {
        if (loadBalancerClass == null) {
            return withoutClass;
        }
        boolean isBerths = loadBalancerClass.startsWith(PREFIX);
        return values.contains(loadBalancerClass)
                ? Optional.empty()
                : Optional.of(new NotServedReason(
                        Reason.ClassNotFound,
                        "no LoadBalancerClass serves \"" + loadBalancerClass + "\""
                                + (isBerths
                                        ? Spelling.meantOrThere(loadBalancerClass, values)
                                        : Spelling.didYouMean(loadBalancerClass, values))
                                + "; create one, or recreate the Service with another class",
                        isBerths));
    }

    /**
     * How long it has to be left before it is sure that no other controller serves it; zero: it is; absent: it never is.
     *
     * @param age of the Service; absent: not known
     * @param deference why Services without a class are another's; absent: they are not
     */
    Optional<Duration> untilSure(Optional<Duration> age, Optional<Deference> deference) {
        if (reason == Reason.ClassNotFound) {
            return isBerths ? Optional.of(Duration.ZERO) : Optional.empty();
        }
        return age.filter(none -> deference.isEmpty()).map(known -> {
            Duration left = OTHERS_BEGIN_WITHIN.minus(known);
            return left.isPositive() ? left : Duration.ZERO;
        });
    }
}
