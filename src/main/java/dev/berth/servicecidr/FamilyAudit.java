package dev.berth.servicecidr;

import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.stream.Stream;

/** The audit of what is in use: whether there is an address for the next Service, and for who asks for one. */
record FamilyAudit(Usage usage) {
    List<Finding> findings() {
        return Stream.concat(
                        Stream.of(IpFamily.values()).filter(usage::isFull).map(this::finding),
                        usage.ranges().stream()
                                .filter(Usage.OfRange::isStaticBandConsumed)
                                .map(FamilyAudit::consumed))
                .toList();
    }

    private static Finding consumed(Usage.OfRange range) {
        return new Finding(
                Finding.Fault.DYNAMIC_BAND_FULL,
                Finding.SERVICE_CIDR,
                range.serviceCidr(),
                "the dynamic band of " + range.range() + " is full, so the API server allocates from its static band"
                        + " to any Service, even if another range has free addresses; reserve the addresses you need,"
                        + " especially the cluster DNS address, with ClusterIPReservations");
    }

    private Finding finding(IpFamily family) {
        return new Finding(
                Finding.Fault.FAMILY_FULL,
                "ServiceCIDR",
                first(family),
                "no " + family + " address is free" + why(family)
                        + ": no Service that needs one can be created; create another range, in a network that no"
                        + " Node, Pod or AddressPool uses: "
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
                .orElse(", because no ServiceCIDR that has any is ready");
    }
}
