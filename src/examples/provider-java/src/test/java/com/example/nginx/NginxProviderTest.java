package com.example.nginx;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

/** The provider keeps the contract. The kit looks into the files as nginx does. */
class NginxProviderTest extends LoadBalancerProviderTck implements World {
    private static final Pattern SERVER = Pattern.compile("(?m)^  server \\[?([^;\\]]+?)\\]?:\\d+; # (\\S+)$");
    private static final Pattern LISTEN = Pattern.compile("(?m)^  listen .*:(\\d+)( udp)?;$");
    private static final Pattern ALLOW = Pattern.compile("(?m)^  allow (\\S+);$");

    @TempDir
    private Path temporary;

    private Path directory() {
        return temporary.resolve("conf.d");
    }

    @Override
    protected LoadBalancerProvider provider() {
        try {
            Files.createDirectories(directory());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new NginxProviderFactory().create(Map.of("directory", directory().toString(), "targets", targets()));
    }

    /** As nginx.properties says it. */
    protected String targets() {
        return "nodes";
    }

    @Override
    protected Optional<World> world() {
        return Optional.of(this);
    }

    @Override
    public Optional<Seen> look(String clusterName, ServiceIdentity service) {
        Path file = directory().resolve("berth-" + service.uid() + ".conf");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            String text = Files.readString(file);
            Set<Listener> ports = new LinkedHashSet<>();
            for (Matcher found = LISTEN.matcher(text); found.find(); ) {
                ports.add(new Listener(
                        found.group(2) == null ? Protocol.TCP : Protocol.UDP, Integer.parseInt(found.group(1))));
            }
            return Optional.of(new Seen(
                    List.copyOf(ports), all(SERVER, targets().equals("nodes") ? 2 : 1, text), all(ALLOW, 1, text)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<String> all(Pattern pattern, int group, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(group))
                .distinct()
                .toList();
    }

    /** The folder is gone, as when a mount is. */
    @Override
    protected Optional<Outage> outage() {
        Path elsewhere = temporary.resolve("unmounted");
        move(directory(), elsewhere);
        return Optional.of(() -> move(elsewhere, directory()));
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
