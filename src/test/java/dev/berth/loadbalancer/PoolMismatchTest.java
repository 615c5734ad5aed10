package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PoolMismatchTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final PoolSet POOLS = PoolSet.of(
            List.of(
                    pool("edge", "192.0.2.0/24", "2001:db8::/120"),
                    pool("office", "203.0.113.0/24", "2001:db8:1::/120")),
            List.of());

    private static PoolDeclaration pool(String name, String... ranges) {
        return new PoolDeclaration(name, Instant.EPOCH, List.of(ranges), List.of(), false, PoolPolicy.OPEN, false);
    }

    private static Holding held(String ip, @Nullable String pool) {
        ClaimSpec spec = ClaimSpec.of(pool, "x", new Owner(WEB, "u1"));
        return new Holding(Ip.parse(ip), Holding.State.CLAIMED, spec, new Claim(Ip.parse(ip), "c-" + ip, "5", spec));
    }

    private static SampleService web() {
        return SampleService.named(WEB, "u1").families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6);
    }

    private static HoldingSelection keeping(
            SampleService service, AddressConstraints constraints, Holding... holdings) {
        return HoldingSelection.of(service.build(), List.of(holdings), constraints, POOLS);
    }

    private static Optional<WaitReason> unmet(
            SampleService service, AddressConstraints constraints, Holding... holdings) {
        return PoolMismatch.unmet(
                service.build(), keeping(service, constraints, holdings).kept(), constraints, POOLS);
    }

    private static AddressConstraints asking(List<String> ips, String... pools) {
        return new AddressConstraints(ips.stream().map(Ip::parse).toList(), List.of(pools), null, false);
    }

    @Test
    void addressOfOnePool_andTheNameOfAnother_contradictEachOther_alsoOnceItIsHeld() {
        assertThat(unmet(web(), asking(List.of("192.0.2.7"), "office"), held("192.0.2.7", "edge")))
                .hasValue(new WaitReason(
                        Reason.AddressOfOtherPool,
                        "the Service requests 192.0.2.7, which is in AddressPool \"edge\", and also requests"
                                + " an address from AddressPool \"office\"; if recreated, it would get no"
                                + " address; correct one of the two annotations (see docs/annotations.md)"));
        assertThat(unmet(web(), asking(List.of("192.0.2.7"), "exmaple"), held("192.0.2.7", "edge")))
                .hasValueSatisfying(why -> assertThat(why.message())
                        .contains("an address from AddressPool \"exmaple\", which does not exist;"));
        assertThat(unmet(web(), asking(List.of("192.0.2.7"), "office", "edge"), held("192.0.2.7", "edge")))
                .isEmpty();
    }

    @Test
    void poolThatDoesNotExist_isTheReason_withWhatIsMeant() {
        assertThat(unmet(web(), asking(List.of(), "ofice"), held("192.0.2.7", "edge")))
                .hasValue(new WaitReason(
                        Reason.PoolNotFound,
                        "the Service requests an address from AddressPool \"ofice\", which does not exist"
                                + " (did you mean \"office\"?) (see docs/annotations.md)"));
        assertThat(unmet(web(), asking(List.of(), "ofice", "office"), held("192.0.2.7", "edge")))
                .hasValueSatisfying(why -> assertThat(why.reason()).isEqualTo(Reason.ReplacementPending));
    }

    @Test
    void addressThatNoPoolHas_contradictsNone() {
        assertThat(unmet(web(), asking(List.of("198.51.100.1"), "office"), held("198.51.100.1", "edge")))
                .isEmpty();
    }

    @Test
    void anotherPool_movesNobody_untilTheAddressIsGivenUp() {
        AddressConstraints constraints = asking(List.of(), "office");
        Holding four = held("192.0.2.7", "edge");
        Holding six = held("2001:db8::7", "edge");

        assertThat(keeping(web(), constraints, four, six).movingFamilies()).isEmpty();
        assertThat(unmet(web(), constraints, four, six))
                .hasValue(new WaitReason(
                        Reason.ReplacementPending,
                        "the Service requests an address from AddressPool \"office\" (see"
                                + " docs/annotations.md); to replace 192.0.2.7 and 2001:db8::7: kubectl"
                                + " annotate service web --namespace=prod"
                                + " berth.dev/replace-address=192.0.2.7,2001:db8::7 --overwrite"));

        SampleService consenting = web().annotation(WellKnownNames.REPLACE_ADDRESS, "192.0.2.7, 2001:DB8:0::7");
        assertThat(keeping(consenting, constraints, four, six).movingFamilies())
                .containsExactly(IpFamily.IPV4, IpFamily.IPV6);
    }

    @Test
    void whatIsGivenUp_isOneAddress_andNoneThatComesLater() {
        SampleService consenting = web().annotation(WellKnownNames.REPLACE_ADDRESS, "192.0.2.7");

        assertThat(keeping(consenting, asking(List.of(), "office"), held("192.0.2.8", "edge"))
                        .movingFamilies())
                .isEmpty();
        assertThat(keeping(consenting, AddressConstraints.NONE, held("192.0.2.7", "edge"))
                        .movingFamilies())
                .isEmpty();
    }

    @Test
    void addressOfAPoolThatIsAsked_orThatCameFromOne_isRight() {
        assertThat(unmet(web(), asking(List.of(), "office"), held("203.0.113.1", "edge")))
                .isEmpty();
        assertThat(unmet(web(), asking(List.of(), "edge"), held("203.0.113.1", "edge")))
                .isEmpty();
    }

    @Test
    void addressThatWasReservedByHand_stays_andItIsSaidHowToHaveAnother() {
        Holding reserved = held("192.0.2.9", null);

        assertThat(keeping(web(), asking(List.of(), "office"), reserved).movingFamilies())
                .isEmpty();
        assertThat(unmet(web(), asking(List.of(), "office"), reserved))
                .hasValue(new WaitReason(
                        Reason.AddressReserved,
                        "the Service requests an address from AddressPool \"office\", but 192.0.2.9 was"
                                + " reserved manually and is kept; to use another address, set"
                                + " berth.dev/addresses (see docs/annotations.md)"));
        assertThat(unmet(web(), asking(List.of(), "ofice"), reserved))
                .hasValueSatisfying(why -> assertThat(why.message()).contains("\"ofice\", which does not exist"));
        assertThat(unmet(web(), asking(List.of(), "edge"), reserved)).isEmpty();
        assertThat(unmet(web(), AddressConstraints.NONE, reserved)).isEmpty();
        assertThat(unmet(web(), asking(List.of("192.0.2.9"), "edge"), reserved)).isEmpty();
    }

    @Test
    void ofManyPools_threeAreNamed() {
        String[] many = Stream.iterate(0, i -> i + 1)
                .limit(1_000)
                .map(i -> "p" + i + "x".repeat(1_000))
                .toArray(String[]::new);

        assertThat(unmet(web(), asking(List.of(), many), held("192.0.2.7", "edge")))
                .hasValueSatisfying(why ->
                        assertThat(why.message()).contains(" or 997 more").hasSizeLessThan(1_200));
    }
}
