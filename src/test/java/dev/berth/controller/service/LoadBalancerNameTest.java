package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.QuietProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** By which name people find a load balancer at its provider. */
@NullUnmarked
class LoadBalancerNameTest extends CloudStage {
    private static final ServiceIdentity WEB = new ServiceIdentity("prod", "web", "uid-web");

    private final LoadBalancerName name = new LoadBalancerName();

    /** Is called what it is told to say. */
    private record Named(Capabilities capabilities, Supplier<String> says, AtomicInteger asked)
            implements QuietProvider {
        Named(Supplier<String> says) {
            this(Capabilities.ofItsOwn(IpMode.PROXY), says, new AtomicInteger());
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            asked.incrementAndGet();
            return says.get();
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            return EnsureOutcome.implementedElsewhere();
        }
    }

    private static ServedClass by(String provider, Capabilities capabilities) {
        return SampleClasses.ofParameters(provider, capabilities, List.of(Map.of()))
                .served()
                .getFirst();
    }

    private static ServedClass by(Named provider) {
        return by("named", provider.capabilities());
    }

    @Test
    void nameIsAskedForOnce_andShownInQuotes() {
        Named provider = new Named(() -> "lb-7f3a");
        assertThat(name.known().called(by(provider), "uid-web")).isEqualTo("load balancer");

        name.ask(by(provider), provider, WEB);
        name.ask(by(provider), provider, WEB);

        assertThat(name.known().called(by(provider), "uid-web")).isEqualTo("load balancer \"lb-7f3a\"");
        assertThat(provider.asked()).hasValue(1);
    }

    @Test
    void nameIsOfThatServiceAndThatProvider_andOfNoOther() {
        Named provider = new Named(() -> "lb-7f3a");
        name.ask(by(provider), provider, WEB);

        assertThat(name.known().called(by(provider), "uid-of-its-successor")).isEqualTo("load balancer");
        assertThat(name.known().called(by("another", provider.capabilities()), "uid-web"))
                .isEqualTo("load balancer");

        name.ask(by(provider), new Named(() -> "lb-8000"), new ServiceIdentity("prod", "web", "uid-of-its-successor"));
        assertThat(name.known().called(by(provider), "uid-of-its-successor")).isEqualTo("load balancer \"lb-8000\"");
    }

    static final List<Supplier<String>> USELESS = Arrays.asList(
            () -> null,
            () -> "",
            () -> "lb 1",
            () -> "lb\u001b[2J",
            () -> "lb\nI0101 all is well",
            () -> "l\u00e4b",
            () -> "x".repeat(254),
            () -> "x".repeat(5_000_000),
            () -> {
                throw new ProviderException("not now");
            },
            () -> {
                throw new StackOverflowError();
            });

    @ParameterizedTest
    @FieldSource("USELESS")
    void nameThatBreaksTheContract_orFails_isNotShown_andDoesNoHarm_andIsAskedForAgain(Supplier<String> says) {
        Named provider = new Named(says);

        name.ask(by(provider), provider, WEB);

        assertThat(name.known().called(by(provider), "uid-web")).isEqualTo("load balancer");
        name.ask(by(provider), new Named(() -> "x".repeat(253)), WEB);
        assertThat(name.known().called(by(provider), "uid-web")).isEqualTo("load balancer \"" + "x".repeat(253) + "\"");
    }

    @Test
    void immediateProvider_isNotAsked_forNobodyLooksThere() {
        Named plain = new Named(() -> "lb-7f3a");
        Named provider = new Named(plain.capabilities().withImmediate(true), plain.says(), plain.asked());

        name.ask(by(provider), provider, WEB);

        assertThat(name.known().called(by(provider), "uid-web")).isEqualTo("load balancer");
        assertThat(provider.asked()).hasValue(0);
    }

    @Test
    void conditionOfAFailure_namesTheLoadBalancer_andSoDoesTheEventOfItsDeletion() {
        cloud.ensureFails = new ProviderException("the zone is full");
        create("web");
        reconcile("web");
        assertThat(service("web").condition(WellKnownNames.PROGRAMMED).map(Condition::message))
                .hasValue("ensuring load balancer \"uid-web\" for prod/web: the zone is full");

        put(SampleService.from(service("web")).deleting(true));
        reconcile("web");

        assertThat(recorded.events).endsWith("DeletedLoadBalancer: Deleted load balancer \"uid-web\"");
    }
}
