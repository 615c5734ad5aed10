package dev.berth.provider;

import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import dev.berth.testing.GrpcHosts;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** A provider that keeps every rule passes, whatever it can do, and over gRPC as well. */
class ReferenceProviderTckTest {
    @Nested
    class FromPools extends OfCapabilities {
        FromPools() {
            super(BrokenProviders.ALL);
        }
    }

    @Nested
    class OfItsOwn extends OfCapabilities {
        OfItsOwn() {
            super(BrokenProviders.OWN);
        }
    }

    @Nested
    class ToEndpoints extends OfCapabilities {
        ToEndpoints() {
            super(BrokenProviders.ALL.withTargets(Targets.ENDPOINTS));
        }
    }

    @Nested
    class FromPoolsOverGrpc extends OverGrpc {
        FromPoolsOverGrpc() {
            super(BrokenProviders.ALL);
        }
    }

    @Nested
    class OfItsOwnOverGrpc extends OverGrpc {
        OfItsOwnOverGrpc() {
            super(BrokenProviders.OWN);
        }
    }

    @Nested
    class ToEndpointsOverGrpc extends OverGrpc {
        ToEndpointsOverGrpc() {
            super(BrokenProviders.ALL.withTargets(Targets.ENDPOINTS));
        }
    }

    abstract static class OverGrpc extends OfCapabilities {
        private final GrpcHosts hosts = new GrpcHosts();

        OverGrpc(Capabilities capabilities) {
            super(capabilities);
        }

        @Override
        protected LoadBalancerProvider provider() {
            return hosts.overUnixSocket(super.provider());
        }

        @AfterEach
        void stop() {
            hosts.close();
        }
    }

    abstract static class OfCapabilities extends LoadBalancerProviderTck {
        private final ReferenceWorld world = new ReferenceWorld();
        private final Capabilities capabilities;

        OfCapabilities(Capabilities capabilities) {
            this.capabilities = capabilities;
        }

        @Override
        protected LoadBalancerProvider provider() {
            return new ReferenceProvider(world, capabilities);
        }

        @Override
        protected Map<String, String> parameters() {
            return Map.of("place", "a");
        }

        @Override
        protected Optional<Map<String, String>> otherParameters() {
            return Optional.of(Map.of("place", "b"));
        }

        @Override
        protected Optional<World> world() {
            return Optional.of(world);
        }

        @Override
        protected Optional<Outage> outage() {
            return Optional.of(world.outage());
        }
    }
}
