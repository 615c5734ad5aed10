package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.HealthCheckPolicy;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.IpMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WatchedEndpointsTest {
    private static final KnownProviders KNOWN = new KnownProviders(
            Map.of(
                    "pool", Capabilities.fromPools(IpMode.VIP),
                    "pods", Capabilities.ofItsOwn(IpMode.PROXY).withTargets(Targets.ENDPOINTS)),
            Map.of());

    private final List<String> watches = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private int judgedAgain;
    private @Nullable RuntimeException fails;
    private boolean areWatched;

    private final WatchedEndpoints endpoints =
            new WatchedEndpoints("me", () -> areWatched, this::watch, this::later, () -> judgedAgain++);

    private Runnable later(Duration delay, Runnable what) {
        later.add(what);
        return () -> {};
    }

    private void watch() {
        watches.add("watch");
        if (fails != null) {
            throw fails;
        }
        areWatched = true;
    }

    private static ClassDeclaration declared(String value, String controllerName, String provider) {
        return declared(value, controllerName, provider, null);
    }

    private static ClassDeclaration declared(
            String value, String controllerName, String provider, @Nullable IpMode ipMode) {
        return new ClassDeclaration(
                value,
                Instant.EPOCH,
                value,
                controllerName,
                provider,
                Map.of(),
                List.of(),
                ipMode,
                HealthCheckPolicy.AUTO,
                false,
                Classless.NEVER);
    }

    @Test
    void pluginThatNoClassUses_startsNoWatch() {
        endpoints.usable(List.of(), KNOWN);
        endpoints.usable(List.of(declared("x/pool", "me", "pool")), KNOWN);

        assertThat(watches).isEmpty();
    }

    /** Its own fault would be hidden behind a watch that nobody starts. */
    @Test
    void classThatIsNotAcceptedForAnotherReason_startsNoWatch_andItsProviderIsThere() {
        ClassDeclaration faulty = declared("x/pods", "me", "pods", IpMode.VIP);

        assertThat(endpoints.usable(List.of(faulty), KNOWN)).isEqualTo(KNOWN);
        assertThat(watches).isEmpty();
    }

    @Test
    void classOfAnotherBerth_startsNoWatch() {
        endpoints.usable(List.of(declared("x/pods", "another", "pods")), KNOWN);

        assertThat(watches).isEmpty();
    }

    @Test
    void classThatUsesIt_startsTheWatch_onceAndBeforeTheProviderIsUsed() {
        List<ClassDeclaration> declared = List.of(declared("x/pods", "me", "pods"));

        assertThat(endpoints.usable(declared, KNOWN)).isEqualTo(KNOWN);
        endpoints.usable(declared, KNOWN);

        assertThat(watches).hasSize(1);
    }

    @Test
    void classWhosePluginIsNotThereYet_startsTheWatchWhenItComes() {
        List<ClassDeclaration> declared = List.of(declared("x/pods", "me", "pods"));
        endpoints.usable(declared, new KnownProviders(Map.of(), Map.of("pods", "away")));
        assertThat(watches).isEmpty();

        endpoints.usable(declared, KNOWN);

        assertThat(watches).hasSize(1);
    }

    @Test
    void whileTheyCannotBeWatched_theProviderIsAway_andTheClassesAreJudgedAgain() {
        fails = new IllegalStateException("forbidden");
        List<ClassDeclaration> declared = List.of(declared("x/pods", "me", "pods"), declared("x/pool", "me", "pool"));

        KnownProviders usable = endpoints.usable(declared, KNOWN);

        assertThat(usable.capabilities()).containsOnlyKeys("pool");
        assertThat(usable.away().get("pods")).contains("EndpointSlices of the cluster are not being watched yet");
        endpoints.usable(declared, KNOWN);
        assertThat(later).hasSize(1);
        later.removeFirst().run();
        assertThat(judgedAgain).isEqualTo(1);
        endpoints.usable(declared, KNOWN);
        assertThat(later).hasSize(1);
        assertThatThrownBy(() -> endpoints.watchIfNeeded(declared, KNOWN)).hasMessage("forbidden");
        fails = null;
        assertThat(endpoints.usable(declared, KNOWN)).isEqualTo(KNOWN);
    }
}
