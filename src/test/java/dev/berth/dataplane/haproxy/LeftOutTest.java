package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LeftOutTest {
    private static LeftOut of(String... names) {
        TreeMap<String, String> reasons = new TreeMap<>();
        for (String name : names) {
            reasons.put(name, "its port is taken");
        }
        return new LeftOut(reasons);
    }

    @Test
    void differences_areThoseThatAreServedNoMore_orAgain_whateverTheReason() {
        assertThat(of("a", "b").differencesFrom(of("b", "c"))).containsExactly("a", "c");
        assertThat(of("a").differencesFrom(LeftOut.none())).containsExactly("a");
        assertThat(LeftOut.none().differencesFrom(of("a"))).containsExactly("a");
        assertThat(of("a").differencesFrom(new LeftOut(new TreeMap<>(Map.of("a", "its certificate is wrong")))))
                .isEmpty();
    }
}
