package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Service, as far as its cluster IPs go.
 *
 * @param type such as {@code ClusterIP}; one of type ExternalName has no cluster IP
 * @param clusterIps as they stand in its spec; {@code None}: it is headless
 * @param created its creationTimestamp
 */
public record ClusterService(ServiceKey key, String type, List<String> clusterIps, Instant created) {
    private static final String HEADLESS = "None";
    private static final String EXTERNAL_NAME = "ExternalName";

    public ClusterService {
        clusterIps = List.copyOf(clusterIps);
    }

    /** Its cluster IPs; what cannot be read as an address is left out. */
    public Stream<Ip> ips() {
        return addresses().stream().flatMap(text -> Ip.find(text).stream());
    }

    /** The texts that should be addresses; empty: it needs none, or has none yet. */
    List<String> addresses() {
        return type.equals(EXTERNAL_NAME)
                ? List.of()
                : clusterIps.stream()
                        .filter(text -> !text.isEmpty() && !text.equals(HEADLESS))
                        .toList();
    }
}
