package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import dev.berth.testing.GoExample;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.TlsFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/**
 * src/examples/cloud-provider-adapter keeps the contract with the fake cloud of k8s.io/cloud-provider behind it. The kit
 * looks into that cloud, and takes it away.
 */
class CloudProviderAdapterIT {
    @Nested
    class CloudThatIsReadyAtOnce_byUnixSocket extends Adapter {
        private final Path socket = hosts.socket();

        CloudThatIsReadyAtOnce_byUnixSocket() {
            super("0s");
        }

        @Override
        List<String> listen() {
            return List.of("-listen=unix://" + socket);
        }

        @Override
        GrpcProvider connected() {
            return hosts.connected(new Endpoint.Unix(socket));
        }
    }

    @Nested
    class CloudThatTakesItsTime_byMutualTls extends Adapter {
        @TempDir
        private static Path folder;

        private static TlsFiles files;

        @BeforeAll
        static void makeFiles() {
            files = new TlsFiles(folder);
        }

        CloudThatTakesItsTime_byMutualTls() {
            super("50ms");
        }

        @Override
        List<String> listen() {
            return List.of(
                    "-listen=127.0.0.1:0",
                    "-ca=" + files.server().authority(),
                    "-certificate=" + files.server().certificate(),
                    "-key=" + files.server().key());
        }

        @Override
        GrpcProvider connected() {
            Endpoint there = new Endpoint.Network("127.0.0.1", running().port());
            return hosts.connected(new GrpcSettings(there, files.client(), null));
        }
    }

    abstract static class Adapter extends LoadBalancerProviderTck implements World {
        final GrpcHosts hosts = new GrpcHosts();
        private final String pendingFor;

        @TempDir
        private Path temporary;

        private @Nullable GoExample process;

        Adapter(String pendingFor) {
            this.pendingFor = pendingFor;
        }

        /** The flags that say where it is served. */
        abstract List<String> listen();

        abstract GrpcProvider connected();

        @Override
        protected LoadBalancerProvider provider() {
            if (process == null) {
                List<String> flags = new ArrayList<>(listen());
                flags.add("-tokens=" + temporary.resolve("tokens"));
                flags.add("-pending-for=" + pendingFor);
                flags.add("-console=127.0.0.1:0");
                process = GoExample.start("cloud-provider-adapter", temporary, flags.toArray(String[]::new));
            }
            return connected();
        }

        @Override
        protected Optional<World> world() {
            return Optional.of(this);
        }

        @Override
        public Optional<Seen> look(String clusterName, ServiceIdentity service) {
            return StreamSupport.stream(running().page().spliterator(), false)
                    .filter(one -> one.path("uid").asText().equals(service.uid()))
                    .findFirst()
                    .map(one -> new Seen(
                            texts(one.path("listeners")).stream()
                                    .map(text -> text.split(" ", 2))
                                    .map(words -> new Listener(Protocol.valueOf(words[0]), Integer.parseInt(words[1])))
                                    .toList(),
                            texts(one.path("nodes")),
                            texts(one.path("sourceRanges"))));
        }

        private static List<String> texts(JsonNode all) {
            List<String> texts = new ArrayList<>();
            all.forEach(one -> texts.add(one.asText()));
            return texts;
        }

        @Override
        protected Optional<Outage> outage() {
            running().send("PUT", "outage");
            return Optional.of(() -> running().send("DELETE", "outage"));
        }

        GoExample running() {
            return Optional.ofNullable(process).orElseThrow();
        }

        @AfterEach
        void stop() {
            hosts.close();
            assertThat(running().stop()).isZero();
        }
    }
}
