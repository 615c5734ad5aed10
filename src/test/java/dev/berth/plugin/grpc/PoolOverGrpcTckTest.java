package dev.berth.plugin.grpc;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.TlsFiles;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The provider {@code pool} keeps the contract over the wire as well. */
class PoolOverGrpcTckTest {
    @Nested
    class ByUnixSocket extends OverGrpc {
        @Override
        protected LoadBalancerProvider provider() {
            return hosts.overUnixSocket(new PoolProvider());
        }
    }

    @Nested
    class ByMutualTls extends OverGrpc {
        @TempDir
        private static Path folder;

        private static TlsFiles files;

        @BeforeAll
        static void makeFiles() {
            files = new TlsFiles(folder);
        }

        @Override
        protected LoadBalancerProvider provider() {
            return hosts.overMutualTls(new PoolProvider(), files);
        }
    }

    abstract static class OverGrpc extends LoadBalancerProviderTck {
        final GrpcHosts hosts = new GrpcHosts();

        @AfterEach
        void stop() {
            hosts.close();
        }
    }
}
