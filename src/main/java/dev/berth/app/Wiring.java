package dev.berth.app;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.app.FeatureGates.Gate;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.LoopParts;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timing;
import dev.berth.controller.Wakeups;
import dev.berth.controller.address.AddressConditions;
import dev.berth.controller.address.AddressReconciler;
import dev.berth.controller.loadbalancerclass.ClassReconciler;
import dev.berth.controller.pool.PoolReconciler;
import dev.berth.controller.service.ControlLoops;
import dev.berth.controller.service.EventMapper;
import dev.berth.controller.service.IpModeSupport;
import dev.berth.controller.service.Providers;
import dev.berth.controller.service.ServiceControl;
import dev.berth.controller.service.ServiceParts;
import dev.berth.controller.service.ServiceReconciler;
import dev.berth.controller.servicecidr.ServiceCidrControl;
import dev.berth.dataplane.bgp.BgpProvider;
import dev.berth.dataplane.haproxy.HaproxyProvider;
import dev.berth.dataplane.l2.L2Provider;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.ip.Ip;
import dev.berth.kube.AgentLeases;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.Caches;
import dev.berth.kube.Claims;
import dev.berth.kube.Classes;
import dev.berth.kube.Cluster;
import dev.berth.kube.ClusterInformers;
import dev.berth.kube.Endpoints;
import dev.berth.kube.FabricCluster;
import dev.berth.kube.FabricEvents;
import dev.berth.kube.KubeProxies;
import dev.berth.kube.LeaderLease;
import dev.berth.kube.StatusWriter;
import dev.berth.kube.Trimmed;
import dev.berth.kube.UnreadableObjects;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.telemetry.AnnouncementMeters;
import dev.berth.telemetry.ClusterAddressMeters;
import dev.berth.telemetry.MeteredCluster;
import dev.berth.telemetry.MeteredProvider;
import dev.berth.telemetry.OperatorMetrics;
import dev.berth.telemetry.ServiceMeters;
import dev.berth.telemetry.ServiceTimes;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.Startup;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is given what. The only place that knows all parts.
 *
 * <p>It calls the API server when it is created, so it is created before the port opens: a probe that came first would
 * create it, on the thread that would have to read the API server's answer.
 */
@Singleton
@Unremovable
@Startup
final class Wiring {
    private static final Logger LOG = LoggerFactory.getLogger(Wiring.class);

    /** The names that no plug-in may have. */
    static final List<String> OWN_PROVIDERS =
            List.of(PoolProvider.NAME, L2Provider.NAME, BgpProvider.NAME, HaproxyProvider.NAME);

    /** How many Services and Addresses are listed at once: all of 10,000 in one answer would be 20 MB. */
    private static final long PAGE = 500;

    private final OperatorOptions options;
    private final SequencedMap<String, LoadBalancerProvider> plugins;
    private final KubernetesClient client;
    private final MeterRegistry registry;

    /** It is not among those of {@link #registry} yet while this is created. */
    private final PrometheusMeterRegistry scraped;

    private final Clock clock = Clock.systemUTC();
    private final InstantSource steady = new SteadyClock();
    private final String identity = Objects.requireNonNullElseGet(
            System.getenv("POD_UID"), () -> UUID.randomUUID().toString());

    private final Caches caches = new Caches();
    private final Ledger ledger = new Ledger();
    private final StartGate gate = new StartGate();
    private final AtomicLong fencingToken = new AtomicLong();
    private final LeaderLease lease;
    private final Leadership leadership;
    private final DelayedExecutor later = new DelayedExecutor();
    private final ServiceTimes serviceTimes;
    private final Cluster cluster;
    private final Wakeups<Service> serviceWakeups = new Wakeups<>("service-wakeups", later);
    private final Wakeups<Address> addressWakeups = new Wakeups<>("address-wakeups", later);
    private final Wakeups<AddressPool> poolWakeups = new Wakeups<>("pool-wakeups", later);
    private final Wakeups<LoadBalancerClass> classWakeups = new Wakeups<>("class-wakeups", later);

