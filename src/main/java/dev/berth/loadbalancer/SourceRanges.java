package dev.berth.loadbalancer;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code spec.loadBalancerSourceRanges} as providers get it: canonical CIDRs without host bits, each once. The API server
 * takes {@code " 010.1.2.3/8"}, too.
 */
final class SourceRanges {
    private static final Pattern CIDR = Pattern.compile("\\s*([0-9A-Fa-f:.]+)/([0-9]{1,3})\\s*");
    private static final Pattern LEADING_ZEROS = Pattern.compile("\\b0+(?=[0-9])");

    private SourceRanges() {}

    /** Those that can be read. */
    static List<String> canonical(List<String> asked) {
        return asked.stream()
                .flatMap(text -> canonical(text).stream())
                .distinct()
                .toList();
    }

    static List<String> unreadable(List<String> asked) {
        return asked.stream().filter(text -> canonical(text).isEmpty()).toList();
    }

    private static Optional<String> canonical(String text) {
        Matcher cidr = CIDR.matcher(text);
        if (!cidr.matches()) {
            return Optional.empty();
        }
        String address = cidr.group(1);
        int length = Integer.parseInt(cidr.group(2));
        return Ip.find(
                        address.contains(":")
                                ? address
                                : LEADING_ZEROS.matcher(address).replaceAll(""))
                .filter(ip -> length <= (ip.family() == IpFamily.IPV4 ? 32 : 128))
                .map(ip -> ip.network(length));
    }
}
