package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.Silently;
import dev.berth.ip.Ip;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.testing.QuietProvider;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulation is worth something: operators that are broken on purpose do not live through it. */
@Tag("slow")
@ExtendWith(Silently.class)
class BrokenOperatorsTest {
    private static final int SEEDS = 1_500;
    private static final int HARMLESS_SEEDS = 100;

    /**
     * A mistake.
     *
     * @param first the seed to begin with: the first that caught it when it was last looked
     */
    record Row(String mistake, int operators, int first, SimulatedParts parts) {
        @Override
        public String toString() {
            return mistake;
        }
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistake_isCaught(Row row) {
        assertThat(firstCaught(row, SEEDS)).as(row.mistake()).isPresent();
    }

    private static Optional<History.Broken> firstCaught(Row row, int seeds) {
        return LongStream.range(row.first(), row.first() + seeds)
                .mapToObj(seed -> History.of(seed % seeds, row.operators(), SimulationTest.STEPS)
                        .with(row.parts())
                        .live(false)
                        .map(b -> new History.Broken(b.rule(), b.message(), "" + seed % seeds, b.cause())))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * What only costs something. A create whose answer is lost holds its name all the same: who takes the address gets a
     * conflict, reads, and finds whose it is; and what is created after all is seen, and given back if it is one too
     * many. An echo taken for news is one reconciliation that finds nothing to do.
     */
    @ParameterizedTest
    @MethodSource("harmless")
    void whatHarmsNobody_isNotCaught(Row row) {
        assertThat(firstCaught(row, HARMLESS_SEEDS)).as(row.mistake()).isEmpty();
    }

    private static List<Row> harmless() {
        return List.of(
                new Row("takes a create without an answer for not done", 1, 0, cluster(Despairs::new)),
                new Row("takes its own echo for news", 1, 0, new SimulatedParts() {
                    @Override
                    boolean takeEcho(ServiceControl services, ServiceState now) {
                        return false;
                    }
                }));
    }

    private static List<Row> mistakes() {
        return List.of(
                new Row("claims an address only after it has published it", 1, 1, cluster(ClaimsLate::new)),
                new Row("takes whatever Address is there for its own", 1, 4, cluster(TakesOthers::new)),
                new Row("takes a write without an answer for done", 1, 22, cluster(Hopes::new)),
                new Row("takes a read that failed for absence", 1, 709, cluster(TakesFailureForAbsence::new)),
                new Row("deletes and updates Addresses whatever became of them", 2, 107, cluster(ForcesClaims::new)),
                new Row("patches Services whatever became of them", 1, 0, cluster(ForcesServices::new)),
                new Row(
                        "publishes what was claimed before without writing the Address",
                        2,
                        476,
                        cluster(Confident::new)),
                new Row("releases what was never published without writing the Service", 2, 83, cluster(Abrupt::new)),
                new Row("never puts its finalizer on", 1, 0, cluster(NoFinalizer::new)),
                new Row("takes a status for the truth when it starts", 1, 649, cluster(Believes::new)),
                new Row("takes others' finalizers off with its own", 1, 4, cluster(TakesAllFinalizers::new)),
                new Row("forgets the ipMode", 1, 2, cluster(NoMode::new)),
                new Row("releases before the provider has deleted", 1, 26, provider(ReleasesFirst::new)),
                new Row("does not wait until the provider has deleted", 1, 12, provider(DeletesLater::new)),
                new Row("takes a provider's failed delete for done", 1, 322, provider(FailsInSilence::new)),
                new Row("takes its finalizer off before the provider has deleted", 1, 2, cloud(FinalizerFirst::new)),
                new Row("reads Services from its cache", 1, 110, cluster(ReadsItsCache::new)),
                new Row("has the fencing token of the leader before", 1, 424, new SimulatedParts() {
                    @Override
                    long fencingToken(long leader) {
                        return 1;
                    }
                }),
                new Row("has a lower fencing token than the leader before", 1, 0, new SimulatedParts() {
                    @Override
                    long fencingToken(long leader) {
                        return 1_000_000 - leader;
                    }
                }),
                new Row("starts without what is claimed", 1, 2, new SimulatedParts() {
                    @Override
                    void learn(Ledger ledger, List<Claim> claims) {
                        ledger.rebuild(List.of());
                    }
                }),
                new Row("takes every event on a Service that it knows for its own echo", 1, 0, new SimulatedParts() {
                    @Override
                    boolean takeEcho(ServiceControl services, ServiceState now) {
                        return true;
                    }
                }),
                new Row("wakes nobody who waits", 1, 179, new SimulatedParts() {
                    @Override
                    Collection<ServiceKey> due(Collection<ServiceKey> keys) {
                        return List.of();
                    }
                }),
                new Row("does not try again", 1, 10, new SimulatedParts() {
                    @Override
                    Next next(Next next) {
                        return Next.ON_EVENT;
                    }
                }),
                new Row("does not hear that an Address was deleted", 1, 63, new SimulatedParts() {
                    @Override
                    boolean hearsOfTheEnd(Claim last) {
                        return false;
                    }
                }),
                new Row("counts what a pool has only when somebody edits it", 1, 0, new SimulatedParts() {
                    @Override
                    Next nextLook(Next next) {
                        return Next.ON_EVENT;
                    }
                }),
                new Row("writes the status of a pool once", 1, 0, new SimulatedParts() {
                    @Override
                    boolean writesStatus(HasMetadata object) {
                        return !(object instanceof AddressPool pool) || pool.getStatus() == null;
                    }
                }),
                new Row("writes the status of a class once", 1, 1, new SimulatedParts() {
                    @Override
                    boolean writesStatus(HasMetadata object) {
                        return !(object instanceof LoadBalancerClass known) || known.getStatus() == null;
                    }
                }),
                new Row("looks at no class when another one changes what it is", 1, 69, new SimulatedParts() {
                    @Override
                    String verdictChanged(String className) {
                        return "";
                    }
                }));
    }

    private static SimulatedParts cluster(BiFunction<SimulatedWorld, SimulatedCluster.Client, Cluster> broken) {
        return new SimulatedParts() {
            @Override
            Cluster cluster(SimulatedWorld world, SimulatedCluster.Client client) {
                return broken.apply(world, client);
            }
        };
    }

    private static SimulatedParts provider(Function<SimulatedWorld, LoadBalancerProvider> broken) {
        return new SimulatedParts() {
            @Override
            LoadBalancerProvider provider(SimulatedWorld world, SimulatedCluster.Client client) {
                return broken.apply(world);
            }
        };
    }

    private static SimulatedParts cloud(Function<SimulatedWorld, LoadBalancerProvider> broken) {
        return new SimulatedParts() {
            @Override
            LoadBalancerProvider cloud(SimulatedWorld world, SimulatedCluster.Client client) {
                return broken.apply(world);
            }
        };
    }

    private abstract static class BrokenCluster extends ClusterAsIs {
        final SimulatedWorld world;

        BrokenCluster(SimulatedWorld world, SimulatedCluster.Client client) {
            super(client);
            this.world = world;
        }

        final Claim claim(Ip ip, ClaimSpec spec) {
            return new Claim(ip, "uid-of-" + ip, "1", spec);
        }
    }

    private static final class ClaimsLate extends BrokenCluster {
        private final Map<Ip, ClaimSpec> postponed = new LinkedHashMap<>();

        ClaimsLate(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
            postponed.put(ip, spec);
            return new Write.Done<>(claim(ip, spec));
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            Write<ServiceState> written = super.publish(seen, difference, dryRun);
            for (Ip ip : List.copyOf(postponed.keySet())) {
                ClaimSpec spec = postponed.remove(ip);
                if (spec != null) {
                    client.createClaim(ip, spec);
                }
            }
            return written;
        }
    }

    private static final class TakesOthers extends BrokenCluster {
        TakesOthers(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
            Write<Claim> written = super.createClaim(ip, spec);
            return written instanceof Write.Conflict<Claim> ? new Write.Done<>(claim(ip, spec)) : written;
        }
    }

    private static final class Hopes extends BrokenCluster {
        Hopes(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
            Write<Claim> written = super.createClaim(ip, spec);
            return written instanceof Write.Unknown<Claim> ? new Write.Done<>(claim(ip, spec)) : written;
        }
    }

    private static final class TakesFailureForAbsence extends BrokenCluster {
        TakesFailureForAbsence(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Read<ServiceState> readService(ServiceKey key) {
            Read<ServiceState> read = super.readService(key);
            return read instanceof Read.Failed<ServiceState> ? new Read.Absent<>() : read;
        }
    }

    private static final class Despairs extends BrokenCluster {
        Despairs(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
            Write<Claim> written = super.createClaim(ip, spec);
            return written instanceof Write.Unknown<Claim>(String message) ? new Write.Refused<>(message) : written;
        }
    }

    private static final class ReadsItsCache extends BrokenCluster {
        ReadsItsCache(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Read<ServiceState> readService(ServiceKey key) {
            Read<ServiceState> live = super.readService(key);
            return live instanceof Read.Failed
                    ? live
                    : client.service(key)
                            .<Read<ServiceState>>map(Read.Found::new)
                            .orElseGet(Read.Absent::new);
        }
    }

    private static final class ForcesClaims extends BrokenCluster {
        ForcesClaims(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        private Claim now(Claim seen) {
            return Objects.requireNonNullElse(world.cluster.claims.get(seen.ip()), seen);
        }

        @Override
        public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
            return super.updateClaim(now(seen), spec);
        }

        @Override
        public Write<Claim> deleteClaim(Claim seen) {
            return super.deleteClaim(now(seen));
        }
    }

    private static final class ForcesServices extends BrokenCluster {
        ForcesServices(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            return super.publish(
                    Objects.requireNonNullElse(world.cluster.services.get(seen.key()), seen), difference, dryRun);
        }
    }

    private static final class Confident extends BrokenCluster {
        Confident(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<Claim> confirmClaim(Claim seen) {
            return new Write.Done<>(seen);
        }
    }

    private static final class Abrupt extends BrokenCluster {
        Abrupt(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            boolean announces = difference.conditions().stream()
                    .anyMatch(condition -> condition.type().equals(WellKnownNames.RELEASING));
            return announces ? new Write.Done<>(seen) : super.publish(seen, difference, dryRun);
        }
    }

    private static final class NoFinalizer extends BrokenCluster {
        NoFinalizer(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            return super.publish(
                    seen,
                    new Publication.Difference(
                            false,
                            difference.servedByClass(),
                            difference.ingress(),
                            difference.conditions(),
                            difference.removedConditions()),
                    dryRun);
        }
    }

    private static final class Believes extends BrokenCluster {
        Believes(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public CachedServices allServices() {
            CachedServices all = client.allServices();
            return new CachedServices(
                    all.states().stream().map(Believes::marked).toList(), all.unreadable());
        }

        private static ServiceState marked(ServiceState service) {
            return service.ingress().isEmpty() || service.isMarkedOurs()
                    ? service
                    : SampleService.from(service)
                            .finalizer(WellKnownNames.FINALIZER)
                            .conditions(Stream.concat(
                                            service.conditions().stream(),
                                            Stream.of(new Condition(
                                                    WellKnownNames.ADDRESS_ASSIGNED,
                                                    Condition.Status.TRUE,
                                                    "Assigned",
                                                    "",
                                                    Instant.EPOCH)))
                                    .toList())
                            .build();
        }
    }

    private static final class TakesAllFinalizers extends BrokenCluster {
        TakesAllFinalizers(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
            Write<ServiceState> written = super.clear(seen, others);
            ServiceState now = world.cluster.services.get(seen.key());
            if (written instanceof Write.Done<ServiceState> && now != null && !now.deleting()) {
                world.cluster.put(seen.key(), SampleService.from(now).finalizers(List.of()));
            }
            return written;
        }
    }

    private static final class NoMode extends BrokenCluster {
        NoMode(SimulatedWorld world, SimulatedCluster.Client client) {
            super(world, client);
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            List<Published> entries = difference.ingress();
            return super.publish(
                    seen,
                    new Publication.Difference(
                            difference.finalizer(),
                            difference.servedByClass(),
                            entries == null
                                    ? null
                                    : entries.stream()
                                            .map(Published::withoutIpMode)
                                            .toList(),
                            difference.conditions(),
                            difference.removedConditions()),
                    dryRun);
        }
    }

    private abstract static class BrokenProvider implements QuietProvider {
        final SimulatedWorld world;

        BrokenProvider(SimulatedWorld world) {
            this.world = world;
        }

        @Override
        public final Capabilities capabilities() {
            return Capabilities.fromPools(IpMode.PROXY, IpMode.VIP);
        }

        @Override
        public final EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            return world.provider.ensureLoadBalancer(request);
        }
    }

    private static final class ReleasesFirst extends BrokenProvider {
        ReleasesFirst(SimulatedWorld world) {
            super(world);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            world.cluster.claims.values().stream()
                    .filter(claim -> claim.owners().stream()
                            .anyMatch(owner -> request.service().uid().equals(owner.uid())))
                    .toList()
                    .forEach(claim -> world.cluster.removeClaim(claim.ip()));
            world.provider.ensureLoadBalancerDeleted(request);
        }
    }

    private static final class DeletesLater extends BrokenProvider {
        private final List<LoadBalancerRequest> postponed = new ArrayList<>();

        DeletesLater(SimulatedWorld world) {
            super(world);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            postponed.add(request);
            if (postponed.size() > 2) {
                world.provider.ensureLoadBalancerDeleted(postponed.removeFirst());
            }
        }
    }

    /** Only where no Address is left to say that there is something to be deleted. */
    private static final class FinalizerFirst implements QuietProvider {
        private final SimulatedWorld world;

        FinalizerFirst(SimulatedWorld world) {
            this.world = world;
        }

        @Override
        public Capabilities capabilities() {
            return world.cloud.capabilities();
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            return world.cloud.ensureLoadBalancer(request);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            world.cluster.services.values().stream()
                    .filter(service -> service.uid().equals(request.service().uid()))
                    .findFirst()
                    .ifPresent(service -> {
                        List<String> others = new ArrayList<>(service.finalizers());
                        others.remove(WellKnownNames.FINALIZER);
                        world.cluster.put(
                                service.key(), SampleService.from(service).finalizers(others));
                    });
            world.cloud.ensureLoadBalancerDeleted(request);
        }
    }

    private static final class FailsInSilence extends BrokenProvider {
        FailsInSilence(SimulatedWorld world) {
            super(world);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            try {
                world.provider.ensureLoadBalancerDeleted(request);
            } catch (ProviderException failure) {
                // Nobody is told.
            }
        }
    }
}
