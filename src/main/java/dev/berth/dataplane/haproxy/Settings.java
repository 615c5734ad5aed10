package dev.berth.dataplane.haproxy;

import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.ProviderException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What holds for the whole provider, from {@code haproxy.properties}.
 *
 * @param directory absolute; for configuration, sockets, log and records, which it must keep over restarts
 * @param binary of HAProxy; by default, the one on the PATH
 * @param networkInterface that gets the addresses; by default, lo
 * @param targets where connections go: NodePorts, which is the default, or Endpoints
 */
record Settings(Path directory, String binary, String networkInterface, Targets targets) {
    /** As long as the path of a socket in it may be, and of letters that need no quotes in HAProxy's configuration. */
    private static final Pattern DIRECTORY = Pattern.compile("/[A-Za-z0-9._/-]{0,79}");

    private static final List<String> KNOWN = List.of("directory", "binary", "interface", "targets");

    static Settings of(Map<String, String> settings) {
        settings.keySet().stream()
                .filter(name -> !KNOWN.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new ProviderException("setting \"%s\" is unknown; provider \"%s\" knows %s"
                            .formatted(name, HaproxyProvider.NAME, String.join(", ", KNOWN)));
                });
        String targets = settings.getOrDefault("targets", "NodePorts");
        Path directory = Path.of(settings.getOrDefault("directory", "/var/lib/berth/haproxy"))
                .toAbsolutePath();
        if (!DIRECTORY.matcher(directory.toString()).matches()) {
            throw new ProviderException(
                    "setting \"directory\" is \"%s\"; it must have 80 characters at most: letters, digits, \".\", \"_\", \"-\""
                            .formatted(directory));
        }
        return new Settings(
                directory,
                settings.getOrDefault("binary", "haproxy"),
                settings.getOrDefault("interface", "lo"),
                switch (targets) {
                    case "NodePorts" -> Targets.NODE_PORTS;
                    case "Endpoints" -> Targets.ENDPOINTS;
                    default ->
                        throw new ProviderException(
                                "setting \"targets\" is \"" + targets + "\"; it must be NodePorts or Endpoints");
                });
    }
}
