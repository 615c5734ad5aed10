package dev.berth.plugin.grpc;

import dev.berth.duration.DurationText;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.KeepAlive;
import dev.berth.plugin.grpc.transport.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a plug-in.
 *
 * @param files for mutual TLS; null: the target is a Unix socket
 * @param serverName in the certificate of the plug-in; null: the host of the target
 * @param deadline of each call
 * @param keepAlive how a connection that fell silent is found
 */
public record GrpcSettings(
        Endpoint target,
        Tls.@Nullable Files files,
        @Nullable String serverName,
        Duration deadline,
        KeepAlive keepAlive) {
    /** How long a plug-in may take if it is not said. */
    public static final Duration DEADLINE = Duration.ofSeconds(10);

    private static final String TARGET = "target";
    private static final String TARGETS = "targets";
    private static final String SERVER_NAME = "server-name";
    private static final String DEADLINE_NAME = "deadline";
    private static final String KEEP_ALIVE_TIME = "keep-alive-time";
    private static final String KEEP_ALIVE_TIMEOUT = "keep-alive-timeout";
    private static final List<String> FILES = List.of("ca", "certificate", "key");
    private static final List<String> OF_A_NETWORK =
            Stream.concat(FILES.stream(), Stream.of(SERVER_NAME)).toList();
    private static final List<String> ALL = Stream.of(
                    List.of(TARGET, TARGETS), OF_A_NETWORK, List.of(DEADLINE_NAME, KEEP_ALIVE_TIME, KEEP_ALIVE_TIMEOUT))
            .flatMap(List::stream)
            .toList();

    /** Berth gives up any call after a minute. */
    private static final Duration LONGEST_DEADLINE = Duration.ofSeconds(50);

    private static final Duration LONGEST_TIME = Duration.ofHours(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

    /** With the usual deadline and keep-alive. */
    public GrpcSettings(Endpoint target, Tls.@Nullable Files files, @Nullable String serverName) {
        this(target, files, serverName, DEADLINE, KeepAlive.USUAL);
    }

    /** With another deadline. */
    public GrpcSettings withDeadline(Duration other) {
        return new GrpcSettings(target, files, serverName, other, keepAlive);
    }

    /** With another keep-alive. */
    GrpcSettings withKeepAlive(KeepAlive other) {
        return new GrpcSettings(target, files, serverName, deadline, other);
    }

    /**
     * Reads the settings of a plug-in that runs on several hosts, which {@code targets} names.
     *
     * @param folder in which files are that are named without one
     * @return for each host; empty: there is no {@code targets}
     * @throws IllegalArgumentException as {@link #of} does, and if there is one host only, or one is named twice
     */
    public static List<GrpcSettings> ofHosts(Map<String, String> settings, Path folder) {
        String targets = settings.get(TARGETS);
        if (targets == null) {
            return List.of();
        }
        if (settings.containsKey(TARGET)) {
            throw new IllegalArgumentException("there are target and targets; leave one out");
        }
        List<GrpcSettings> hosts = Pattern.compile(",")
                .splitAsStream(targets)
                .map(target -> {
                    Map<String, String> one = new TreeMap<>(settings);
                    one.remove(TARGETS);
                    one.put(TARGET, target.strip());
                    return of(one, folder);
                })
                .toList();
        if (hosts.size() < 2) {
            throw new IllegalArgumentException("targets names one host only; for one, it is target");
        }
        if (hosts.stream().map(GrpcSettings::target).distinct().count() < hosts.size()) {
            throw new IllegalArgumentException("targets names a host twice");
        }
        return hosts;
    }

    /**
     * Reads the settings of a plug-in.
     *
     * @param folder in which files are that are named without one
     * @throws IllegalArgumentException if one is unknown, missing, without effect or unreadable; the message says which
     */
    public static GrpcSettings of(Map<String, String> settings, Path folder) {
        TreeSet<String> unknown = new TreeSet<>(settings.keySet());
        ALL.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "unknown setting " + unknown.first() + "; there are " + String.join(", ", ALL));
        }
        Endpoint target = Optional.ofNullable(settings.get(TARGET))
                .map(Endpoint::parse)
                .orElseThrow(() -> new IllegalArgumentException("target is missing, as in unix:///run/berth/lb.sock"));
        boolean isSocket = target instanceof Endpoint.Unix;
        requireWhatFits(settings, isSocket);
        return new GrpcSettings(
                target,
                isSocket ? null : files(settings, folder),
                settings.get(SERVER_NAME),
                duration(settings, DEADLINE_NAME, DEADLINE, Duration.ofMillis(1), LONGEST_DEADLINE),
                new KeepAlive(
                        duration(
                                settings,
                                KEEP_ALIVE_TIME,
                                KeepAlive.USUAL.time(),
                                KeepAlive.SHORTEST_TIME,
                                LONGEST_TIME),
                        duration(
                                settings,
                                KEEP_ALIVE_TIMEOUT,
                                KeepAlive.USUAL.timeout(),
                                Duration.ofSeconds(1),
                                LONGEST_TIMEOUT)));
    }

    private static void requireWhatFits(Map<String, String> settings, boolean isSocket) {
        if (isSocket) {
            OF_A_NETWORK.stream().filter(settings::containsKey).findFirst().ifPresent(unused -> {
                throw new IllegalArgumentException(
                        unused + " is for targets on a network; a Unix socket is guarded by its permissions");
            });
        } else {
            FILES.stream()
                    .filter(file -> !settings.containsKey(file))
                    .findFirst()
                    .ifPresent(missing -> {
                        throw new IllegalArgumentException(
                                missing + " is missing: over a network it needs mutual TLS by ca, certificate and key");
                    });
        }
    }

    private static Tls.Files files(Map<String, String> settings, Path folder) {
        List<Path> paths = FILES.stream()
                .map(name -> folder.resolve(settings.getOrDefault(name, "")))
                .toList();
        return new Tls.Files(paths.get(0), paths.get(1), paths.get(2));
    }

    private static Duration duration(
            Map<String, String> settings, String name, Duration usual, Duration least, Duration most) {
        String text = settings.get(name);
        if (text == null) {
            return usual;
        }
        return DurationText.parse(text)
                .filter(duration -> duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0)
                .orElseThrow(() -> new IllegalArgumentException(name + " \"" + text + "\" is not a duration from "
                        + DurationText.of(least) + " to " + DurationText.of(most) + "; write it as "
                        + DurationText.of(usual)));
    }
}
