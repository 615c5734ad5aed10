package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Holding;
import dev.berth.controller.StartGate;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.Withholding;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PublishedAddressesTest extends CloudStage {
    private static final Ip SENT = Ip.parse("192.0.2.1");

    private final ServiceParts parts = loops(new StartGate()).parts();
    private final ServiceMemories memories = new ServiceMemories(parts.timing());
    private final PublishedAddresses published = new PublishedAddresses(
            ledger,
            none -> {},
            new ServiceSnapshots(
                    parts,
                    Optional::empty,
                    memories,
                    new ServiceTurns(ledger, parts.gate(), parts.timing().steady())),
            memories,
            false);
    private final SampleService service = SampleService.named(key("web"), "u1").resourceVersion("1");

    private boolean isWithheld(Withholding what, String resourceVersion) {
        published.withhold(
                key("web"), Optional.of(service.resourceVersion(resourceVersion).build()), what);
        return ledger.holding(SENT).map(Holding::owners).filter(List::isEmpty).isPresent();
    }

    /** The write may land yet, though the status does not have it. */
    @ParameterizedTest
    @EnumSource
    void whatAWriteWithoutAnAnswerMayPublish_isWithheld_untilTheServiceIsAnotherVersion(Withholding what) {
        memories.of(key("web")).status.unsure(service.build(), List.of(SENT));

        assertThat(isWithheld(what, "1")).isTrue();
        assertThat(isWithheld(what, "1")).isTrue();
        assertThat(isWithheld(what, "2")).isFalse();
    }

    @Test
    void whatIsPublishedNoLonger_isWithheldNoLonger() {
        published.withhold(service.ingress("192.0.2.1").build());
        assertThat(ledger.holding(SENT)).isPresent();

        published.withhold(key("web"), Optional.of(service.ingress(List.of()).build()), Withholding.AS_BEFORE);

        assertThat(ledger.holding(SENT)).isEmpty();
    }
}