    private final RemotePlugins remotePlugins;
    private final Providers providers;
    private final ClusterInformers surroundings;
    private final Endpoints endpoints;
    private final WatchedCertificates certificates;
    private final WatchedEndpoints watchedEndpoints;
    private final KubeProxyProbe kubeProxies;
    private final CoalescingTask clusterState = new CoalescingTask(gate, later, this::clusterStateChanged);
    private final CoalescingTask nodesChanged;
    private final FabricEvents events;
    private final ServiceMeters meters;
    private final AddressConditions addressConditions;
    private final AnnouncementWiring announced;
    private final ControlLoops loops;
    private final ServiceControl services;
    private final ClusterAddressWiring clusterAddresses;
    private final Controllers controllers;

    private volatile boolean started;
    private volatile boolean running;

    Wiring(Launch launch, KubernetesClient client, MeterRegistry registry, PrometheusMeterRegistry scraped) {
        options = launch.options();
        plugins = launch.plugins();
        remotePlugins = new RemotePlugins(plugins);
        this.client = client;
        this.registry = registry;
        this.scraped = scraped;
        lease = new LeaderLease(
                client,
                options.leaderElectNamespace,
                options.leaderElectLeaseName,
                options.controllerName,
                identity,
                clock);
        leadership = new Leadership(lease, fencingToken::set, this::adopt, Wiring::exit);
        ServiceMeters.showLeader(gate::isOpen, registry);
        Timing timing = new Timing(clock, steady, later, new Backoff(RandomGenerator.getDefault()));
        ApiBudget budget = new ApiBudget();
        serviceTimes = new ServiceTimes(registry);
        cluster = new MeteredCluster(new FabricCluster(client, caches, budget), registry, serviceTimes);
        StatusWriter statuses = new StatusWriter(client, budget);
        providers = providers();
        surroundings = new ClusterInformers(client, caches);
        endpoints = new Endpoints(client);
        certificates = new WatchedCertificates(
                client, options.leaderElectNamespace, caches, clock, later, this::certificateChanged);
        watchedEndpoints = new WatchedEndpoints(
                options.controllerName,
                endpoints::areWatched,
                this::watchEndpoints,
                later,
                this::judgeThoseWithEndpoints);
        events = new FabricEvents(
                client,
                clock,
                steady,
                options.controllerName,
                Objects.requireNonNullElse(System.getenv("POD_NAME"), "berth"),
                lost -> registry.counter("berth.events.dropped").increment((double) lost));
        meters = new ServiceMeters(registry, ledger, UnreadableObjects.counts(caches));
        LoopParts parts = new LoopParts(caches, gate, events, timing);
        clusterAddresses = new ClusterAddressWiring(
                parts,
                client,
                budget,
                statuses,
                new ServiceCidrControl.Settings(options.serviceCidrController, options.serviceCidrTakeoverDelay),
                new ClusterAddressMeters(registry));
        announced = new AnnouncementWiring(
                parts,
                new AgentLeases(client, budget, options.agentsNamespace),
                ledger,
                statuses,
                this::classSet,
                this::announcedOtherwise);
        addressConditions = new AddressConditions(
                caches, ledger, statuses, clock, value -> classSet().isServedElsewhere(value), announced::of);
        AnnouncementMeters.show(announced, registry);
        KubeProxies kubeProxiesOfNodes = new KubeProxies();
        loops = new ControlLoops(
                new ServiceParts(
                        cluster,
                        ledger,
                        gate,
                        providers,
                        events,
                        meters,
                        new IpModeSupport(options.featureGates.isEnabled(Gate.LoadBalancerIPMode)),
                        timing,
                        new ServiceParts.Environment(
                                this::classSet,
                                surroundings::cloudNode,
                                key -> new Backends(
                                        surroundings.targets(), kubeProxiesOfNodes.areThere(), () -> endpoints.of(key)),
                                surroundings::isNodes,
                                certificates::of,
                                announced::known),
                        new ServiceParts.Settings(
                                clusterName(),
                                fencingToken::get,
                                options.deleteOrphaned,
                                options.migrateFrom.sources())),
                new ControlLoops.Judging(
                        caches,
                        options.controllerName,
                        this::usableProviders,
                        surroundings::excludedRanges,
                        statuses::writeIfUnchanged,
                        statuses::writeIfUnchanged),
                new ControlLoops.Listener() {
                    @Override
                    public void servicesDue(Collection<ServiceKey> services) {
                        wake(services);
                    }

                    @Override
                    public void addressesDue(Collection<Ip> addresses) {
                        addresses.forEach(ip -> addressWakeups.wake(new ResourceID(ip.objectName())));
                    }

                    @Override
                    public void classDue(String className) {
                        classWakeups.wake(new ResourceID(className));
                    }

                    @Override
                    public void classChanged() {
                        kubeProxies.askSoon();
                        certificates.retainNamed();
                    }

                    @Override
                    public void strandedChanged(Collection<Ip> addresses) {
                        addresses.forEach(addressConditions::look);
                    }

                    @Override
                    public void poolsChanged() {
                        meters.refresh();
                        addressConditions.poolsChanged();
                    }
                });
        services = loops.services();
        kubeProxies = new KubeProxyProbe(
                kubeProxiesOfNodes, gate, later, this::classSet, surroundings::targets, services::kubeProxiesChanged);
        nodesChanged = new CoalescingTask(gate, later, services::nodesChanged);
        SdkConfiguration sdk = new SdkConfiguration(
                client, new OperatorMetrics(registry, serviceTimes), options, identity, leadership);
        controllers = new Controllers(new Operator(sdk.ofOperator()), sdk::withWorkers);
    }

