package dev.berth.ip;

import java.util.Optional;
import java.util.stream.Stream;

/** An IP family, by the name that Kubernetes gives it. */
public enum IpFamily {
    IPV4("IPv4"),
    IPV6("IPv6");

    private final String text;

    IpFamily(String text) {
        this.text = text;
    }

    /**
     * The family of this name.
     *
     * @param text {@code IPv4} or {@code IPv6}, as in a Service's {@code spec.ipFamilies}
     * @throws IllegalArgumentException if it is neither
     */
    public static IpFamily of(String text) {
        for (IpFamily family : values()) {
            if (family.text.equals(text)) {
                return family;
            }
        }
        throw new IllegalArgumentException("unknown IP family \"" + text + "\"; use IPv4 or IPv6");
    }

    /** The family of this name; absent: there is none. */
    public static Optional<IpFamily> find(String text) {
        return Stream.of(values()).filter(family -> family.text.equals(text)).findFirst();
    }

    @Override
    public String toString() {
        return text;
    }
}
