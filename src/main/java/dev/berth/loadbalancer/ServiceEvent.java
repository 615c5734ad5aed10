package dev.berth.loadbalancer;

/**
 * What an event on a Service says.
 *
 * @param reason one PascalCase word
 * @param message human-readable
 */
public record ServiceEvent(Type type, String reason, String message) {
    /** Whether somebody has to look. */
    public enum Type {
        NORMAL,
        WARNING
    }

    static ServiceEvent normal(String reason, String message) {
        return new ServiceEvent(Type.NORMAL, reason, message);
    }

    static ServiceEvent warning(String reason, String message) {
        return new ServiceEvent(Type.WARNING, reason, message);
    }
}