    private void clusterStateChanged() {
        loops.clusterStateChanged();
    }

    private void announcedOtherwise(Collection<Ip> changed) {
        changed.forEach(addressConditions::look);
        wake(changed.stream()
                .flatMap(ip -> ledger.holding(ip).stream())
                .flatMap(holding -> holding.owners().stream())
                .map(Owner::service)
                .distinct()
                .toList());
    }

    private ClassSet classSet() {
        return loops.classes().classSet();
    }

    private void certificateChanged(ClassDeclaration declaration) {
        loops.classDue(declaration.name());
        loops.happened(new EventMapper.Event.ClassChanged(declaration.value()));
    }

    /** No provider of our own looks at it. */
    private String clusterName() {
        return Objects.requireNonNullElseGet(
                options.clusterName,
                () -> plugins.isEmpty() ? OperatorOptions.ANY_CLUSTER : ClusterInformers.uidOf(client));
    }

    private Providers providers() {
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put(PoolProvider.NAME, new PoolProvider());
        byName.put(L2Provider.NAME, new L2Provider());
        byName.put(BgpProvider.NAME, new BgpProvider());
        byName.putAll(plugins);
        byName.values().forEach(provider -> ProviderMetrics.show(provider, scraped));
        byName.replaceAll((name, provider) -> new MeteredProvider(name, provider, registry));
        remotePlugins.forEach((name, plugin) -> MeteredProvider.showAvailability(name, plugin::isAvailable, registry));
        if (!plugins.isEmpty()) {
            LOG.info("providers of plug-ins: {}", plugins.keySet());
        }
        return new Providers(byName, plugins.keySet());
    }

    /** A plug-in has come, or can do something else than before. */
    private void pluginChanged(String provider) {
        gate.await();
        services.providerReturned(provider);
        judgeAgain(provider);
    }

    private void judgeAgain(String provider) {
        loops.classes().providerChanged(provider).forEach(name -> classWakeups.wake(new ResourceID(name)));
    }

    private KnownProviders usableProviders(List<ClassDeclaration> declared) {
        return watchedEndpoints.usable(declared, providers.known());
    }

    private void watchEndpoints() {
        endpoints.watch(service -> {
            if (gate.isOpen()) {
                services.endpointsChanged(service);
            }
        });
    }

    private void judgeThoseWithEndpoints() {
        providers.known().capabilities().forEach((name, can) -> {
            if (can.targets() == Targets.ENDPOINTS) {
                judgeAgain(name);
            }
        });
    }

    @Produces
    @ApplicationScoped
    Operator operator() {
        ServiceReconciler serviceReconciler = new ServiceReconciler(caches, services, serviceWakeups, events);
        controllers.register(
                serviceReconciler,
                "service",
                InformerConfiguration.builder(Service.class)
                        .withItemStore(Trimmed.services())
                        .withInformerListLimit(PAGE)
                        .withOnAddFilter(ServiceReconciler::isRelevant)
                        .withOnUpdateFilter((now, before) -> {
                            // Also of an event that is dropped.
                            serviceTimes.seen(now);
                            return serviceReconciler.takeUpdate(now, before);
                        })
                        .buildForController());
        controllers.register(
                new AddressReconciler(caches, loops.addresses(), addressConditions, addressWakeups, events),
                "address",
                InformerConfiguration.builder(Address.class)
                        .withInformerListLimit(PAGE)
                        .withItemStore(Trimmed.any())
                        .buildForController());
        controllers.register(
                new PoolReconciler(caches, loops.pools(), poolWakeups),
                "addresspool",
                InformerConfiguration.builder(AddressPool.class).buildForController());
        controllers.register(
                new ClassReconciler(caches, loops.classes(), loops.ofClasses(), classWakeups),
                "loadbalancerclass",
                InformerConfiguration.builder(LoadBalancerClass.class).buildForController());
        announced.register(controllers);
        clusterAddresses.register(controllers, clusterState::changed);
        return controllers.operator();
    }

