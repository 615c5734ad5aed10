package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.SampleClaims;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.SamplePools;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HoldingSelectionTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey OTHER = new ServiceKey("prod", "other");
    private static final Owner OWNER = new Owner(WEB, "u1");
    private static final Owner SHARER = new Owner(OTHER, "u2");

    private static SampleService web() {
        return SampleService.named(WEB, "u1");
    }

    private static Sharing sharing(ServiceKey service, String key, int... ports) {
        return new Sharing(
                key,
                "ipMode VIP, externalTrafficPolicy Cluster",
                IntStream.of(ports)
                        .mapToObj(port -> new Sharing.Port(service, "TCP", port))
                        .toList());
    }

    private static Holding held(String ip, ClaimSpec spec) {
        return new Holding(Ip.parse(ip), Holding.State.CLAIMED, spec, new Claim(Ip.parse(ip), "c-" + ip, "5", spec));
    }

    private static Holding held(String ip) {
        return held(ip, ClaimSpec.of("edge", "x", OWNER));
    }

    private static Holding shared(String ip, String key, int others) {
        return held(ip, new ClaimSpec("edge", "x", List.of(SHARER, OWNER), sharing(OTHER, key, others), null, false));
    }

    private static PoolSet poolSet(String pool, boolean releasing, String... ranges) {
        return PoolSet.of(
                List.of(new PoolDeclaration(
                        pool, Instant.EPOCH, List.of(ranges), List.of(), false, PoolPolicy.OPEN, releasing)),
                List.of());
    }

    private static AddressConstraints named(String... ips) {
        return new AddressConstraints(Stream.of(ips).map(Ip::parse).toList(), List.of(), null, false);
    }

    private static AddressConstraints pools(String... pools) {
        return new AddressConstraints(List.of(), List.of(pools), null, false);
    }

    private static AddressConstraints sharingBy(@Nullable Sharing sharing) {
        return new AddressConstraints(List.of(), List.of(), sharing, false);
    }

    private static HoldingSelection keeping(
            SampleService service, AddressConstraints constraints, Holding... holdings) {
        return HoldingSelection.of(
                service.build(), List.of(holdings), constraints, poolSet("edge", false, "192.0.2.0/24"));
    }

    @Test
    void oneOfEachFamily_isKept_whatIsPublishedFirst() {
        HoldingSelection keeping =
                keeping(web().ingress("192.0.2.2"), AddressConstraints.NONE, held("192.0.2.1"), held("192.0.2.2"));

        assertThat(keeping.kept()).containsExactly(held("192.0.2.2"));
        assertThat(keeping.rest()).containsExactly(held("192.0.2.1"));
        assertThat(keeping.lacking()).isEmpty();
        assertThat(keeping.movingFamilies()).isEmpty();
    }

    @Test
    void whatIsAskedFor_comesBeforeWhatIsPublished() {
        HoldingSelection keeping =
                keeping(web().ingress("192.0.2.2"), named("192.0.2.1"), held("192.0.2.2"), held("192.0.2.1"));

        assertThat(keeping.kept()).containsExactly(held("192.0.2.1"));
    }

    @Test
    void whileAnotherIsAskedFor_theOldOneIsKept() {
        HoldingSelection keeping = keeping(web(), named("192.0.2.9"), held("192.0.2.1"));

        assertThat(keeping.kept()).containsExactly(held("192.0.2.1"));
        assertThat(keeping.movingFamilies()).containsExactly(IpFamily.IPV4);
        assertThat(keeping.rest()).isEmpty();
    }

    @Test
    void aFamilyThatIsNoLongerWanted_isGivenBack_andOneThatIsAdded_isLacking() {
        Holding six = held("2001:db8::1");
        SampleService dual = web().families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV6, IpFamily.IPV4);

        assertThat(keeping(dual, AddressConstraints.NONE, held("192.0.2.1"), six)
                        .kept())
                .containsExactly(six, held("192.0.2.1"));
        assertThat(keeping(dual, AddressConstraints.NONE, six).lacking()).containsExactly(IpFamily.IPV4);
        assertThat(keeping(web(), AddressConstraints.NONE, held("192.0.2.1"), six)
                        .rest())
                .containsExactly(six);
    }

    @Test
    void whatIsOfAnotherUid_isNotItsOwn() {
        Holding former = held("192.0.2.1", ClaimSpec.of("edge", "x", new Owner(WEB, "u0")));

        assertThat(keeping(web(), AddressConstraints.NONE, former))
                .isEqualTo(new HoldingSelection(List.of(), List.of(IpFamily.IPV4), List.of(), List.of()));
    }

    @Test
    void whatAnEditLeftOutside_isKept_untilItIsTakenBack() {
        Holding outside = held("203.0.113.1");
        ServiceState service = web().build();

        assertThat(HoldingSelection.of(
                                service,
                                List.of(outside),
                                AddressConstraints.NONE,
                                poolSet("edge", false, "192.0.2.0/24"))
                        .kept())
                .containsExactly(outside);
        HoldingSelection taken = HoldingSelection.of(
                service, List.of(outside), AddressConstraints.NONE, poolSet("edge", true, "192.0.2.0/24"));
        assertThat(taken.kept()).isEmpty();
        assertThat(taken.lacking()).containsExactly(IpFamily.IPV4);
        assertThat(taken.rest()).containsExactly(outside);
        assertThat(HoldingSelection.of(
                                service,
                                List.of(outside),
                                AddressConstraints.NONE,
                                poolSet("edge", true, "203.0.113.0/24"))
                        .kept())
                .containsExactly(outside);
    }

    @Test
    void aPoolAskedFor_isRightIfTheAddressIsInIt_orCameFromIt() {
        PoolSet renamed = poolSet("vip", false, "192.0.2.0/24");

        assertThat(HoldingSelection.asAsked(held("192.0.2.1"), pools("edge"), renamed))
                .isTrue();
        assertThat(HoldingSelection.asAsked(held("192.0.2.1"), pools("vip"), renamed))
                .isTrue();
        assertThat(HoldingSelection.asAsked(held("192.0.2.1"), pools("other"), renamed))
                .isFalse();
        assertThat(HoldingSelection.asAsked(held("192.0.2.1", ClaimSpec.of(null, "x", OWNER)), pools("other"), renamed))
                .isTrue();
        assertThat(HoldingSelection.asAsked(
                        held("192.0.2.1"),
                        new AddressConstraints(List.of(Ip.parse("192.0.2.1")), List.of("other"), null, false),
                        renamed))
                .isTrue();
    }

    @Test
    void aSharedAddress_isAsAsked_byTheSameKeyOnly() {
        PoolSet pools = poolSet("edge", false, "192.0.2.0/24");
        Holding shared = shared("192.0.2.1", "k", 443);

        assertThat(HoldingSelection.asAsked(shared, sharingBy(sharing(WEB, "k", 80)), pools))
                .isTrue();
        assertThat(HoldingSelection.asAsked(shared, sharingBy(sharing(WEB, "l", 80)), pools))
                .isFalse();
        assertThat(HoldingSelection.asAsked(shared, AddressConstraints.NONE, pools))
                .isFalse();
        assertThat(HoldingSelection.asAsked(held("192.0.2.1"), sharingBy(sharing(WEB, "k", 80)), pools))
                .isTrue();
    }

    private static AddressAnnotations asked(SampleService service) {
        return AddressAnnotations.of(service.build(), IpMode.VIP, List.of());
    }

    private static @Nullable ClaimSpec amended(Holding kept, SampleService service) {
        return amended(kept, service, PoolSet.empty());
    }

    private static @Nullable ClaimSpec amended(Holding kept, SampleService service, PoolSet pools) {
        return HoldingSelection.amended(kept, service.build(), asked(service), pools)
                .orElse(null);
    }

    @Test
    void theClaim_namesThePoolThatHasTheAddressNow_orTheLastOneThatHad() {
        Holding held = held("192.0.2.1");
        PoolSet renamed = PoolSet.of(List.of(SamplePools.pool("front", "192.0.2.0/30")), List.of());

        assertThat(amended(held, web(), renamed)).isEqualTo(held.spec().takenFrom("front"));
        assertThat(amended(held("192.0.2.1", held.spec().takenFrom("front")), web(), renamed))
                .isNull();
        assertThat(amended(held, web(), PoolSet.empty())).isNull();
        assertThat(amended(held("192.0.2.1", held.spec().takenFrom(null)), web(), renamed))
                .as("never of a pool")
                .isNull();
    }

    @Test
    void theClaim_saysWhatTheServiceSaysOfKeepingAndSharing() {
        ClaimSpec plain = held("192.0.2.1").spec();

        assertThat(amended(held("192.0.2.1"), web())).isNull();
        assertThat(amended(held("192.0.2.1"), web().annotation(WellKnownNames.RETAIN, "true")))
                .isEqualTo(plain.retainedFor(WEB, true));
        assertThat(amended(held("192.0.2.1", SampleClaims.retained(plain)), web()))
                .isNull();
        assertThat(amended(held("192.0.2.1"), web().annotation(WellKnownNames.SHARING_KEY, "k")))
                .isEqualTo(plain.shared(sharing(WEB, "k", 80)));
        assertThat(amended(held("192.0.2.1", plain.shared(sharing(WEB, "k", 80))), web()))
                .isEqualTo(plain);
    }

    @Test
    void retainThatIsTakenOff_isUndone_unlessAnotherOfThoseWhoShareAsksForIt() {
        ClaimSpec kept = held("192.0.2.1").spec().retainedFor(WEB, true);
        ClaimSpec shared = shared("192.0.2.1", "k", 443).spec();
        SampleService sharer = web().annotation(WellKnownNames.SHARING_KEY, "k").ports(List.of());

        assertThat(amended(held("192.0.2.1", kept), web()))
                .isEqualTo(held("192.0.2.1").spec());
        assertThat(amended(held("192.0.2.1", shared.retainedFor(WEB, true)), sharer))
                .isEqualTo(shared);
        assertThat(amended(held("192.0.2.1", shared.retainedFor(OTHER, true).retainedFor(WEB, true)), sharer))
                .isEqualTo(shared.retainedFor(OTHER, true));
        assertThat(amended(
                        held("192.0.2.1", shared.retainedFor(OTHER, true)),
                        sharer.annotation(WellKnownNames.RETAIN, "false")))
                .isNull();
    }

    @Test
    void retainThatAPersonWroteOnTheAddress_isUndoneByASayingOfTheServiceOnly() {
        ClaimSpec byHand = SampleClaims.retained(held("192.0.2.1").spec());

        assertThat(amended(held("192.0.2.1", byHand), web())).isNull();
        assertThat(amended(held("192.0.2.1", byHand), web().annotation(WellKnownNames.RETAIN, "false")))
                .isEqualTo(held("192.0.2.1").spec());
    }

    @Test
    void aPortEdit_isWrittenToTheSharedClaim_unlessItClashes() {
        Holding shared = shared("192.0.2.1", "k", 443);
        SampleService fits = web().annotation(WellKnownNames.SHARING_KEY, "k");

        ClaimSpec amended = Objects.requireNonNull(amended(shared, fits));
        assertThat(amended.sharing()).extracting(Sharing::ports).hasToString("[TCP/443, TCP/80]");
        assertThat(HoldingSelection.clash(shared, asked(fits).constraints())).isEmpty();
        assertThat(amended(shared("192.0.2.1", "k", 80), fits)).isNull();
    }

    @Test
    void thoseWhoShare_leaveEachOthersPortsInTheirPlaces() {
        Sharing both = new Sharing(
                "k",
                "ipMode VIP, externalTrafficPolicy Cluster",
                List.of(new Sharing.Port(WEB, "TCP", 80), new Sharing.Port(OTHER, "TCP", 443)));
        Holding shared = held("192.0.2.1", new ClaimSpec("edge", "x", List.of(OWNER, SHARER), both, null, false));

        assertThat(amended(shared, web().annotation(WellKnownNames.SHARING_KEY, "k")))
                .isNull();
    }

    @Test
    void aPortEditThatClashes_isWarnedOf_andTheEarlierHolderKeepsThePort() {
        assertThat(HoldingSelection.clash(shared("192.0.2.1", "k", 80), sharingBy(sharing(WEB, "k", 80))))
                .contains(new WaitReason(
                        Reason.PortInUse,
                        "TCP/80 of 192.0.2.1 is used by Service prod/other; change the port, or the annotation"
                                + " berth.dev/sharing-key (see docs/annotations.md)"));
        assertThat(HoldingSelection.clash(shared("192.0.2.1", "k", 80), sharingBy(sharing(WEB, "l", 80))))
                .isEmpty();
        assertThat(HoldingSelection.clash(shared("192.0.2.1", "k", 80), AddressConstraints.NONE))
                .isEmpty();
        assertThat(HoldingSelection.clash(held("192.0.2.1"), sharingBy(sharing(WEB, "k", 80))))
                .isEmpty();
    }

    @Test
    void otherTermsThanThoseItShares_areWarnedOf() {
        Sharing local = new Sharing("k", "Local", List.of());

        assertThat(HoldingSelection.clash(shared("192.0.2.1", "k", 80), sharingBy(local))
                        .map(WaitReason::reason))
                .contains(Reason.TermsDiffer);
    }
}
