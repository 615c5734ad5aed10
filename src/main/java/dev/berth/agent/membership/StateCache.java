package dev.berth.agent.membership;

import dev.berth.agent.membership.Message.State;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The states that were read, and written, last: several times a second each agent says of itself what it has said before. */
final class StateCache {
    private static final class Known {
        private final byte[] bytes;
        private final State state;

        Known(byte[] bytes, State state) {
            this.bytes = bytes;
            this.state = state;
        }
    }

    private final Map<String, Known> read = new ConcurrentHashMap<>();
    private volatile @Nullable Known written;

    /**
     * The state that these bytes are.
     *
     * @throws IOException if they are something else
     */
    State read(String node, byte[] bytes) throws IOException {
        Known known = read.get(node);
        if (known != null && Arrays.equals(known.bytes, bytes)) {
            return known.state;
        }
        State state = Message.state(bytes);
        read.put(node, new Known(bytes, state));
        return state;
    }

    byte[] written(State state) {
        Known known = written;
        if (known != null && known.state.equals(state)) {
            return known.bytes;
        }
        byte[] bytes = Message.encoded(state);
        written = new Known(bytes, state);
        return bytes;
    }

    /** Forgets all other nodes. */
    void retain(Collection<String> nodes) {
        read.keySet().retainAll(nodes);
    }
}
