package dev.berth.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.pool.Selector.Operator;
import dev.berth.pool.Selector.Requirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SelectorTest {
    private record Row(String rule, Operator operator, List<String> values, boolean a, boolean b, boolean none) {}

    private static final List<Row> ROWS = List.of(
            new Row("In takes the values named", Operator.IN, List.of("a"), true, false, false),
            new Row(
                    "NotIn takes the others, and who has no such label",
                    Operator.NOT_IN,
                    List.of("a"),
                    false,
                    true,
                    true),
            new Row("Exists takes any value", Operator.EXISTS, List.of(), true, true, false),
            new Row("DoesNotExist takes none", Operator.DOES_NOT_EXIST, List.of(), false, false, true));

    @Test
    void operators_areAsInKubernetes() {
        for (Row row : ROWS) {
            Selector selector = new Selector(List.of(new Requirement("team", row.operator(), row.values())));
            assertThat(selector.matches(Map.of("team", "a"))).as(row.rule()).isEqualTo(row.a());
            assertThat(selector.matches(Map.of("team", "b"))).as(row.rule()).isEqualTo(row.b());
            assertThat(selector.matches(Map.of("other", "a"))).as(row.rule()).isEqualTo(row.none());
        }
    }

    @Test
    void allRequirements_mustHold_andNoneSelectsEverything() {
        Selector both = new Selector(List.of(
                new Requirement("a", Operator.EXISTS, List.of()), new Requirement("b", Operator.EXISTS, List.of())));

        assertThat(both.matches(Map.of("a", "1"))).isFalse();
        assertThat(both.matches(Map.of("a", "1", "b", "1"))).isTrue();
        assertThat(Selector.EVERYTHING.matches(Map.of())).isTrue();
    }
}
