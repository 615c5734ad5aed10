package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnloadableTest {
    private static void allListenable(LoadBalancer any) {}

    private final List<LoadBalancer> all =
            IntStream.range(0, 16).mapToObj(i -> loadBalancer("a" + i)).toList();
    private final List<List<String>> asked = new ArrayList<>();

    private static LoadBalancer loadBalancer(String name) {
        return new LoadBalancer(
                name,
                "cluster",
                "shop",
                name,
                "uid-" + name,
                List.of(),
                List.of(),
                List.of(),
                null,
                true,
                ClassParameters.of(Map.of()),
                null);
    }

    private Consumer<List<LoadBalancer>> refusing(String... names) {
        return some -> {
            List<String> its = some.stream().map(LoadBalancer::name).toList();
            asked.add(its);
            for (String name : names) {
                if (its.contains(name)) {
                    throw new ProviderException("it does not like " + name);
                }
            }
        };
    }

    @Test
    void thoseThatAreRefused_areFound_andFewQuestionsAreAsked() {
        assertThat(Unloadable.of(all, UnloadableTest::allListenable, refusing("a3", "a12")))
                .isEqualTo(Map.of("a3", "it does not like a3", "a12", "it does not like a12"));
        assertThat(asked).hasSizeLessThan(20);
    }

    @Test
    void oneThatCannotBeListenedOn_isNotAskedFor() {
        Consumer<LoadBalancer> requireListenable = one -> {
            if (one.name().equals("a5")) {
                throw new ProviderException("port 80 is taken");
            }
        };

        assertThat(Unloadable.of(all, requireListenable, refusing())).isEqualTo(Map.of("a5", "port 80 is taken"));
        assertThat(asked).extracting(List::size).containsExactly(0, 15);
    }

    @Test
    void whereNothingIsAccepted_noneIsNamed() {
        assertThat(Unloadable.of(all, UnloadableTest::allListenable, some -> {
                    throw new ProviderException("haproxy: not found");
                }))
                .isEmpty();
    }
}
