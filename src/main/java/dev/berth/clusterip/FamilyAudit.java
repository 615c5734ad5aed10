package dev.berth.clusterip;

import dev.berth.address.IpFamily;
import java.util.List;
import java.util.stream.Stream;

/** The audit of each family as a whole: whether there is an address for the next Service. */
record FamilyAudit(Usage usage) {
    List<Finding> findings() {
        return Stream.of(IpFamily.values())
                .filter(usage::isFull)
                .map(this::finding)
                .toList();
    }

    private Finding finding(IpFamily family) {
        return new Finding(
                Finding.Reason.FAMILY_FULL,
                "ServiceCIDR",
                first(family),
                "no " + family + " address is free" + why(family)
                        + ": no Service that needs one can be created; make another range, of a network that no Node, Pod"
                        + " or AddressPool has: "
                        + ServiceCidrCommand.create("more", "<CIDR>"));
    }

    /** A ready one before all others. */
    private String first(IpFamily family) {
        return Stream.concat(
                        usage.ranges().stream().filter(range -> range.state() == Usage.State.READY),
                        usage.ranges().stream())
                .filter(range ->
                        range.range().family() == family && range.range().gives())
                .map(Usage.OfRange::serviceCidr)
                .findFirst()
                .orElseThrow();
    }

    private String why(IpFamily family) {
        return usage.family(family)
                .filter(count -> count.size().signum() > 0)
                .map(count -> ", all " + count.size() + " are in use")
                .orElse(", for no ServiceCIDR that has any is ready");
    }
}
