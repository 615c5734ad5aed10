package dev.berth.migration;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A duration as Go writes it, and with it metav1.Duration: {@code 1m30s}. */
final class GoDuration {
    private static final Pattern WHOLE = Pattern.compile("(?:[0-9]{1,9}(?:\\.[0-9]{1,9})?(?:ns|us|µs|ms|s|m|h))+");
    private static final Pattern PART = Pattern.compile("([0-9.]+)(ns|us|µs|ms|s|m|h)");

    private GoDuration() {}

    /** In seconds, of which a part counts as one; absent: it is none, or longer than a day. */
    static Optional<Long> seconds(String text) {
        if (!text.equals("0") && !WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        BigDecimal seconds = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        while (part.find()) {
            seconds = seconds.add(new BigDecimal(part.group(1)).multiply(new BigDecimal(unit(part.group(2)))));
        }
        return Optional.of(seconds.setScale(0, RoundingMode.CEILING).longValue())
                .filter(whole -> whole <= 86_400);
    }

    private static String unit(String name) {
        return switch (name) {
            case "h" -> "3600";
            case "m" -> "60";
            case "s" -> "1";
            case "ms" -> "0.001";
            case "ns" -> "0.000000001";
            default -> "0.000001";
        };
    }
}
