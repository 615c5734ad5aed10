package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.controller.service.ProviderGuard.Visit;
import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.QuietProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A plug-in over gRPC whose provider hangs, and hears no interrupt. */
class HangingPluginTest {
    private static final int CALLS_AT_ONCE = 2;

    private final GrpcHosts hosts = new GrpcHosts();
    private final Queue<String> stuck = new ConcurrentLinkedQueue<>();
    private final Deaf deaf = new Deaf(new CountDownLatch(1));
    private final ProviderGuard guard =
            new ProviderGuard(provider -> false, CALLS_AT_ONCE, Duration.ZERO, Duration.ofSeconds(60), stuck::add);
    private GrpcProvider provider;

    /** Answers when it is let; another one's it answers at once. */
    private record Deaf(CountDownLatch let) implements QuietProvider {
        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.PROXY);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            if (!request.service().name().equals("other")) {
                Uninterruptible.await(let);
            }
            return EnsureOutcome.implementedElsewhere();
        }
    }

    @BeforeEach
    void serve() {
        Path socket = hosts.socket();
        hosts.serve(deaf, socket);
        provider = hosts.connected(
                new GrpcSettings(new Endpoint.Unix(socket), null, null).withDeadline(Duration.ofMillis(300)));
    }

    @AfterEach
    void stop() {
        deaf.let.countDown();
        guard.close();
        hosts.close();
    }

    private EnsureOutcome ensure(String name) {
        LoadBalancerRequest request = LoadBalancerRequest.builder(
                        "c", new ServiceIdentity("prod", name, "uid-" + name), IpMode.PROXY)
                .build();
        try (Visit visit = guard.visit(new ServiceKey("prod", name), () -> {})) {
            assertThat(visit.enter(CallLine.ofClass("cloud"), provider, request.service()))
                    .isInstanceOf(Entry.In.class);
            return visit.ensure(provider, request, () -> {});
        }
    }

    /** They are given up by the plug-in's deadline, which is shorter: docs/operations.md. */
    @Test
    void callsThatAPluginNeverAnswers_areNotStuck_andTakeNoPlaceOfTheirClass() {
        for (int i = 0; i < 3 * CALLS_AT_ONCE; i++) {
            String name = "web-" + i;
            assertThatThrownBy(() -> ensure(name)).hasMessage("plug-in \"test\" did not answer within 300 ms");
        }

        awaitImplementedElsewhere("other");
        assertThat(guard.stuck(List.of("cloud"))).isEmpty();
        assertThat(guard.stuckCalls(List.of("cloud"))).isZero();
        assertThat(stuck).isEmpty();
    }

    @Test
    void whileThePluginIsStillAtWork_itsServiceIsAskedForInVain_andServedOnceItHasReturned() {
        assertThatThrownBy(() -> ensure("web")).hasMessage("plug-in \"test\" did not answer within 300 ms");
        Awaitility.await()
                .untilAsserted(() -> assertThatThrownBy(() -> ensure("web"))
                        .hasMessage("an earlier call for Service prod/web has not returned yet"));

        deaf.let.countDown();

        awaitImplementedElsewhere("web");
    }

    /** Where tasks wait for a processor, an answer may miss the short deadline. */
    private void awaitImplementedElsewhere(String name) {
        Awaitility.await().ignoreExceptions().until(() -> ensure(name), EnsureOutcome.implementedElsewhere()::equals);
    }
}
