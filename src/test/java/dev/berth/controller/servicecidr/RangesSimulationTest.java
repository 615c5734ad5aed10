package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.berth.controller.Silently;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.servicecidr.SampleCidrs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Crashes, failures, stale caches and people, in every order that the seeds bring. */
@ExtendWith(Silently.class)
class RangesSimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 200);
    private static final int BROKEN_SEEDS = 300;
    private static final long FIRST = Long.getLong("simulation.first", 0);

    @Test
    void whateverHappens_noAddressLosesItsRange_andEverythingSettles() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            RangesSimulation life = new RangesSimulation(seed, network -> network);
            try {
                life.run();
            } catch (AssertionError | RuntimeException broken) {
                fail("seed " + seed + ": " + broken.getMessage() + "\n" + life.story(), broken);
            }
        }
    }

    /**
     * An operator that is broken on purpose does not live through it.
     *
     * @param first the seed to begin with: the first that caught it when it was last looked
     */
    private static void assertCaught(String rule, int first, UnaryOperator<ClusterNetwork> parts) {
        Optional<AssertionError> caught = LongStream.range(first, first + BROKEN_SEEDS)
                .mapToObj(seed -> failure(seed % BROKEN_SEEDS, parts))
                .flatMap(Optional::stream)
                .findFirst();
        assertThat(caught).hasValueSatisfying(broken -> assertThat(broken).hasMessageContaining(rule));
    }

    private static Optional<AssertionError> failure(long seed, UnaryOperator<ClusterNetwork> parts) {
        try {
            new RangesSimulation(seed, parts).run();
            return Optional.empty();
        } catch (AssertionError broken) {
            return Optional.of(broken);
        }
    }

    /** The same network, but for the calls that {@code instead} answers. */
    private static ClusterNetwork but(ClusterNetwork network, Function<String, Optional<Object>> instead) {
        return (ClusterNetwork) Proxy.newProxyInstance(
                ClusterNetwork.class.getClassLoader(), new Class<?>[] {ClusterNetwork.class}, (proxy, method, args) -> {
                    try {
                        Optional<Object> answer = instead.apply(method.getName());
                        return answer.isPresent() ? answer.get() : method.invoke(network, args);
                    } catch (InvocationTargetException thrown) {
                        throw Objects.requireNonNull(thrown.getCause());
                    }
                });
    }

    @Test
    void whoTakesItsCacheForTheTruth_isCaught() {
        assertCaught(
                "the last one of",
                80,
                network -> but(network, call -> switch (call) {
                    case "readServiceCidrs" -> Optional.of(new Read.Found<>(network.serviceCidrs()));
                    case "readClusterIps" ->
                        Optional.of(new Read.Found<>(
                                network.askClusterIps(ips -> ips.stream().toList())));
                    default -> Optional.empty();
                }));
    }

    @Test
    void whoTakesItsWritesForDone_isCaught() {
        assertCaught(
                " is not looked after",
                0,
                network -> but(
                        network,
                        call -> call.equals("setReady")
                                ? Optional.of(new Write.Done<>(SampleCidrs.cidr("any", "10.0.0.0/28")))
                                : Optional.empty()));
    }
}
