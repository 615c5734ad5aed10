package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PublicationTest {
    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-02-01T00:00:00Z");

    private static SampleService web() {
        return SampleService.named(new ServiceKey("prod", "web"), "u1");
    }

    private static Published at(String ip, @Nullable IpMode mode) {
        return new Published(ip, null, mode);
    }

    private static Condition assigned(boolean holds, Instant since) {
        return new Condition(WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.of(holds), "Reason", "message", since);
    }

    @Test
    void ipWithoutAMode_isTheSameAsVip() {
        assertThat(Publication.sameIngress(List.of(at("192.0.2.1", null)), List.of(at("192.0.2.1", IpMode.VIP))))
                .isTrue();
    }

    @Test
    void ipWithoutAMode_isNotTheSameAsProxy_andDiffersInTheModeOnly() {
        List<Published> none = List.of(at("192.0.2.1", null));
        List<Published> proxy = List.of(at("192.0.2.1", IpMode.PROXY));

        assertThat(Publication.sameIngress(none, proxy)).isFalse();
        assertThat(Publication.differsInIpModeOnly(none, proxy)).isTrue();
        assertThat(Publication.differsInIpModeOnly(List.of(at("192.0.2.2", null)), proxy))
                .isFalse();
    }

    @Test
    void whatIsThereAlready_needsNoWrite() {
        ServiceState state = web().finalizer(WellKnownNames.FINALIZER)
                .ingress("192.0.2.1")
                .conditions(List.of(assigned(true, THEN)))
                .build();

        assertThat(new Publication(true, List.of(at("192.0.2.1", IpMode.VIP)), List.of(assigned(true, NOW)))
                        .differenceFrom(state))
                .isEmpty();
    }

    @Test
    void difference_namesOnlyWhatDiffers() {
        ServiceState state = web().ingress("192.0.2.1").build();

        assertThat(new Publication(true, List.of(at("192.0.2.1", null)), List.of(assigned(true, NOW)))
                        .differenceFrom(state))
                .contains(new Publication.Difference(true, null, null, List.of(assigned(true, NOW)), List.of()));
    }

    @Test
    void patchIsTheSame_inWhicheverOrderTheStatusHasTheConditions() {
        Condition pending = new Condition(WellKnownNames.PROGRAMMED, Condition.Status.FALSE, "Pending", "waits", THEN);
        Publication wanted = new Publication(false, null, List.of());

        assertThat(wanted.differenceFrom(web().conditions(List.of(pending, assigned(false, THEN)))
                        .build()))
                .isEqualTo(wanted.differenceFrom(web().conditions(List.of(assigned(false, THEN), pending))
                        .build()));
    }

    @Test
    void conditionOfOurs_thatIsNotWantedAnyMore_isRemoved_andOthersStay() {
        Condition theirs = new Condition("example.com/Other", Condition.Status.TRUE, "A", "b", THEN);
        ServiceState state =
                web().conditions(List.of(theirs, assigned(false, THEN))).build();

        assertThat(new Publication(false, null, List.of()).differenceFrom(state))
                .contains(new Publication.Difference(
                        false, null, null, List.of(), List.of(WellKnownNames.ADDRESS_ASSIGNED)));
    }

    @Test
    void condition_keepsItsSince_whileItsStatusStays() {
        ServiceState state = web().conditions(List.of(assigned(false, THEN))).build();

        assertThat(Publication.condition(
                                state, WellKnownNames.ADDRESS_ASSIGNED, false, Reason.PoolExhausted, "words", NOW)
                        .since())
                .isEqualTo(THEN);
        assertThat(Publication.condition(state, WellKnownNames.ADDRESS_ASSIGNED, true, Reason.Assigned, "words", NOW)
                        .since())
                .isEqualTo(NOW);
    }

    @Test
    void emptyIngress_isTakenAway() {
        ServiceState state = web().ingress("192.0.2.1").build();

        assertThat(new Publication(false, List.of(), List.of()).differenceFrom(state))
                .contains(new Publication.Difference(false, null, List.of(), List.of(), List.of()));
    }

    /** The answers that two operators remember may be in two orders: each would write its own, in turn. */
    @Test
    void ingress_isInTheOrderOfTheFamilies_whateverOrderAProviderAnswersIn() {
        Published four = new Published("192.0.2.1", null, null);
        Published six = new Published("2001:db8::1", null, null);
        Published name = new Published(null, "lb.test.dev", null);

        assertThat(Published.inOrderOf(List.of(IpFamily.IPV4, IpFamily.IPV6), List.of(name, six, four)))
                .containsExactly(four, six, name);
        assertThat(Published.inOrderOf(List.of(IpFamily.IPV6), List.of(four, name, six)))
                .containsExactly(six, four, name);
    }
}
