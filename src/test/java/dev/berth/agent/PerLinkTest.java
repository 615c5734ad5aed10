package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PerLinkTest {
    @Test
    void anInterfaceThatFails_keepsNoOtherFromIt_andEachFailureIsTold() {
        Map<String, List<String>> addresses = new TreeMap<>(Map.of(
                "eth0", List.of("192.0.2.1"),
                "eth1", List.of("192.0.2.2", "192.0.2.3"),
                "eth2", List.of("192.0.2.4"),
                "eth3", List.of("192.0.2.5")));
        List<String> sent = new ArrayList<>();
        List<String> failures = new ArrayList<>();

        PerLink.send(
                addresses,
                (link, some) -> {
                    switch (link) {
                        case "eth0" -> throw new IOException("eth0: ENETDOWN");
                        case "eth2" -> throw new IllegalStateException("eth2: a bug");
                        default -> sent.addAll(some);
                    }
                },
                failure -> failures.add(failure.getMessage()));

        assertThat(sent).containsExactly("192.0.2.2", "192.0.2.3", "192.0.2.5");
        assertThat(failures).containsExactly("eth0: ENETDOWN", "eth2: a bug");
    }
}
