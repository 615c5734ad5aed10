package dev.berth.plan;

/**
 * Why Services that name no class are left to another controller.
 *
 * @param sign what was seen, for people: {@code Node "a" has providerID aws:///…}
 */
public record StandBack(String sign) {
    /** Whether a Node's {@code spec.providerID} names something that brings its own load balancer controller. */
    public static boolean isCloud(String providerId) {
        return !providerId.isEmpty() && !providerId.startsWith("kind://");
    }
}
