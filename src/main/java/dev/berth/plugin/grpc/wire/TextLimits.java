package dev.berth.plugin.grpc.wire;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.util.regex.Pattern;

/** What texts of the other side may be. */
public final class TextLimits {
    private static final int LONGEST_MESSAGE = 1_000;
    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{1,253}");
    private static final Pattern ANNOTATION = Pattern.compile("[-A-Za-z0-9_./]{1,317}");
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f:.]{2,39}");
    private static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
    private static final Pattern HOSTNAME = Pattern.compile("(?=.{1,253}$)" + LABEL + "(\\." + LABEL + ")*");

    private TextLimits() {}

    /** What it says to people: in one line, and not longer than a condition bears. */
    public static String message(String text) {
        String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
        return line.length() <= LONGEST_MESSAGE ? line : line.substring(0, LONGEST_MESSAGE) + "…";
    }

    /**
     * A name that can be printed, 1 to 253 characters without blanks.
     *
     * @param what it is, human-readable
     * @throws ProtocolViolation if it is not
     */
    static String name(String text, String what) {
        return matching(NAME, text, what);
    }

    /** The name of an annotation, or how the names of several begin. */
    static String annotation(String text) {
        return matching(ANNOTATION, text, "the name of an annotation");
    }

    static String hostname(String text) {
        return matching(HOSTNAME, text, "the hostname of an ingress");
    }

    /**
     * An address in canonical text.
     *
     * @throws ProtocolViolation if it is none, or IPv4-mapped IPv6
     */
    static String address(String text) {
        IPAddress address = ADDRESS.matcher(text).matches() ? new IPAddressString(text).getAddress() : null;
        boolean isCanonical = address != null
                && address.toCanonicalString().equals(text)
                && !(address.isIPv6() && address.toIPv6().isIPv4Mapped());
        if (!isCanonical) {
            throw new ProtocolViolation("\"" + message(text) + "\" is not an IP address in canonical text");
        }
        return text;
    }

    private static String matching(Pattern pattern, String text, String what) {
        if (!pattern.matcher(text).matches()) {
            throw new ProtocolViolation(what + " is \"" + message(text) + "\"");
        }
        return text;
    }
}
