package dev.berth.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.berth.provider.BrokenProviders.Broken;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The kit notices each breach, and names the rule that is broken and no other. */
@Tag("slow")
class TckOfBrokenProvidersTest {
    private static final Path SPEC = Path.of("docs/SPEC.md");
    private static final Pattern RULE = Pattern.compile("^\\| ([a-z]+\\d\\d) \\| (required|optional|untested) \\|");

    /** What {@link OfOneBroken} tests; the tests of this class run one after the other. */
    private static Broken current = BrokenProviders.ALL_BROKEN.getFirst();

    static List<Broken> broken() {
        return BrokenProviders.ALL_BROKEN;
    }

    @ParameterizedTest
    @MethodSource("broken")
    void aBrokenRule_failsItsTestAndNoOther(Broken broken) {
        current = broken;
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(OfOneBroken.class))
                .execute();

        assertThat(results.testEvents().failed().stream()
                        .map(event -> rule(name(event)))
                        .toList())
                .as(() -> results.testEvents().failed().stream()
                        .map(event -> name(event) + ": " + event.getPayload())
                        .toList()
                        .toString())
                .containsExactly(broken.rule());
    }

    @Test
    void everyRuleThatIsTested_isBrokenByAProvider() {
        List<String> tested = tests().filter(test -> !test.startsWith("untested_"))
                .map(TckOfBrokenProvidersTest::rule)
                .sorted()
                .toList();
        List<String> broken = BrokenProviders.ALL_BROKEN.stream()
                .map(Broken::rule)
                .distinct()
                .sorted()
                .toList();
        assertThat(broken).isEqualTo(tested);
    }

    @Test
    void everyRuleOfTheSpecification_hasOneTestOfItsLevel() throws IOException {
        List<String> rules = Files.readAllLines(SPEC).stream()
                .map(RULE::matcher)
                .filter(Matcher::find)
                .map(line -> line.group(2) + "_" + line.group(1))
                .sorted()
                .toList();
        List<String> levelled =
                tests().map(TckOfBrokenProvidersTest::levelAndRule).sorted().toList();
        assertThat(levelled).isEqualTo(rules);
    }

    private static Stream<String> tests() {
        return Stream.of(LoadBalancerProviderTck.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(Method::getName);
    }

    private static String levelAndRule(String test) {
        String[] parts = test.split("_", 3);
        return parts[0] + "_" + parts[1];
    }

    private static String rule(String test) {
        return test.split("_", 3)[1];
    }

    private static String name(Event event) {
        return event.getTestDescriptor().getDisplayName();
    }

    static final class OfOneBroken extends LoadBalancerProviderTck {
        private final ReferenceWorld world = new ReferenceWorld();

        @Override
        protected LoadBalancerProvider provider() {
            return current.make().apply(world);
        }

        @Override
        protected Map<String, String> parameters() {
            return Map.of("place", "a");
        }

        @Override
        protected Optional<Map<String, String>> otherParameters() {
            return Optional.of(Map.of("place", "b"));
        }

        @Override
        protected Optional<World> world() {
            return Optional.of(world);
        }

        @Override
        protected Optional<Outage> outage() {
            return Optional.of(world.outage());
        }

        @Override
        protected Duration timeLimit() {
            return Duration.ofSeconds(3);
        }
    }
}
