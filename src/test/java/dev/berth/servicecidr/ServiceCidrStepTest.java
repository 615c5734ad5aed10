package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.servicecidr.ServiceCidrStep.AddFinalizer;
import dev.berth.servicecidr.ServiceCidrStep.RemoveFinalizer;
import dev.berth.servicecidr.ServiceCidrStep.SetReady;
import dev.berth.servicecidr.ServiceCidrStep.SetTerminating;
import dev.berth.servicecidr.ServiceCidrStep.Wait;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the ServiceCIDR controller does. The table has the cases of upstream's {@code TestControllerSync} (13). */
class ServiceCidrStepTest {
    private static final Instant NOW = Sample.START.plusSeconds(60);

    private static final ServiceCidr FRESH =
            SampleCidrs.deleted(SampleCidrs.ready("going", "192.168.0.0/24", "2001:db2::/64"), NOW);
    private static final ServiceCidr GOING =
            SampleCidrs.deleted(SampleCidrs.ready("going", "192.168.0.0/24", "2001:db2::/64"), NOW.minusSeconds(11));

    private record Case(
            String rule,
            List<ServiceCidr> cidrs,
            List<String> ips,
            String name,
            List<Class<? extends ServiceCidrStep>> steps) {}

    private static Case going(
            String rule, List<ServiceCidr> others, List<String> ips, List<Class<? extends ServiceCidrStep>> steps) {
        List<ServiceCidr> all = Stream.concat(Stream.of(GOING), others.stream()).toList();
        return new Case(rule, all, ips, "going", steps);
    }

    private static List<ServiceCidr> other(String ipv4, String ipv6) {
        return List.of(SampleCidrs.cidr("other", ipv4, ipv6));
    }

    private static final List<String> IPV4 = List.of("192.168.0.1");
    private static final List<String> IPV6 = List.of("2001:db2::1");
    private static final List<Class<? extends ServiceCidrStep>> GO = List.of(RemoveFinalizer.class);
    private static final List<Class<? extends ServiceCidrStep>> STAY = List.of(SetTerminating.class);

    private static final List<Case> CASES = List.of(
            new Case("there is none of this name", List.of(), List.of(), "", List.of()),
            new Case(
                    "the cluster's own",
                    List.of(SampleCidrs.cidr("kubernetes", "192.168.0.0/24", "2001:db2::/64")),
                    List.of(),
                    "kubernetes",
                    List.of(AddFinalizer.class, SetReady.class)),
            new Case(
                    "any other",
                    List.of(SampleCidrs.cidr("no-finalizer", "192.168.0.0/24", "2001:db2::/64")),
                    List.of(),
                    "no-finalizer",
                    List.of(AddFinalizer.class, SetReady.class)),
            going("deleted, and nothing needs it", List.of(), List.of(), GO),
            new Case("deleted just now", List.of(FRESH), List.of(), "going", List.of(Wait.class)),
            going("deleted, IPv4 is taken", List.of(), IPV4, STAY),
            going("deleted, IPv4 is taken, a twin has it", other("192.168.0.0/24", "2001:db2::/64"), IPV4, GO),
            going("deleted, IPv4 is taken, a larger one has it", other("192.168.0.0/16", "2001:db2::/64"), IPV4, GO),
            going("deleted, IPv4 is taken, others have it not", other("192.168.255.0/26", "2001:db2::/64"), IPV4, STAY),
            going("deleted, IPv6 is taken", List.of(), IPV6, STAY),
            going("deleted, IPv6 is taken, a twin has it", other("192.168.0.0/24", "2001:db2::/64"), IPV6, GO),
            going("deleted, IPv6 is taken, a larger one has it", other("192.168.0.0/16", "2001:db2::/48"), IPV6, GO),
            going(
                    "deleted, IPv6 is taken, others have it not",
                    other("192.168.255.0/26", "2001:db2:a:b::/64"),
                    IPV6,
                    STAY));

    @Test
    void theSteps_areThoseOfKubeControllerManager() {
        assertThat(CASES).hasSize(13).allSatisfy(row -> {
            ClusterIps ips = Sample.index(row.ips().toArray(String[]::new));
            List<Class<? extends ServiceCidrStep>> steps = row.cidrs().stream()
                    .filter(cidr -> cidr.name().equals(row.name()))
                    .flatMap(cidr -> ServiceCidrStep.of(cidr, row.cidrs(), ips, NOW).stream())
                    .<Class<? extends ServiceCidrStep>>map(ServiceCidrStep::getClass)
                    .toList();
            assertThat(steps).as(row.rule()).isEqualTo(row.steps());
        });
    }

