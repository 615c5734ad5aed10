package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IgnoredAnnotationsTest {
    private static final String PAGE = " (see docs/annotations.md)";
    private static final Capabilities POOLS = Capabilities.fromPools(IpMode.VIP);

    private static Optional<WaitReason> of(String... namesAndValues) {
        return of(POOLS, List.of(), namesAndValues);
    }

    private static Optional<WaitReason> of(
            Capabilities can, List<ForeignAnnotations> sources, String... namesAndValues) {
        SampleService service = new SampleService();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            service = service.annotation(namesAndValues[i], namesAndValues[i + 1]);
        }
        return IgnoredAnnotations.of(service.build(), can, sources);
    }

    private static ForeignAnnotations source(String controller) {
        return ForeignAnnotations.KNOWN.stream()
                .filter(one -> one.controller().equals(controller))
                .findFirst()
                .orElseThrow();
    }

    /** docs/annotations.md. */
    @Test
    void thePageShowsWhatIsSaid() throws IOException {
        TypedPage.Step page = TypedPage.step(Path.of("docs/annotations.md"), "kubectl get service web");

        assertThat(of("berth.dev/adresses", "192.0.2.7"))
                .hasValueSatisfying(why -> assertThat(page.printed()).isEqualTo(why.message()));
    }

    @ParameterizedTest
    @CsvSource({
        "berth.dev/adresses,berth.dev/addresses",
        "berth.dev/address,berth.dev/addresses",
        "berth.dev/address-pools,berth.dev/address-pool",
        "berth.dev/addressPool,berth.dev/address-pool",
        "berth.dev/pool,berth.dev/address-pool",
        "berth.dev/sharing-keys,berth.dev/sharing-key",
        "berth.dev/Retain,berth.dev/retain",
        "berth.dev/allow-shared-ip,berth.dev/sharing-key",
        "berth.dev/loadBalancerIPs,berth.dev/addresses",
        "bert.dev/address-pool,berth.dev/address-pool",
        "berth.de/adress-pool,berth.dev/address-pool"
    })
    void aMisspeltOne_isSaidWithWhatIsMeant(String name, String meant) {
        assertThat(of(name, "x"))
                .hasValue(new WaitReason(
                        Reason.UnknownAnnotation,
                        "annotation " + name + " is not known; did you mean " + meant + "?" + PAGE));
    }

    @Test
    void oneThatIsNearNothing_isSaidWithThoseThatAre() {
        assertThat(of("berth.dev/colour", "blue"))
                .hasValue(
                        new WaitReason(
                                Reason.UnknownAnnotation,
                                "annotation berth.dev/colour is not known; those that are: berth.dev/addresses, berth.dev/address-pool, berth.dev/sharing-key, berth.dev/retain, berth.dev/replace-address (see docs/annotations.md)"));
    }

    @Test
    void oneThatHasNoEqual_isSaid_alsoWhereItsControllersOnesAreRead() {
        WaitReason said = new WaitReason(
                Reason.AnnotationOfOtherController,
                "annotation lbipam.cilium.io/sharing-cross-namespace belongs to cilium and is not read: Services"
                        + " share an address within one namespace (see docs/annotations.md)");

        assertThat(of("lbipam.cilium.io/sharing-cross-namespace", "*")).hasValue(said);
        assertThat(of(POOLS, List.of(source("cilium")), "lbipam.cilium.io/sharing-cross-namespace", "*"))
                .hasValue(said);
    }

    @Test
    void oneOfAnotherKind_isSaidWithThatKind() {
        assertThat(of("berth.dev/release-stranded", "3"))
                .hasValueSatisfying(
                        why -> assertThat(why.message())
                                .isEqualTo(
                                        "annotation berth.dev/release-stranded is for AddressPools, and does nothing on a Service (see docs/annotations.md)"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "berth.dev/addresses",
                "berth.dev/address-pool",
                "berth.dev/sharing-key",
                "berth.dev/retain",
                "berth.dev/replace-address",
                "berth.dev/served-by-class",
                "berth.dev/node-ports-released",
                "addresses",
                "retain",
                "example.org/addresses",
                "bert.dev/colour",
                "kubectl.kubernetes.io/last-applied-configuration",
                "metallb.io/ip-allocated-from-pool",
                "kube-vip.io/vipHost"
            })
    void whatIsRead_orIsSomebodyElses_isNotSaid(String name) {
        assertThat(of(name, "x")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "metallb.io/address-pool,metallb,berth.dev/address-pool",
        "metallb.universe.tf/loadBalancerIPs,metallb,berth.dev/addresses",
        "metallb.io/allow-shared-ip,metallb,berth.dev/sharing-key",
        "kube-vip.io/loadbalancerIPs,kube-vip,berth.dev/addresses",
        "lbipam.cilium.io/ips,cilium,berth.dev/addresses",
        "purelb.io/service-group,purelb,berth.dev/address-pool"
    })
    void oneOfAnotherController_isSaid_unlessItsServicesAreTakenOver(String name, String controller, String ours) {
        assertThat(of(name, "x"))
                .hasValue(new WaitReason(
                        Reason.AnnotationOfOtherController,
                        "annotation " + name + " belongs to " + controller + " and is not read; use " + ours
                                + ", or start Berth with --migrate-from=" + controller + PAGE));
        assertThat(of(POOLS, List.of(source(controller)), name, "x")).isEmpty();
    }

    @Test
    void oneOfAnotherController_isNotSaid_whereBerthsOwnSaysTheSameThing() {
        assertThat(of("metallb.io/address-pool", "a", "berth.dev/address-pool", "edge"))
                .isEmpty();
        assertThat(of("metallb.io/address-pool", "a", "berth.dev/addresses", "192.0.2.7"))
                .isPresent();
    }

    @Test
    void whatTheProviderReads_isNotSaid() {
        Capabilities reading = POOLS.withAnnotations("berth.dev/colour", "metallb.io/");

        assertThat(of(reading, List.of(), "berth.dev/colour", "blue", "metallb.io/address-pool", "a"))
                .isEmpty();
    }

    @Test
    void ofMany_threeAreNamed() {
        String[] many = IntStream.range(0, 40)
                .boxed()
                .flatMap(i -> List.of("berth.dev/addresse" + (i % 10) + i, "x").stream())
                .toArray(String[]::new);

        assertThat(of(many))
                .hasValueSatisfying(why -> assertThat(why.message())
                        .endsWith("; and 37 more" + PAGE)
                        .hasSizeLessThan(400));
    }
}
