package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.claim.ServiceKey;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.QuietProvider;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Whatever a provider answers or throws, what comes from the guard is whole, bounded and in one line. */
@NullUnmarked
class ProviderResponsesTest {
    private static final LoadBalancerRequest REQUEST = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u"), IpMode.PROXY)
            .build();

    private static final Ingress WAY = Ingress.ofIp("203.0.113.1", IpMode.PROXY);

    private static final CallLine OWN = CallLine.ofClass("own");

    /** Answers what it is told to. */
    private record Scripted(Supplier<?> answer) implements QuietProvider {
        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            return (EnsureOutcome) answer.get();
        }

        @Override
        @SuppressWarnings("unchecked")
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            return (Optional<LoadBalancerStatus>) answer.get();
        }

        @Override
        @SuppressWarnings("unchecked")
        public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
            return (List<ListedLoadBalancer>) answer.get();
        }
    }

    private static ProviderGuard guard() {
        return new ProviderGuard(provider -> false, 1, Duration.ZERO, Duration.ofMinutes(1), stuck -> {});
    }

    private static ProviderGuard.Visit mayCall(ProviderGuard guard) {
        ProviderGuard.Visit visit = guard.visit(new ServiceKey("prod", "web"), () -> {});
        assertThat(visit.enter(OWN, new Scripted(() -> null), REQUEST.service()))
                .isInstanceOf(Bulkhead.Entry.In.class);
        return visit;
    }

    private static EnsureOutcome ensured(Supplier<EnsureOutcome> answer) {
        try (ProviderGuard guard = guard()) {
            return mayCall(guard).ensure(new Scripted(answer), REQUEST, () -> {});
        }
    }

    static final List<EnsureOutcome> NOT_WHOLE = Arrays.asList(
            null,
            EnsureOutcome.ready(null),
            EnsureOutcome.ready(LoadBalancerStatus.of(List.of(WAY))
                    .withPortErrors(List.of(new PortError(80, null, "NoListenerLeft")))));

    @ParameterizedTest
    @FieldSource("NOT_WHOLE")
    void null_anywhereInAnAnswer_isAFailureThatSaysSo(EnsureOutcome answer) {
        assertThatThrownBy(() -> ensured(() -> answer))
                .isInstanceOf(ProviderException.class)
                .hasMessageStartingWith("it answered null to ensureLoadBalancer");
    }

    @Test
    void null_insteadOfWhatThereIs_isAFailureThatSaysSo() {
        try (ProviderGuard guard = guard()) {
            assertThatThrownBy(() -> mayCall(guard).get(new Scripted(() -> null), REQUEST))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageStartingWith("it answered null to getLoadBalancer");
            assertThatThrownBy(() -> guard.list(OWN, new Scripted(() -> null), "c"))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageStartingWith("it answered null to listLoadBalancers");
            assertThatThrownBy(() -> guard.list(OWN, new Scripted(() -> Arrays.asList((Object) null)), "c"))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageStartingWith("it answered null to listLoadBalancers");
        }
    }

    @Test
    void listedService_thatIsNone_isAFailure_forItsNameBecomesPartOfAPath() {
        ListedLoadBalancer listed = new ListedLoadBalancer("a", new ServiceIdentity("../../nodes", "web\n", "uid"));
        try (ProviderGuard guard = guard()) {
            assertThatThrownBy(() -> guard.list(OWN, new Scripted(() -> List.of(listed)), "c"))
                    .hasMessage("it lists a load balancer of \"../../nodes/web\", which is not a Service");
        }
    }

    record Delay(Duration asked, Duration kept) {}

    static final List<Delay> DELAYS = List.of(
            new Delay(null, Duration.ofSeconds(1)),
            new Delay(Duration.ZERO, Duration.ofSeconds(1)),
            new Delay(Duration.ofNanos(1), Duration.ofSeconds(1)),
            new Delay(Duration.ofSeconds(-5), Duration.ofSeconds(1)),
            new Delay(Duration.ofSeconds(42), Duration.ofSeconds(42)),
            new Delay(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofHours(1)));

    @ParameterizedTest
    @FieldSource("DELAYS")
    void delay_isBetweenOneSecondAndAnHour_whetherPendingOrFailed(Delay delay) {
        assertThat(ensured(() -> EnsureOutcome.pending(delay.asked(), "at work")))
                .isEqualTo(EnsureOutcome.pending(delay.kept(), "at work"));
        assertThatThrownBy(() -> ensured(() -> {
                    ProviderException busy = new ProviderException("busy");
                    throw delay.asked() == null ? busy : busy.withRetryAfter(delay.asked());
                }))
                .isInstanceOfSatisfying(
                        ProviderException.class,
                        failure -> assertThat(failure.retryAfter())
                                .isEqualTo(Optional.ofNullable(delay.asked()).map(any -> delay.kept())));
    }

    @Test
    void text_isInOneLine_printable_andBounded() {
        String forged = "\u001b[2Jno\u0000 quota\n2026-01-01 INFO all is well\u202e \u0085" + "x".repeat(5_000_000);

        EnsureOutcome.Pending pending =
                (EnsureOutcome.Pending) ensured(() -> EnsureOutcome.pending(Duration.ofSeconds(5), forged));

        assertThat(pending.message())
                .startsWith("[2Jno quota 2026-01-01 INFO all is well xxx")
                .hasSizeLessThanOrEqualTo(1_001)
                .matches("[\\p{Print}…]*");
        assertThatThrownBy(() -> ensured(() -> {
                    throw new IllegalStateException(forged);
                }))
                .hasMessageStartingWith(
                        "the provider failed: java.lang.IllegalStateException: [2Jno quota 2026-01-01 INFO all is well xxx")
                .satisfies(failure -> assertThat(failure.getMessage()).hasSizeLessThan(1_100));
        assertThat(((EnsureOutcome.Pending) ensured(() -> EnsureOutcome.pending(Duration.ofSeconds(5), null)))
                        .message())
                .isEqualTo("no message");
    }

    /** Cannot even say what it is. */
    private static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw this;
        }

        @Override
        public String toString() {
            throw new StackOverflowError();
        }
    }

    @Test
    void exceptionThatCannotBePrinted_isAFailureThatNamesItsClass() {
        assertThatThrownBy(() -> ensured(() -> {
                    throw new Mute();
                }))
                .isInstanceOf(ProviderException.class)
                .hasMessage("the provider failed: " + Mute.class.getName()
                        + ", whose toString() fails with java.lang.StackOverflowError");
    }

    @Test
    void errorOfThePlatform_isAFailureOfTheProvider() {
        assertThatThrownBy(() -> ensured(() -> {
                    throw new NoClassDefFoundError("com/example/Lost");
                }))
                .isInstanceOf(ProviderException.class)
                .hasMessage("the provider failed: java.lang.NoClassDefFoundError: com/example/Lost");
    }
}