    private static List<ServiceCidrStep> steps(ServiceCidr cidr, String... ips) {
        return ServiceCidrStep.of(cidr, List.of(cidr), Sample.index(ips), NOW);
    }

    @Test
    void itWaits_untilTheGraceIsOver() {
        assertThat(steps(FRESH)).containsExactly(new Wait(NOW.plusSeconds(10)));
    }

    @Test
    void whatIsAsDesired_isNotWritten() {
        assertThat(steps(SampleCidrs.ready("done", "192.168.0.0/24"), "192.168.0.1"))
                .isEmpty();
        assertThat(steps(SampleCidrs.with(GOING, ReadyCondition.TERMINATING), "192.168.0.1"))
                .isEmpty();
        assertThat(steps(SampleCidrs.with(GOING, false))).isEmpty();
    }

    @Test
    void aConditionThatSaysTheSameInOtherWords_isSaidAgain() {
        ReadyCondition others = new ReadyCondition(ReadyCondition.Status.TRUE, "Fine", "It is");

        assertThat(steps(SampleCidrs.with(SampleCidrs.ready("named", "192.168.0.0/24"), others)))
                .containsExactly(new SetReady());
    }

    @Test
    void oneThatWasBlocked_goesWithoutBeingSaidReadyAgain() {
        assertThat(steps(SampleCidrs.with(GOING, ReadyCondition.TERMINATING))).containsExactly(new RemoveFinalizer());
    }

    @Test
    void aMessageInOtherWords_isNoWork() {
        ServiceCidr ready = SampleCidrs.with(
                SampleCidrs.ready("mine", "192.168.0.0/24"),
                new ReadyCondition(ReadyCondition.Status.TRUE, "", "in the words of another version"));
        ServiceCidr going = SampleCidrs.with(
                GOING,
                new ReadyCondition(ReadyCondition.Status.FALSE, "Terminating", "in the words of another version"));

        assertThat(ServiceCidrStep.of(ready, List.of(ready), new ClusterIps(), NOW))
                .isEmpty();
        assertThat(steps(going, "192.168.0.1")).isEmpty();
    }

    @Test
    void whoGoesAfterAnotherOfItsCidr_saysSoOnce_andOnceMoreWhenItIsTheLast() {
        ServiceCidr first = SampleCidrs.deleted(SampleCidrs.ready("first", "192.168.0.0/24"), NOW.minusSeconds(20));
        ServiceCidr marked = SampleCidrs.with(GOING, ReadyCondition.AFTER_ANOTHER);

        assertThat(ServiceCidrStep.of(GOING, List.of(first, GOING), Sample.index(), NOW))
                .containsExactly(new ServiceCidrStep.SetAfterAnother("first"));
        assertThat(ServiceCidrStep.of(marked, List.of(first, marked), Sample.index(), NOW))
                .isEmpty();
        assertThat(ServiceCidrStep.of(first, List.of(first, GOING), Sample.index(), NOW))
                .as("before the other has said it")
                .isEmpty();
        assertThat(ServiceCidrStep.of(first, List.of(first, marked), Sample.index(), NOW))
                .containsExactly(new RemoveFinalizer());
        assertThat(steps(marked)).containsExactly(new ServiceCidrStep.SetLastOfItsCidr());
        assertThat(steps(SampleCidrs.with(GOING, ReadyCondition.LAST_OF_ITS_CIDR, NOW)))
                .containsExactly(new Wait(NOW.plusSeconds(10)));
    }

    @Test
    void theTexts_areUpstreams() {
        assertThat(ReadyCondition.READY)
                .isEqualTo(
                        new ReadyCondition(ReadyCondition.Status.of("True"), "", "Kubernetes Service CIDR is ready"));
        assertThat(ReadyCondition.TERMINATING)
                .isEqualTo(new ReadyCondition(
                        ReadyCondition.Status.of("False"),
                        "Terminating",
                        "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new "
                                + "ServiceCIDR"));
    }
}
