package dev.berth.provider;

/**
 * How many targets of a load balancer pass its health check, now.
 *
 * @param total that there are, each counted once however many ports it serves; 0: there are none
 * @param healthy of {@code total}, those that pass
 */
public record TargetHealth(int total, int healthy) {
    public TargetHealth {
        if (healthy < 0 || total < healthy) {
            throw new IllegalArgumentException(healthy + " of " + total + " targets cannot pass a health check");
        }
    }
}
