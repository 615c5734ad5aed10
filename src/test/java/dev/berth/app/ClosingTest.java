package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosingTest {
    private final List<String> closed = new ArrayList<>();

    private Closing named(String name) {
        return new Closing(name, () -> closed.add(name));
    }

    @Test
    void oneThatCannotBeClosed_keepsNoOtherOpen_andIsReported() {
        Closing failing = new Closing("failing", () -> {
            throw new IllegalStateException("stuck");
        });

        assertThat(Closing.all(named("first"), failing, named("last"))).isFalse();

        assertThat(closed).containsExactly("first", "last");
    }

    @Test
    void whatCanBeClosed_isClosedInItsOrder() {
        assertThat(Closing.all(named("first"), named("last"))).isTrue();

        assertThat(closed).containsExactly("first", "last");
    }
}
