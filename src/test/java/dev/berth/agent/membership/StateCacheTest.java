package dev.berth.agent.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.agent.membership.Message.State;
import dev.berth.announce.Agent;
import dev.berth.announce.ApiContact;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateCacheTest {
    private final StateCache cache = new StateCache();

    private static State state(long version) {
        return new State(1, version, new Agent(true, ApiContact.RELIABLE, true, List.of()));
    }

    private static byte[] bytes(long version) {
        return Message.encoded(state(version));
    }

    @Test
    void stateThatIsSaidAgain_isNotReadAgain() throws IOException {
        State first = cache.read("a", bytes(1));
        assertThat(first).isEqualTo(state(1));
        assertThat(cache.read("a", bytes(1))).isSameAs(first);
    }

    @Test
    void stateThatIsAnother_orOfAnotherNode_isRead() throws IOException {
        State first = cache.read("a", bytes(1));
        assertThat(cache.read("b", bytes(2))).isEqualTo(state(2));
        assertThat(cache.read("a", bytes(2))).isEqualTo(state(2));
        assertThat(cache.read("a", bytes(1))).isEqualTo(first).isNotSameAs(first);
    }

    @Test
    void nodesThatAreGone_areForgotten() throws IOException {
        State first = cache.read("a", bytes(1));
        cache.retain(List.of("b"));
        assertThat(cache.read("a", bytes(1))).isNotSameAs(first);
    }

    @Test
    void ownState_isWrittenOnce_untilItIsAnother() {
        State own = state(1);
        byte[] first = cache.written(own);
        assertThat(cache.written(own)).isSameAs(first).isEqualTo(bytes(1));
        assertThat(cache.written(state(2))).isEqualTo(bytes(2));
    }
}
