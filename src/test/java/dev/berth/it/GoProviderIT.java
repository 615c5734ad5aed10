package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import dev.berth.testing.GoExample;
import dev.berth.testing.GrpcHosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The proxy of src/examples/provider-go keeps the contract. A new provider is the process killed and started again; the
 * kit sees what it says to carry, and knocks at its sockets.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "only there a host has many loopback addresses")
class GoProviderIT extends LoadBalancerProviderTck implements World {
    private static final long PID = ProcessHandle.current().pid();

    /** Tests at once on one host have their own addresses and ports; low ports need a right. */
    static final String LOOPBACK = "127." + (1 + PID % 250) + "." + (PID / 250 % 250) + ".";

    static final int PORT_OFFSET = (int) (10_000 + PID % 10_000);

    private final GrpcHosts hosts = new GrpcHosts();
    private final Path socket = hosts.socket();
    private final List<GrpcProvider> clients = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    @TempDir
    private Path temporary;

    private @Nullable GoExample process;

    @Override
    protected LoadBalancerProvider provider() {
        if (process != null) {
            process.close();
        }
        process = GoExample.start(
                "provider-go",
                temporary,
                "-listen=unix://" + socket,
                "-state=" + state(),
                "-status=127.0.0.1:0",
                "-port-offset=" + PORT_OFFSET);
        clients.add(hosts.connected(new Endpoint.Unix(socket)));
        clients.forEach(GoProviderIT::awaitConnected);
        return clients.getLast();
    }

    private static void awaitConnected(GrpcProvider client) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .ignoreException(ProviderException.class)
                .until(() -> client.getLoadBalancerName(new ServiceIdentity("any", "any", "any")), name -> true);
    }

    private Path state() {
        try {
            return Files.createDirectories(temporary.resolve("state"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    protected String address(Family family, int number) {
        String address = switch (family) {
            case IPV4 -> LOOPBACK + (number + 1);
            case IPV6 -> "::1";
        };
        addresses.add(address);
        return address;
    }

    @Override
    protected Optional<World> world() {
        return Optional.of(this);
    }

    @Override
    public Optional<Seen> look(String clusterName, ServiceIdentity service) {
        Optional<JsonNode> found = StreamSupport.stream(running().page().spliterator(), false)
                .filter(one -> one.path("cluster").asText().equals(clusterName)
                        && one.path("uid").asText().equals(service.uid()))
                .findFirst();
        if (found.isEmpty()) {
            assertThat(addresses).noneMatch(address -> isOpen(address, 80));
        }
        return found.map(this::seen);
    }

    private Seen seen(JsonNode one) {
        List<Listener> listeners = new ArrayList<>();
        for (JsonNode at : one.path("sockets")) {
            String[] words = at.asText().split(" ", 2);
            int colon = words[1].lastIndexOf(':');
            Listener listener = new Listener(
                    Protocol.valueOf(words[0].toUpperCase(Locale.ROOT)),
                    Integer.parseInt(words[1].substring(colon + 1)));
            if (listener.protocol() == Protocol.TCP) {
                assertThat(isOpen(words[1].substring(0, colon), listener.port()))
                        .as(at.asText())
                        .isTrue();
            }
            listeners.add(listener);
        }
        List<String> nodes = new ArrayList<>();
        one.path("nodes").fieldNames().forEachRemaining(nodes::add);
        List<String> sourceRanges = new ArrayList<>();
        one.path("sourceRanges").forEach(range -> sourceRanges.add(range.asText()));
        return new Seen(listeners, nodes, sourceRanges);
    }

    private static boolean isOpen(String address, int port) {
        try (Socket client = new Socket()) {
            client.connect(new InetSocketAddress(address, port + PORT_OFFSET), 5_000);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** Its folder is gone, as when a mount is. */
    @Override
    protected Optional<Outage> outage() {
        Path elsewhere = temporary.resolve("unmounted");
        move(state(), elsewhere);
        return Optional.of(() -> move(elsewhere, temporary.resolve("state")));
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private GoExample running() {
        return Optional.ofNullable(process).orElseThrow();
    }

    @AfterEach
    void stop() {
        hosts.close();
        assertThat(running().stop()).isZero();
    }
}
