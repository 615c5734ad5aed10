package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpellingTest {
    @ParameterizedTest
    @CsvSource({
        "edge,edge,0",
        "edge,Edge,0",
        "exmaple,example,1",
        "adresses,addresses,1",
        "kitten,sitting,3",
        "'',edge,4",
        "edge,'',4",
        "ca,abc,3"
    })
    void edits_areInsertionsDeletionsReplacementsAndSwaps(String one, String other, int edits) {
        assertThat(Spelling.edits(one, other)).isEqualTo(edits);
        assertThat(Spelling.edits(other, one)).isEqualTo(edits);
    }

    @Test
    void theNearest_isMeant_andOfEqualsTheFirst() {
        assertThat(Spelling.nearest("exmaple", List.of("edge", "examples", "example")))
                .hasValue("example");
        assertThat(Spelling.nearest("pool-3", List.of("pool-1", "pool-2"))).hasValue("pool-1");
    }

    @Test
    void whatDiffersInMoreThanAThird_isAnotherWord() {
        assertThat(Spelling.nearest("dmz", List.of("edge", "lan"))).isEmpty();
        assertThat(Spelling.nearest("office", List.of("of-fices"))).hasValue("of-fices");
        assertThat(Spelling.nearest("production-a", List.of("development-a"))).isEmpty();
    }

    @Test
    void whereNoneIsNear_theFirstFewAreNamed() {
        assertThat(Spelling.meantOrThere("edgy", List.of("lan", "edge"))).isEqualTo(" (did you mean \"edge\"?)");
        assertThat(Spelling.meantOrThere("default", List.of("lan"))).isEqualTo(" (there is \"lan\")");
        assertThat(Spelling.meantOrThere("default", List.of("lan", "edge")))
                .isEqualTo(" (there are \"edge\", \"lan\")");
        assertThat(Spelling.meantOrThere("default", List.of("d", "c", "b", "a")))
                .isEqualTo(" (there are \"a\", \"b\", \"c\" and more)");
        assertThat(Spelling.meantOrThere("default", List.of())).isEmpty();
    }

    @Test
    void wordsOfAnyLength_costNothing() {
        assertThat(Spelling.nearest("a".repeat(200_000), List.of("a".repeat(199_999))))
                .isEmpty();
    }
}
