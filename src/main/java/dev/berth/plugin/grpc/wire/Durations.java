package dev.berth.plugin.grpc.wire;

import java.time.Duration;

/** Spans of time, both ways. */
public final class Durations {
    private static final Duration LONGEST = Duration.ofDays(1);

    private Durations() {}

    /** A span, to the nanosecond. */
    public static com.google.protobuf.Duration write(Duration span) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(span.toSeconds())
                .setNanos(span.toNanosPart())
                .build();
    }

    static Duration read(com.google.protobuf.Duration span) {
        try {
            return Duration.ofSeconds(span.getSeconds(), span.getNanos());
        } catch (ArithmeticException outOfRange) {
            throw new ProtocolViolation("a duration of " + span.getSeconds() + " s");
        }
    }

    /**
     * How long to wait before the next try.
     *
     * @throws ProtocolViolation if it is not positive, or longer than a day: nobody waits for that
     */
    public static Duration readDelay(com.google.protobuf.Duration span) {
        Duration delay = read(span);
        if (!delay.isPositive() || delay.compareTo(LONGEST) > 0) {
            throw new ProtocolViolation("a delay of " + delay + "; it is positive, and a day at most");
        }
        return delay;
    }
}
