package dev.berth.controller.clusterip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.FamilyGrowth;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Growth;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterIps;
import dev.berth.clusterip.Parent;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.clusterip.ServiceRange;
import dev.berth.controller.Backoff;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Write;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a range that could not be made is tried again. */
class RangeGrowthTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final FamilyGrowth IPV4 = new FamilyGrowth(List.of("10.100.0.0/16"), 24, 1, 4);
    private static final List<ServiceCidr> CIDRS = List.of(
            new ServiceCidr("kubernetes", "uid", List.of(ServiceRange.parse("10.96.0.0/28")), NOW, null, null, true));

    private final RangeGrowth growth =
            new RangeGrowth(refusing(), List::of, new Backoff(new Random(1)), InstantSource.fixed(NOW));

    /** One address of the range is in use, and no other may be made. */
    private static ClusterNetwork refusing() {
        ClusterIps ips = new ClusterIps();
        Parent web = Parent.of(new ServiceKey("default", "web"));
        ips.put(new ClusterIp(Ip.parse("10.96.0.3"), "uid", ClusterIp.ALLOCATOR, "IPv4", web, NOW));
        return (ClusterNetwork) Proxy.newProxyInstance(
                ClusterNetwork.class.getClassLoader(),
                new Class<?>[] {ClusterNetwork.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "askClusterIps" -> ((Function<ClusterIps, ?>) arguments[0]).apply(ips);
                    case "madeByBerth" -> List.of();
                    case "createServiceCidr" -> new Write.Refused<ServiceCidr>("no");
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static Spec spec(boolean dryRun, @Nullable FamilyGrowth ipv4) {
        return new Spec(null, new Growth(dryRun, ipv4, null, null), null, null);
    }

    @Test
    void rangeThatCannotBeMade_isTriedAgainLater() {
        assertThat(growth.grow(spec(false, IPV4), CIDRS))
                .singleElement()
                .isInstanceOf(RangeGrowth.Outcome.Held.class)
                .hasFieldOrPropertyWithValue("reason", "Forbidden");
        assertThat(growth.again()).hasValueSatisfying(again -> assertThat(again).isAfter(NOW));
    }

    @Test
    void rangeThatIsOnlyToBeProposedByNow_isNotTriedAgain() {
        growth.grow(spec(false, IPV4), CIDRS);
        growth.grow(spec(true, IPV4), CIDRS);
        assertThat(growth.again()).isEmpty();
    }

    @Test
    void rangeOfFamilyThatMayNotGrowAnyMore_isNotTriedAgain() {
        growth.grow(spec(false, IPV4), CIDRS);
        growth.grow(spec(false, null), CIDRS);
        assertThat(growth.again()).isEmpty();
    }
}
