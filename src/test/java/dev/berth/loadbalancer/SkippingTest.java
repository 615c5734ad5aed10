package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The ways of a Service that is not served. */
class SkippingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ServiceFailure DENIED =
            new ServiceFailure("writing", Reason.PublishFailed, "denied", new Attempt.TearDown(List.of()));
    private static final Outcome LEFT = new Outcome.Did(Done.QUEUE_LEFT);
    private static final Outcome REPORTED = new Outcome.Did(Done.REPORTED);

    private ServiceState service = SampleService.named(new ServiceKey("prod", "web"), "u1")
            .conditions(List.of(new Condition(
                    WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.FALSE, "PoolExhausted", "no free address", NOW)))
            .build();
    private Waits waits = Waits.NONE;

    private List<Holding> holdings = List.of();

    private ObservedState situation() {
        return new ObservedState(
                false,
                holdings,
                PoolSet.of(List.of(), List.of()),
                ProviderState.nothing(),
                waits,
                Optional.empty(),
                NOW);
    }

    private ServicePlan.Skip skip(Step.Skipping... steps) {
        return new ServicePlan.Skip(service, Reason.ClassMissing, null, "bring it back", List.of(steps));
    }

    private static final Outcome WRITTEN = new Outcome.Did(Done.STATUS_WRITTEN);

    private Way<SkippingEffect> way(ServicePlan.Skip skip) {
        return Way.of(facts -> Skipping.next(skip, situation(), facts));
    }

    private Way<SkippingEffect> notOurs(Step.Skipping... steps) {
        return Way.of(facts ->
                Skipping.next(new ServicePlan.NotOurs(List.of(steps)), Optional.of(service), situation(), facts));
    }

    private SkippingEffect.Publish explained() {
        return new SkippingEffect.Publish(
                service,
                new Publication(
                                false,
                                null,
                                List.of(new Condition(
                                        WellKnownNames.ADDRESS_ASSIGNED,
                                        Condition.Status.FALSE,
                                        "ClassMissing",
                                        "bring it back",
                                        NOW)))
                        .differenceFrom(service)
                        .orElseThrow(),
                "reporting why it is skipped");
    }

    private SkippingEffect.Publish withoutConditions() {
        return new SkippingEffect.Publish(
                service,
                new Publication(false, null, List.of()).differenceFrom(service).orElseThrow(),
                "taking the conditions back");
    }

    @Test
    void serviceThatIsLeftAlone_isReported_andItsConditionSaysWhy() {
        ServicePlan.Skip skip = skip(new Step.Explain(Reason.ClassMissing, "bring it back", service.ingress()));

        way(skip)
                .then(new SkippingEffect.StopWaiting(), LEFT)
                .then(new SkippingEffect.Report(skip), REPORTED)
                .then(explained(), WRITTEN)
                .ends(new TerminalEffect.AwaitEvent());
    }

    @Test
    void whatItsProviderGave_isSaid_alsoBesideAnAddressThatIsReservedForIt() {
        service = SampleService.named(new ServiceKey("prod", "web"), "u1")
                .annotation(WellKnownNames.SERVED_BY_CLASS, "x/y")
                .finalizer(WellKnownNames.FINALIZER)
                .ingress("203.0.113.1")
                .build();
        ClaimSpec reserved = ClaimSpec.of(null, null, new Owner(service.key(), null));
        holdings = List.of(Holding.of(new Claim(Ip.parse("192.0.2.1"), "c", "5", reserved)));
        ServicePlan.Skip skip = skip(new Step.Explain(Reason.ClassMissing, "bring it back", service.ingress()));
        Publication wanted = new Publication(
                false,
                null,
                List.of(new Condition(
                        WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.TRUE, "ClassMissing", "bring it back", NOW)));

        way(skip)
                .then(new SkippingEffect.StopWaiting(), LEFT)
                .then(new SkippingEffect.Report(skip), REPORTED)
                .then(
                        new SkippingEffect.Publish(
                                service, wanted.differenceFrom(service).orElseThrow(), "reporting why it is skipped"),
                        WRITTEN)
                .ends(new TerminalEffect.AwaitEvent());
    }

    @Test
    void onlyAServiceThatIsSkipped_countsAsSkipped() {
        ServicePlan.Skip skip = skip();

        assertThat(Skipping.skipped(skip, Facts.NONE)).contains(skip);
        assertThat(Skipping.skipped(new ServicePlan.NotOurs(List.of()), Facts.NONE))
                .isEmpty();
        assertThat(Skipping.skipped(new ServicePlan.TearDown("it is being deleted", List.of()), Facts.NONE))
                .isEmpty();
    }

    @Test
    void serviceThatIsAnothers_losesOurConditions_withoutAnEvent() {
        notOurs(new Step.RemoveConditions())
                .then(new SkippingEffect.StopWaiting(), LEFT)
                .then(withoutConditions(), WRITTEN)
                .ends(new TerminalEffect.AwaitEvent());
    }

    @Test
    void serviceOfWhichNothingIsLeftToSay_isNotWritten() {
        notOurs().then(new SkippingEffect.StopWaiting(), LEFT).ends(new TerminalEffect.AwaitEvent());
    }

    @Test
    void writeThatFails_isSaid_andOneThatMeetsAnotherVersionIsPlannedAgain() {
        notOurs(new Step.RemoveConditions())
                .then(new SkippingEffect.StopWaiting(), LEFT)
                .then(withoutConditions(), new Outcome.Failed(DENIED))
                .ends(new TerminalEffect.Fail(DENIED, false, Optional.empty()));
        notOurs(new Step.RemoveConditions())
                .then(new SkippingEffect.StopWaiting(), LEFT)
                .then(withoutConditions(), new Outcome.Changed(true))
                .ends(new TerminalEffect.PlanAgain(true));
    }

    @Test
    void writeThatFailedBefore_waitsForItsTime() {
        Attempt patch = withoutConditions().patch().timeless();
        waits = new Waits(List.of(
                new Waits.Waiting(patch, new Postponed(new Postponed.Why.Failed(DENIED), Duration.ofSeconds(5)))));

        notOurs(new Step.RemoveConditions())
                .then(new SkippingEffect.StopWaiting(), LEFT)
                .ends(new TerminalEffect.Wait(Duration.ofSeconds(5)));
    }
}
