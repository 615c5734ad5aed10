package dev.berth.agent;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Sends what concerns addresses on several interfaces: one that fails keeps no other from it. */
final class PerLink {
    private PerLink() {}

    interface Sending {
        void send(String link, List<String> addresses) throws IOException;
    }

    /**
     * Sends it on each.
     *
     * @param addresses by interface
     * @param failed notified of each failure
     */
    static void send(Map<String, List<String>> addresses, Sending sending, Consumer<Exception> failed) {
        addresses.forEach((link, some) -> {
            try {
                sending.send(link, some);
            } catch (IOException | RuntimeException failure) {
                failed.accept(failure);
            }
        });
    }
}
