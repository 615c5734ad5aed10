package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What follows from a plan, whatever comes of it. */
class ServicePlanTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceState SERVICE = SampleService.named(WEB, "u1").build();
    private static final ClassSet CLASSES =
            SampleClasses.one("x/y", "edge", Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS);
    private static final ServicePlan SERVED =
            new ServicePlan.Serve(SERVICE, CLASSES.served().getFirst(), AddressConstraints.NONE, List.of(), false);

    private static final ServicePlan REFUSED = new ServicePlan.Serve(
            SERVICE,
            CLASSES.served().getFirst(),
            AddressConstraints.NONE,
            List.of(new Step.Refuse(new WaitReason(Reason.AddressNotAvailable, "no AddressPool allows it"))),
            false);

    private static final ServicePlan OF_ASKED_POOL = new ServicePlan.Serve(
            SERVICE,
            CLASSES.served().getFirst(),
            new AddressConstraints(List.of(), List.of("edge"), null, false),
            List.of(),
            false);

    private static ServicePlan skip(Step.Skipping... steps) {
        return new ServicePlan.Skip(SERVICE, Reason.ClassMissing, null, "bring it back", List.of(steps));
    }

    @Test
    void serviceThatIsAnothers_doesNotWait_unlikeOneWhoseClassMayComeBack() {
        assertThat(new ServicePlan.NotOurs(List.of()).isAnothers()).isTrue();
        assertThat(skip().isAnothers()).isTrue();
        assertThat(skip(new Step.Explain(Reason.ClassMissing, "bring it back", List.of()))
                        .isAnothers())
                .isFalse();
        assertThat(SERVED.isAnothers()).isFalse();
    }

    private static ServiceSnapshot holding(List<Holding> holdings) {
        return new ServiceSnapshot(
                WEB,
                Optional.of(SERVICE),
                holdings,
                PoolSet.of(List.of(), List.of()),
                CLASSES,
                Optional.empty(),
                Map.of(),
                QueuePosition.FIRST,
                List.of());
    }

    @Test
    void serviceOfAnAddressThatNoPoolHas_orWhoseWishIsRefused_orThatAsksForPools_dependsOnPools() {
        Claim stranded = new Claim(Ip.parse("192.0.2.1"), "c1", "5", ClaimSpec.of("gone", "x/y", new Owner(WEB, "u1")));
        Claim without = new Claim(Ip.parse("192.0.2.2"), "c2", "5", ClaimSpec.of(null, "x/y", new Owner(WEB, "u1")));

        assertThat(holding(List.of(Holding.of(stranded))).dependsOnPools(SERVED))
                .isTrue();
        assertThat(holding(List.of(Holding.of(without))).dependsOnPools(SERVED)).isFalse();
        assertThat(holding(List.of()).dependsOnPools(SERVED)).isFalse();
        assertThat(holding(List.of()).dependsOnPools(REFUSED)).isTrue();
        assertThat(holding(List.of(Holding.of(without))).dependsOnPools(OF_ASKED_POOL))
                .isTrue();
    }
}
