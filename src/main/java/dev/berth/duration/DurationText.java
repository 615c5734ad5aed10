package dev.berth.duration;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A duration as Kubernetes' newer APIs write it: {@code 500ms}, {@code 90s}, {@code 1h30m}.
 *
 * @see <a href="https://gateway-api.sigs.k8s.io/geps/gep-2257/">GEP-2257</a>
 */
public final class DurationText {
    private static final Pattern PART = Pattern.compile("([0-9]{1,5})(ms|s|m|h)");
    private static final Pattern WHOLE = Pattern.compile("(" + PART + "){1,4}");

    private DurationText() {}

    /** What {@code text} says; absent: it is not a duration of that form. Never negative, at most 399,996 hours. */
    public static Optional<Duration> parse(String text) {
        if (!WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        Duration sum = Duration.ZERO;
        for (MatchResult part : PART.matcher(text).results().toList()) {
            long number = Long.parseLong(part.group(1));
            sum = sum.plus(
                    switch (part.group(2)) {
                        case "ms" -> Duration.ofMillis(number);
                        case "s" -> Duration.ofSeconds(number);
                        case "m" -> Duration.ofMinutes(number);
                        default -> Duration.ofHours(number);
                    });
        }
        return Optional.of(sum);
    }

    /** As it is written, the shortest way; less than a millisecond is left out. */
    public static String of(Duration duration) {
        StringBuilder text = new StringBuilder();
        add(text, duration.toHours(), "h");
        add(text, duration.toMinutesPart(), "m");
        add(text, duration.toSecondsPart(), "s");
        add(text, duration.toMillisPart(), "ms");
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static void add(StringBuilder text, long number, String unit) {
        if (number > 0) {
            text.append(number).append(unit);
        }
    }
}
