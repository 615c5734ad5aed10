package dev.berth.provider.tck;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How an address is written.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5952#section-4">RFC 5952</a>
 */
final class CanonicalText {
    private static final Pattern ZEROS = Pattern.compile("(?<![0-9a-f])0(:0)+(?![0-9a-f])");

    private CanonicalText() {}

    static String of(InetAddress address) {
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        byte[] bytes = address.getAddress();
        String full = IntStream.range(0, bytes.length / 2)
                .mapToObj(i -> Integer.toHexString(((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff)))
                .collect(Collectors.joining(":"));
        // The first of the longest runs of zeros.
        return ZEROS.matcher(full)
                .results()
                .reduce((a, b) -> b.group().length() > a.group().length() ? b : a)
                .map(run -> without(full, run))
                .orElse(full);
    }

    private static String without(String full, MatchResult zeros) {
        String before = full.substring(0, zeros.start());
        String after = full.substring(zeros.end());
        return (before.isEmpty() ? ":" : before) + (after.isEmpty() ? ":" : after);
    }
}
