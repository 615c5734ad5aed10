package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.SharedAddresses.Sharing;
import dev.berth.dataplane.haproxy.peers.PeerFiles;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.ProviderException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What holds for the whole provider, from {@code haproxy.properties}.
 *
 * @param directory absolute; for configuration, sockets, log and records, which it must keep over restarts
 * @param binary of HAProxy; by default, the one on the PATH
 * @param networkInterface that gets the addresses; by default, lo
 * @param targets where connections go: NodePorts, which is the default, or Endpoints
 * @param atExit what becomes of the addresses of this host when the process ends: Keep, which is the default, as HAProxy goes
 *     on, or Release, for a container, whose HAProxy ends with it
 * @param sharing with which hosts it shares the addresses; null: with none
 */
record Settings(
        Path directory,
        String binary,
        String networkInterface,
        Targets targets,
        AtExit atExit,
        @Nullable Sharing sharing) {
    enum AtExit {
        KEEP,
        RELEASE
    }

    /** As long as the path of a socket in it may be, and of letters that need no quotes in HAProxy's configuration. */
    private static final Pattern DIRECTORY = Pattern.compile("/[A-Za-z0-9._/-]{0,79}");

    private static final String PEERS = "peers";
    private static final List<String> OF_PEERS = List.of("listen", "ca", "certificate", "key");
    private static final List<String> KNOWN = Stream.of(
                    List.of("directory", "binary", "interface", "targets", "atExit", PEERS), OF_PEERS)
            .flatMap(List::stream)
            .toList();

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
                },
                atExit(settings.getOrDefault("atExit", "Keep")),
                sharing(settings));
    }

    private static AtExit atExit(String text) {
        return switch (text) {
            case "Keep" -> AtExit.KEEP;
            case "Release" -> AtExit.RELEASE;
            default ->
                throw new ProviderException("setting \"atExit\" is \"" + text + "\"; it must be Keep or Release");
        };
    }

    private static @Nullable Sharing sharing(Map<String, String> settings) {
        if (!settings.containsKey(PEERS)) {
            OF_PEERS.stream().filter(settings::containsKey).findFirst().ifPresent(unusable -> {
                throw new ProviderException("setting \"" + unusable + "\" is for several hosts, which \"peers\" names");
            });
            return null;
        }
        OF_PEERS.stream()
                .filter(name -> !settings.containsKey(name))
                .findFirst()
                .ifPresent(missing -> {
                    throw new ProviderException(
                            "setting \"" + missing + "\" is missing: several hosts talk by mutual TLS,"
                                    + " for which \"peers\" needs listen, ca, certificate and key");
                });
        if (settings.getOrDefault("interface", "lo").equals("lo")) {
            throw new ProviderException(
                    "setting \"peers\" needs \"interface\", the network card of the clients' network:"
                            + " no neighbour hears that an address on lo has moved to another host");
        }
        InetSocketAddress listen = place("listen", settings.getOrDefault("listen", ""));
        List<InetSocketAddress> others = Pattern.compile(",")
                .splitAsStream(settings.getOrDefault(PEERS, ""))
                .map(String::strip)
                .map(one -> place(PEERS, one))
                .filter(one -> !leadsTo(listen, one))
                .distinct()
                .toList();
        if (others.isEmpty()) {
            throw new ProviderException("setting \"peers\" names no other host");
        }
        List<Path> files = Stream.of("ca", "certificate", "key")
                .map(name -> file(name, settings.getOrDefault(name, "")))
                .toList();
        return new Sharing(listen, others, new PeerFiles(files.get(0), files.get(1), files.get(2)));
    }

    private static Path file(String name, String path) {
        if (!path.startsWith("/")) {
            throw new ProviderException("setting \"" + name + "\" is \"" + path + "\"; it must begin with /");
        }
        return Path.of(path);
    }

    /** Whether this host is called there: it may be named by another name or text than the one where it listens. */
    private static boolean leadsTo(InetSocketAddress listen, InetSocketAddress place) {
        InetAddress own = listen.getAddress();
        if (place.getPort() != listen.getPort() || own == null) {
            return false;
        }
        try {
            for (InetAddress one : InetAddress.getAllByName(place.getHostString())) {
                if (own.isAnyLocalAddress() ? NetworkInterface.getByInetAddress(one) != null : one.equals(own)) {
                    return true;
                }
            }
            return false;
        } catch (UnknownHostException | SocketException notNow) {
            return false;
        }
    }

    /** Names are looked up for each connection. */
    private static InetSocketAddress place(String setting, String text) {
        try {
            URI uri = URI.create("berth://" + text);
            if (uri.getHost() != null
                    && uri.getPort() > 0
                    && uri.getPort() < 65536
                    && text.equals(uri.getAuthority())) {
                String host = uri.getHost();
                return setting.equals(PEERS)
                        ? InetSocketAddress.createUnresolved(bare(host), uri.getPort())
                        : new InetSocketAddress(bare(host), uri.getPort());
            }
        } catch (IllegalArgumentException unreadable) {
            // Refused below.
        }
        throw new ProviderException("setting \"" + setting + "\" has \"" + text + "\"; it must be HOST:PORT");
    }

    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
