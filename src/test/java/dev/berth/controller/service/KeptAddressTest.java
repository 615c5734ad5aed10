package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.SampleClaims;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an Address says that was kept for the names of several, once one of them is back. */
class KeptAddressTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey OTHER = new ServiceKey("prod", "other");
    private static final Ip IP = Ip.parse("192.0.2.1");

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {});
    private final PoolOperator operator = new PoolOperator(cluster, () -> Instant.EPOCH);

    private @Nullable Sharing sharingOnceWebIsBack(Owner other, List<Sharing.Port> ports, String key) {
        Sharing sharing = new Sharing("k0", "ipMode Proxy, externalTrafficPolicy Cluster", ports);
        ClaimSpec spec =
                SampleClaims.retained(ClaimSpec.of(PoolOperator.POOL, PoolOperator.CLASS, other, new Owner(WEB, null))
                        .shared(sharing));
        cluster.putClaim(new Claim(IP, cluster.newUid(), "", spec));
        cluster.put(
                WEB,
                SampleService.named(WEB, "uid-web")
                        .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4)
                        .annotation(WellKnownNames.SHARING_KEY, key));
        operator.hear();

        operator.control.reconcile(WEB);

        Claim claim = Objects.requireNonNull(cluster.claims.get(IP));
        assertThat(claim.owners()).contains(new Owner(WEB, "uid-web"));
        return claim.spec().sharing();
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        operator.ledger.checkInvariants();
    }

    private void createSharing(ServiceKey key, int port) {
        cluster.put(
                key,
                SampleService.named(key, "uid-" + key.name())
                        .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4)
                        .ports(new Port("", Protocol.TCP, port, 30000 + port))
                        .annotation(WellKnownNames.SHARING_KEY, "k0"));
        operator.hear();
        operator.control.reconcile(key);
    }

    @Test
    void portThatAnotherGivesBack_isHadByTheOneThatAskedForIt() {
        createSharing(WEB, 80);
        createSharing(OTHER, 81);
        createSharing(WEB, 81);
        assertThat(Objects.requireNonNull(cluster.services.get(WEB))
                        .condition(WellKnownNames.SHARING_CONFLICT)
                        .map(Condition::reason))
                .hasValue("PortInUse");

        cluster.endService(OTHER);
        operator.hear();
        operator.control.reconcile(OTHER);
        operator.reconcileDue();

        assertThat(cluster.claims.values())
                .singleElement()
                .satisfies(claim -> assertThat(
                                Objects.requireNonNull(claim.spec().sharing()).ports())
                        .containsExactly(new Sharing.Port(WEB, "TCP", 81)));
    }

    @Test
    void addressThatAServiceJoins_isRetainedForIt_fromTheStart() {
        createSharing(WEB, 80);
        cluster.put(
                OTHER,
                SampleService.named(OTHER, "uid-other")
                        .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4)
                        .ports(new Port("", Protocol.TCP, 81, 30081))
                        .annotation(WellKnownNames.SHARING_KEY, "k0")
                        .annotation(WellKnownNames.RETAIN, "true"));
        operator.hear();
        operator.control.reconcile(OTHER);

        assertThat(cluster.claims.values())
                .singleElement()
                .satisfies(claim -> assertThat(claim.spec().retaining()).containsExactly(OTHER));
    }

    @Test
    void sharesByTheKeyOfTheOneThatIsBack_withItsPorts() {
        assertThat(sharingOnceWebIsBack(new Owner(OTHER, null), List.of(), "k1"))
                .isNotNull()
                .satisfies(sharing -> assertThat(sharing.key()).isEqualTo("k1"))
                .satisfies(sharing -> assertThat(sharing.ports()).hasToString("[TCP/80]"));
    }

    @Test
    void hasThePortsOfBoth_ifTheOtherHasItStill() {
        List<Sharing.Port> others = List.of(new Sharing.Port(OTHER, "TCP", 81));

        assertThat(sharingOnceWebIsBack(new Owner(OTHER, "uid-other"), others, "k0"))
                .isNotNull()
                .satisfies(sharing -> assertThat(sharing.ports()).hasToString("[TCP/81, TCP/80]"));
    }
}
