package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.servicecidr.UsageSample;
import dev.berth.testing.TypedPage;
import io.fabric8.generator.annotation.Pattern;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PolicyStatusTest {
    private final SampleLook look = new SampleLook();

    private ServiceCIDRPolicy.Status status() {
        return new PolicyStatus(look.build()).of(1L, List.of());
    }

    private PolicyConditions.Report condition(String type) {
        return new PolicyConditions(new ServiceCIDRPolicy.Spec(null, null), look.build())
                .reports().stream()
                        .filter(one -> one.type().equals(type))
                        .findFirst()
                        .orElseThrow();
    }

    /** docs/cluster-addresses.md, but for the columns NAME, READY and AGE. */
    @Test
    void thePageShowsWhatIsWritten() throws IOException {
        look.cidrs = List.of(SampleCidrs.ready("kubernetes", "10.0.0.0/28", "fd00::/108"));
        look.allocate(12);
        look.growth =
                List.of(new RangeGrowth.Outcome.Proposed(IpFamily.IPV4, "next", ServiceRange.parse("10.100.0.0/28")));
        ServiceCIDRPolicy.Status status = status();
        ServiceCIDRPolicy.Family ipv4 = Objects.requireNonNull(status.ipv4());
        ServiceCIDRPolicy.Family ipv6 = Objects.requireNonNull(status.ipv6());
        TypedPage.Step page = TypedPage.step(Path.of("docs/cluster-addresses.md"), "kubectl get servicecidrpolicies");
        assertThat(List.of(page.printed().lines().toList().getLast().strip().split(" +", -1))
                        .subList(1, 8))
                .containsExactly(
                        ipv4.allocated(),
                        ipv4.free(),
                        ipv6.allocated(),
                        ipv6.free(),
                        condition("CapacityLow").reason().name(),
                        condition("Growth").reason().name(),
                        condition("Healthy").status().toString());
    }

    @Test
    void theNextRange_isProposed_beforeItIsNeeded() {
        look.growth = List.of(SampleLook.enough(IpFamily.IPV4));

        assertThat(status().proposed())
                .containsExactly(
                        new ServiceCIDRPolicy.Proposal("next", "10.100.0.0/28", "next for IPv4, once it is needed"));
    }

    @Test
    void sampleThatSomebodyHasEdited_isNone() {
        ServiceCIDRPolicy.Status status = new ServiceCIDRPolicy.Status(
                null,
                null,
                null,
                null,
                List.of(
                        new ServiceCIDRPolicy.Sample(null, Map.of(), Map.of()),
                        new ServiceCIDRPolicy.Sample("yesterday", Map.of(), Map.of()),
                        new ServiceCIDRPolicy.Sample("2026-01-01T00:00:00Z", null, Map.of()),
                        new ServiceCIDRPolicy.Sample("2026-01-01T00:00:00Z", Map.of(), null),
                        new ServiceCIDRPolicy.Sample("2026-01-01T00:00:00Z", Map.of(), Map.of())),
                null,
                null,
                null,
                null);

        assertThat(PolicyStatus.history(status))
                .containsExactly(new UsageSample(NetworkInMemory.START, Map.of(), Map.of()));
    }

    /** The schema has room for no more. */
    @Test
    void ofManyThatRetire_theStatusListsSixteen() {
        look.retired =
                Collections.nCopies(17, SampleLook.retirement(new Retirement.Verdict.Draining(), 0, Optional.empty()));

        assertThat(status().retiring()).hasSize(16);
    }

    @Test
    void retirementThatWaitsForRoom_saysSoWithItsRange() {
        look.retired = List.of(
                SampleLook.retirement(new Retirement.Verdict.Waiting("waits for the next range"), 1, Optional.empty()));

        assertThat(status().retiring())
                .singleElement()
                .extracting(ServiceCIDRPolicy.Retiring::message)
                .isEqualTo("waits for the next range");
    }

    @Test
    void findings_areCounted_andTheFirstTwentyAreListed() {
        look.findings = SampleLook.outOfRange(25);

        assertThat(status().findings()).satisfies(found -> {
            assertThat(found).isNotNull();
            assertThat(found.total()).isEqualTo(25);
            assertThat(found.first()).hasSize(20);
        });
    }

    @Test
    void ranges_areShownByBand_withTheirGrowth() {
        look.allocate(4);
        look.history = List.of(new UsageSample(
                NetworkInMemory.START.minus(Duration.ofDays(2)), Map.of("10.0.0.0/28", 0L), Map.of("10.0.0.0/28", 2L)));

        ServiceCIDRPolicy.Status status = new PolicyStatus(look.build()).of(7L, List.of());

        assertThat(status.observedGeneration()).isEqualTo(7);
        assertThat(status.ranges()).singleElement().satisfies(range -> {
            assertThat(range.dynamicBand()).isEqualTo(new ServiceCIDRPolicy.Band("14", "4", "10", "1.0", "2026-01-11"));
            assertThat(range.staticBand().size()).isEqualTo("0");
        });
        assertThat(status.ipv4()).isEqualTo(new ServiceCIDRPolicy.Family("14", "4", "10", 28, "1.0", "2026-01-11"));
        assertThat(status.ipv6()).isNull();
        assertThat(PolicyStatus.history(status)).isEqualTo(look.history);
    }

    @Test
    void whateverAnAddressNeeds_theSchemaTakesIt() throws NoSuchFieldException {
        String pattern = ServiceCIDRPolicy.Remaining.class
                .getDeclaredField("needs")
                .getAnnotation(Pattern.class)
                .value();

        assertThat(Retirement.Needs.values())
                .extracting(Retirement.Needs::toString)
                .allMatch(needs -> needs.matches(pattern));
    }
}