    /** Starts everything, and returns when it works or stands by. */
    void start(Operator operator) {
        surroundings.start(new ClusterInformers.Listener() {
            @Override
            public void clusterStateChanged() {
                clusterState.changed();
            }

            @Override
            public void nodesChanged() {
                nodesChanged.changed();
                kubeProxies.askSoon();
            }

            @Override
            public void namespaceChanged(String namespace) {
                loops.happened(new EventMapper.Event.NamespaceChanged(namespace));
            }
        });
        running = true;
        operator.start();
        if (!options.leaderElect) {
            fencingToken.set(lease.takeTokenWithoutElection());
            adopt(() -> {});
        }
        started = true;
    }

    /**
     * First of all that is stopped: the client has to be there until the lease is handed over. Quarkus does not wait for
     * its main thread.
     */
    void stop(@Observes @Priority(1) ShutdownEvent event) {
        if (!running) {
            return;
        }
        leadership.stopping();
        boolean isQuiet = Closing.all(
                // First, so that nothing begins that the others would have to end.
                new Closing("delayed work", later),
                new Closing("the controllers", controllers),
                new Closing("the watch of Nodes and Namespaces", surroundings),
                new Closing("the watch of EndpointSlices", endpoints),
                new Closing("the watch of Secrets", certificates),
                new Closing("the watch of IPAddresses", clusterAddresses),
                new Closing("the conditions of Addresses", addressConditions),
                new Closing("events", events),
                new Closing("providers", providers));
        if (options.leaderElect && isQuiet) {
            lease.handOver();
        }
    }

    private static void exit() {
        Thread.ofPlatform().name("exit").start(() -> System.exit(1));
    }

    /**
     * All that is held is known before anything is allocated.
     *
     * @param mayBegin throws if another leads by now: the lease is not renewed before this has returned
     */
    private void adopt(Runnable mayBegin) {
        long start = System.nanoTime();
        remotePlugins.await();
        // Before looking at what they can do: one that comes in between would not be seen.
        remotePlugins.whenChanged(name -> later.after(Duration.ZERO, () -> pluginChanged(name)));
        services.listenToProviders();
        watchedEndpoints.watchIfNeeded(Classes.declarations(caches.classes().list()), providers.known());
        loops.classes().refresh();
        ledger.rebuild(Claims.all(caches.addresses().list()));
        announced.adopt();
        loops.pools().refresh();
        loops.adopt();
        serviceTimes.lead(caches.services().list());
        mayBegin.run();
        gate.open();
        clusterState.opened();
        nodesChanged.opened();
        later.after(Duration.ZERO, this::resync);
        later.after(Duration.ZERO, clusterAddresses::begin);
        LOG.info(
                "ready after {} ms: {} addresses held, {} Services waiting, {} pools, {} classes",
                (System.nanoTime() - start) / 1_000_000,
                ledger.holdings().size(),
                ledger.waiting().size(),
                ledger.pools().pools().size(),
                classSet().served().size());
    }

    /** For as long as it runs. */
    private void resync() {
        try {
            kubeProxies.ask();
            services.resync(options.resyncPeriod);
        } finally {
            later.after(options.resyncPeriod, this::resync);
        }
    }

    /** Whether what it watches is being watched. */
    boolean isAlive() {
        return !started || (surroundings.isRunning() && endpoints.isRunning() && clusterAddresses.isRunning());
    }

    /** Whether it works, or stands by for another replica that leads. */
    boolean isStarted() {
        return started;
    }

    private void wake(Collection<ServiceKey> keys) {
        ServiceReconciler.wake(caches, serviceWakeups, keys);
    }
}
