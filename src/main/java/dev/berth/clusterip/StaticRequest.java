package dev.berth.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.ServiceKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which cluster IPs a Service that is to be created is to have.
 *
 * @param families one or two, the primary one first
 * @param named addresses that must be these, one of a family at most; of a family without one any static
 *     address will do
 */
public record StaticRequest(ServiceKey service, List<IpFamily> families, List<Ip> named) {
    private static final String PREFER_DUAL_STACK = "PreferDualStack";
    private static final String REQUIRE_DUAL_STACK = "RequireDualStack";

    /**
     * Makes one.
     *
     * @throws IllegalArgumentException if {@code named} does not go with {@code families}; the message is for
     *     people
     */
    public StaticRequest {
        families = List.copyOf(families);
        named = List.copyOf(named);
        for (Ip ip : named) {
            if (!families.contains(ip.family())) {
                throw new IllegalArgumentException(ip + " is no address of the Service's families " + families);
            }
            for (Ip other : named) {
                if (ip.family() == other.family() && !ip.equals(other)) {
                    throw new IllegalArgumentException(
                            "two " + ip.family() + " addresses are named, " + ip + " and " + other + "; leave one out");
                }
            }
        }
    }

    /**
     * By the API server's rules for a Service's fields: the families are those that it names, else those of
     * the addresses that it names, else the cluster's first; and both if its policy is dual stack.
     *
     * @param ipFamilies {@code spec.ipFamilies}; empty: it names none
     * @param ipFamilyPolicy {@code spec.ipFamilyPolicy}; null: it has none
     * @param named addresses, of the manifest or of whoever creates the Service
     * @param cidrs all ServiceCIDRs: that of the API server's flags has the cluster's families
     * @throws IllegalArgumentException if they do not go together, or no family is known; the message is for
     *     people
     */
    public static StaticRequest of(
            ServiceKey service,
            List<String> ipFamilies,
            @Nullable String ipFamilyPolicy,
            Collection<Ip> named,
            Collection<ServiceCidr> cidrs) {
        List<IpFamily> ofCluster = cidrs.stream()
                .filter(cidr -> cidr.name().equals(Retirement.OF_API_SERVER))
                .flatMap(cidr -> cidr.ranges().stream())
                .map(ServiceRange::family)
                .toList();
        List<IpFamily> families =
                new ArrayList<>(ipFamilies.stream().map(IpFamily::of).toList());
        if (families.isEmpty()) {
            named.stream().map(Ip::family).distinct().forEach(families::add);
        }
        if (families.isEmpty()) {
            families.add(ofCluster.stream()
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("the cluster's primary IP family is not known:"
                            + " there is no ServiceCIDR \"" + Retirement.OF_API_SERVER
                            + "\"; name the family in spec.ipFamilies")));
        }
        if (families.size() == 1 && isDualStack(ipFamilyPolicy, ofCluster)) {
            families.add(families.getFirst() == IpFamily.IPV4 ? IpFamily.IPV6 : IpFamily.IPV4);
        }
        return new StaticRequest(service, families, named.stream().distinct().toList());
    }

    private static boolean isDualStack(@Nullable String policy, List<IpFamily> ofCluster) {
        return REQUIRE_DUAL_STACK.equals(policy) || (PREFER_DUAL_STACK.equals(policy) && ofCluster.size() > 1);
    }

    /** The address of {@code family} that it must be; absent: any static one. */
    public Optional<Ip> named(IpFamily family) {
        return named.stream().filter(ip -> ip.family() == family).findFirst();
    }

    /** The same, of which these must be some, too. */
    public StaticRequest naming(Collection<Ip> more) {
        return new StaticRequest(
                service,
                families,
                Stream.concat(named.stream(), more.stream()).distinct().toList());
    }
}
