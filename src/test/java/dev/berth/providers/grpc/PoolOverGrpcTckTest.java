package dev.berth.providers.grpc;

import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.providers.pool.PoolProvider;
import dev.berth.testing.GrpcHosts;
import org.junit.jupiter.api.AfterEach;

/** The provider {@code pool} keeps the contract over the wire as well. */
class PoolOverGrpcTckTest extends LoadBalancerProviderTck {
    private final GrpcHosts hosts = new GrpcHosts();

    @Override
    protected LoadBalancerProvider provider() {
        return hosts.overUnixSocket(new PoolProvider());
    }

    @AfterEach
    void stop() {
        hosts.close();
    }
}
