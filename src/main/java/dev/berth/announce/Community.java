package dev.berth.announce;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A BGP community: a mark on a route that routers act on. Standard ones (RFC 1997) have two parts, of 16 bits each; large
 * ones (RFC 8092) have three of 32 bits.
 */
public record Community(List<Long> parts) {
    /** Autonomous system 4294967295 is nobody's (RFC 7300): the agent marks routes by it, which no router gets to see. */
    public static final long RESERVED = 0xFFFF_FFFFL;

    private static final long LARGEST_SHORT = 0xFFFFL;

    public Community {
        parts = List.copyOf(parts);
    }

    /** Reads {@code 64512:100}, {@code 64512:1:100} or one of the well-known names of RFC 1997 and RFC 8326. */
    static Optional<Community> find(String text) {
        return switch (text) {
            case "no-export" -> Optional.of(new Community(List.of(65535L, 65281L)));
            case "no-advertise" -> Optional.of(new Community(List.of(65535L, 65282L)));
            case "no-export-subconfed" -> Optional.of(new Community(List.of(65535L, 65283L)));
            case "graceful-shutdown" -> Optional.of(new Community(List.of(65535L, 0L)));
            default -> ofNumbers(text);
        };
    }

    private static Optional<Community> ofNumbers(String text) {
        List<String> numbers = Stream.of(text.split(":", -1)).toList();
        if (numbers.stream().anyMatch(number -> !number.matches("[0-9]{1,10}"))) {
            return Optional.empty();
        }
        List<Long> parts = numbers.stream().map(Long::valueOf).toList();
        return switch (parts.size()) {
            case 2 ->
                parts.stream().allMatch(part -> part <= LARGEST_SHORT)
                        ? Optional.of(new Community(parts))
                        : Optional.empty();
            case 3 ->
                parts.getFirst() < RESERVED && parts.stream().allMatch(part -> part <= RESERVED)
                        ? Optional.of(new Community(parts))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    public boolean isLarge() {
        return parts.size() == 3;
    }
}
