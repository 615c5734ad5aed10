package dev.berth.provider;

import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.ReferenceProvider.Call;
import dev.berth.provider.ReferenceWorld.Held;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** Providers that keep every rule of the contract but one. */
final class BrokenProviders {
    /** Takes addresses from Berth, and can do everything. */
    static final Capabilities ALL = Capabilities.fromPools(IpMode.VIP, IpMode.PROXY)
            .withProtocols(Protocol.values())
            .withFeatures(Feature.values());

    /** Brings its own addresses, and can do only what it must. */
    static final Capabilities OWN = Capabilities.ofItsOwn(IpMode.PROXY);

    /**
     * A broken provider.
     *
     * @param rule that it breaks
     * @param sentence how
     * @param make one over this world
     */
    record Broken(String rule, String sentence, Function<ReferenceWorld, LoadBalancerProvider> make) {
        @Override
        public String toString() {
            return rule + ": " + sentence;
        }
    }

    private BrokenProviders() {}

    static final List<Broken> ALL_BROKEN = List.of(
            new Broken("capabilities01", "they change", world -> new ReferenceProvider(world, ALL) {
                private final AtomicInteger asked = new AtomicInteger();

                @Override
                public Capabilities capabilities() {
                    return ALL.withAnnotations("example.com/a" + asked.incrementAndGet());
                }
            }),
            new Broken(
                    "capabilities02",
                    "every annotation",
                    world -> new ReferenceProvider(world, ALL.withAnnotations("/"))),
            new Broken("name01", "it depends on the instance", world -> new ReferenceProvider(world, ALL) {
                @Override
                public String getLoadBalancerName(ServiceIdentity service) {
                    return "lb-" + service.uid() + "-" + System.identityHashCode(this);
                }
            }),
            new Broken("name02", "it has no uid in it", world -> new ReferenceProvider(world, ALL) {
                @Override
                public String getLoadBalancerName(ServiceIdentity service) {
                    return service.namespace() + "/" + service.name();
                }
            }),
            new Broken("name03", "it has a blank in it", world -> new ReferenceProvider(world, ALL) {
                @Override
                public String getLoadBalancerName(ServiceIdentity service) {
                    return "lb " + service.uid();
                }
            }),
            new Broken("get01", "shows something where nothing ever was", world -> new ReferenceProvider(world, ALL) {
                private final Set<String> clusters = ConcurrentHashMap.newKeySet();

                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    clusters.add(request.clusterName());
                    return super.ensureLoadBalancer(request);
                }

                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    return clusters.contains(request.clusterName())
                            ? super.getLoadBalancer(request)
                            : Optional.of(status(request, Optional.empty()));
                }
            }),
            new Broken("get02", "shows a fault that ensure did not tell", world -> new ReferenceProvider(world, ALL) {
                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    return super.getLoadBalancer(request).map(status -> faulty(status, 80));
                }
            }),
            new Broken("get03", "makes what it is asked for", world -> new ReferenceProvider(world, ALL) {
                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    Optional<LoadBalancerStatus> found = super.getLoadBalancer(request);
                    if (found.isEmpty()) {
                        world.hold(new Held(request, status(request, Optional.empty()), true));
                    }
                    return found;
                }
            }),
            new Broken("get04", "goes by the name", world -> new ReferenceProvider(world, ALL) {
                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    reach();
                    return world.find(held -> sameName(held, request.service()) && held.ready()).stream()
                            .map(Held::status)
                            .findFirst();
                }
            }),
            new Broken("get05", "counts what is gone", world -> new ReferenceProvider(world, ALL) {
                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    return super.getLoadBalancer(request).map(status -> status.withTargets(new TargetHealth(9, 1)));
                }
            }),
            new Broken("ensure01", "never done with long names", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    return request.service().name().length() > 60
                            ? EnsureOutcome.pending(Duration.ofMillis(100), "it takes its time")
                            : super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure02", "another address each time", world -> new ReferenceProvider(world, OWN) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    boolean repeated = before.filter(Held::ready)
                            .filter(held -> held.request().equals(request))
                            .isPresent();
                    return super.addresses(request, repeated ? Optional.empty() : before);
                }
            }),
            new Broken("ensure03", "mixes up two at once", world -> new ReferenceProvider(world, ALL) {
                private final CyclicBarrier both = new CyclicBarrier(2);
                private volatile LoadBalancerRequest last = NONE;

                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    last = request;
                    if (request.service().name().startsWith("at-once")) {
                        await(both);
                    }
                    LoadBalancerRequest mine = last;
                    return mine.service().name().startsWith("at-once")
                            ? super.ensureLoadBalancer(mine)
                            : super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure04", "an address that was not claimed", world -> new ReferenceProvider(world, ALL) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    List<String> more = new ArrayList<>(super.addresses(request, before));
                    more.add("203.0.113.99");
                    return more;
                }
            }),
            new Broken("ensure05", "one address of two", world -> new ReferenceProvider(world, ALL) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    return super.addresses(request, before).subList(0, 1);
                }
            }),
            new Broken("ensure06", "text that is not canonical", world -> new ReferenceProvider(world, OWN) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    return super.addresses(request, before).stream()
                            .map(ip -> ip.replace("2001:db8:2::", "2001:DB8:2:0::"))
                            .toList();
                }
            }),
            new Broken("ensure06", "the other family", world -> new ReferenceProvider(world, OWN) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    return before.map(ReferenceProvider::ips).orElseGet(() -> List.of(world.nextAddress(Family.IPV4)));
                }
            }),
            new Broken("ensure07", "its first ipMode for what is new", world -> new ReferenceProvider(world, ALL) {
                @Override
                LoadBalancerStatus status(LoadBalancerRequest request, Optional<Held> before) {
                    return super.status(
                            before.filter(Held::ready).isPresent()
                                    ? request
                                    : request.toBuilder().ipMode(IpMode.VIP).build(),
                            before);
                }
            }),
            new Broken(
                    "ensure08", "a fault of a port that nobody asked for", world -> new ReferenceProvider(world, ALL) {
                        @Override
                        LoadBalancerStatus status(LoadBalancerRequest request, Optional<Held> before) {
                            return faulty(super.status(request, before), 9);
                        }
                    }),
            new Broken("ensure09", "no UDP, though it says so", world -> new ReferenceProvider(world, ALL) {
                @Override
                LoadBalancerStatus status(LoadBalancerRequest request, Optional<Held> before) {
                    LoadBalancerStatus status = super.status(request, before);
                    return request.ports().stream().allMatch(port -> port.protocol() == Protocol.UDP)
                                    && !request.ports().isEmpty()
                            ? status.withPortErrors(List.of(
                                    new PortError(request.ports().getFirst().port(), Protocol.UDP, "NoUdp")))
                            : status;
                }
            }),
            new Broken("ensure10", "no IPv6 alone, though it says so", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (request.families().equals(List.of(Family.IPV6))) {
                        throw new ProviderException("IPv4 is missing");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure11", "keeps its first ports", world -> new ReferenceProvider(world, ALL) {
                @Override
                void carry(LoadBalancerRequest request, Held before) {
                    super.carry(
                            before.ready()
                                    ? request.toBuilder()
                                            .ports(before.request().ports())
                                            .build()
                                    : request,
                            before);
                }
            }),
            new Broken("ensure12", "keeps its first nodes", world -> new ReferenceProvider(world, ALL) {
                @Override
                void carry(LoadBalancerRequest request, Held before) {
                    super.carry(
                            before.ready()
                                    ? request.toBuilder()
                                            .nodes(before.request().nodes())
                                            .build()
                                    : request,
                            before);
                }
            }),
            new Broken("ensure13", "keeps its first addresses", world -> new ReferenceProvider(world, ALL) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    return before.map(ReferenceProvider::ips).orElse(request.addresses());
                }
            }),
            new Broken("ensure14", "another address for other ports", world -> new ReferenceProvider(world, OWN) {
                @Override
                List<String> addresses(LoadBalancerRequest request, Optional<Held> before) {
                    return super.addresses(
                            request,
                            before.filter(held -> held.request().ports().equals(request.ports())));
                }
            }),
            new Broken("ensure15", "takes the first node", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (request.nodes().getFirst().name().isEmpty()) {
                        throw new ProviderException("a node without a name");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure16", "refuses annotations", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (!request.annotations().isEmpty()) {
                        throw new ProviderException("unknown: " + request.annotations());
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure17", "does not say which parameter", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (request.parameters().containsKey("tckUnknown")) {
                        throw new ProviderException("something is wrong with the class");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure18", "lets everybody in", world -> new ReferenceProvider(world, ALL) {
                @Override
                void carry(LoadBalancerRequest request, Held before) {
                    super.carry(request.toBuilder().sourceRanges(List.of()).build(), before);
                }
            }),
            new Broken("ensure18", "keeps the ranges that are removed", world -> new ReferenceProvider(world, ALL) {
                @Override
                void carry(LoadBalancerRequest request, Held before) {
                    List<String> former = before.request().sourceRanges();
                    super.carry(
                            request.sourceRanges().isEmpty()
                                    ? request.toBuilder().sourceRanges(former).build()
                                    : request,
                            before);
                }
            }),
            new Broken("ensure19", "refuses affinity, though it has it", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (request.sessionAffinity() != null) {
                        throw new ProviderException("no affinity");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure20", "refuses Local, though it has it", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (request.localTrafficPolicy()) {
                        throw new ProviderException("no policy Local");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken(
                    "ensure21", "one protocol only, though it says more", world -> new ReferenceProvider(world, ALL) {
                        @Override
                        LoadBalancerStatus status(LoadBalancerRequest request, Optional<Held> before) {
                            LoadBalancerStatus status = super.status(request, before);
                            return status.withPortErrors(request.ports().stream()
                                    .filter(port -> port.protocol()
                                            != request.ports().getFirst().protocol())
                                    .map(port ->
                                            new PortError(port.port(), port.protocol(), "MixedProtocolNotSupported"))
                                    .toList());
                        }
                    }),
            new Broken("ensure22", "refuses what it has not", world -> new ReferenceProvider(world, OWN) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (!request.sourceRanges().isEmpty()) {
                        throw new ProviderException("no source ranges");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure26", "keeps its first health check", world -> new ReferenceProvider(world, ALL) {
                @Override
                void carry(LoadBalancerRequest request, Held before) {
                    super.carry(
                            before.ready()
                                    ? request.toBuilder()
                                            .healthCheck(before.request().healthCheck())
                                            .build()
                                    : request,
                            before);
                }
            }),
            new Broken("ensure27", "keeps its first ipMode", world -> new ReferenceProvider(world, ALL) {
                @Override
                LoadBalancerStatus status(LoadBalancerRequest request, Optional<Held> before) {
                    return super.status(
                            before.map(held -> request.toBuilder()
                                            .ipMode(held.request().ipMode())
                                            .build())
                                    .orElse(request),
                            before);
                }
            }),
            new Broken("ensure28", "makes nothing again under another class", world -> new Remembering(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    Held before = deleted.get(request.service());
                    if (before != null && !before.request().parameters().equals(request.parameters())) {
                        throw new ProviderException(
                                "it was made with " + before.request().parameters());
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure29", "refuses another certificate", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    Optional<LoadBalancerRequest.Tls> before = world.find(request)
                            .flatMap(held -> Optional.ofNullable(held.request().tls()));
                    if (before.filter(tls -> request.tls() != null && !tls.equals(request.tls()))
                            .isPresent()) {
                        throw new ProviderException("it has a certificate");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("ensure30", "tells all that it was asked for", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    LoadBalancerRequest.Tls tls = request.tls();
                    if (tls != null && request.ports().size() == 1) {
                        throw new ProviderException("no pair: " + tls.certificate() + tls.privateKey());
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("pending01", "asks to be called in no time", world -> new ReferenceProvider(world, ALL) {
                @Override
                EnsureOutcome pending(LoadBalancerRequest request) {
                    return EnsureOutcome.pending(Duration.ZERO, "it is being made");
                }
            }),
            new Broken("pending02", "deletes only what is done", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    if (world.find(request).filter(held -> !held.ready()).isEmpty()) {
                        super.ensureLoadBalancerDeleted(request);
                    }
                }
            }),
            new Broken("update01", "forgets the nodes", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void updateLoadBalancer(LoadBalancerRequest request) {
                    reach();
                    fence(Call.UPDATE, world.find(request), request);
                }
            }),
            new Broken("update02", "changes the status", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void updateLoadBalancer(LoadBalancerRequest request) {
                    super.updateLoadBalancer(request);
                    Held now = world.find(request).orElseThrow();
                    world.hold(new Held(now.request(), faulty(now.status(), 80), true));
                }
            }),
            new Broken("update03", "fails where nothing differs", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void updateLoadBalancer(LoadBalancerRequest request) {
                    world.find(request)
                            .filter(held -> held.request().equals(request))
                            .ifPresent(held -> {
                                throw new ProviderException("nothing differs");
                            });
                    super.updateLoadBalancer(request);
                }
            }),
            new Broken("update04", "forgets the ports", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void updateLoadBalancer(LoadBalancerRequest request) {
                    super.updateLoadBalancer(request);
                    world.carry(request.toBuilder().ports(List.of()).build());
                }
            }),
            new Broken("update05", "takes the first node", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void updateLoadBalancer(LoadBalancerRequest request) {
                    if (request.nodes().getFirst().name().isEmpty()) {
                        throw new ProviderException("a node without a name");
                    }
                    super.updateLoadBalancer(request);
                }
            }),
            new Broken("update06", "makes what is not there", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void updateLoadBalancer(LoadBalancerRequest request) {
                    if (world.find(request).isEmpty()) {
                        world.hold(new Held(request, status(request, Optional.empty()), true));
                    }
                    super.updateLoadBalancer(request);
                }
            }),
            new Broken("delete01", "still shows what it deleted", world -> new Remembering(world, ALL) {
                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    return super.getLoadBalancer(request)
                            .or(() -> Optional.ofNullable(deleted.get(request.service()))
                                    .filter(Held::ready)
                                    .map(Held::status));
                }
            }),
            new Broken("delete02", "fails the second time", world -> new Remembering(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    if (deleted.containsKey(request.service())) {
                        throw new ProviderException("it is deleted already");
                    }
                    super.ensureLoadBalancerDeleted(request);
                }
            }),
            new Broken("delete03", "fails where nothing ever was", world -> new Remembering(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    if (world.find(request).isEmpty() && !deleted.containsKey(request.service())) {
                        throw new ProviderException("there is none");
                    }
                    super.ensureLoadBalancerDeleted(request);
                }
            }),
            new Broken("delete04", "needs the ports", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    if (world.find(request).isPresent() && request.ports().isEmpty()) {
                        throw new ProviderException("which ports?");
                    }
                    super.ensureLoadBalancerDeleted(request);
                }
            }),
            new Broken("delete05", "goes by the name", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    super.ensureLoadBalancerDeleted(request);
                    world.find(held -> sameName(held, request.service())).forEach(held -> world.forget(held.request()));
                }
            }),
            new Broken("delete06", "goes by the beginning of the name", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    super.ensureLoadBalancerDeleted(request);
                    world.find(held -> held.request()
                                    .service()
                                    .name()
                                    .startsWith(request.service().name() + "-"))
                            .forEach(held -> world.forget(held.request()));
                }
            }),
            new Broken("delete07", "makes nothing again", world -> new Remembering(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    Held before = deleted.get(request.service());
                    if (before != null && before.request().parameters().equals(request.parameters())) {
                        throw new ProviderException("it was deleted");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("delete08", "lets the traffic flow on", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    reach();
                    fence(Call.DELETE, world.find(request), request);
                    world.forget(request);
                }
            }),
            new Broken("delete09", "deletes what is of its class", world -> new ReferenceProvider(world, ALL) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    world.find(request)
                            .map(held -> held.request().parameters())
                            .filter(parameters -> !parameters.equals(request.parameters()))
                            .ifPresent(parameters -> {
                                throw new ProviderException("it was made with " + parameters);
                            });
                    super.ensureLoadBalancerDeleted(request);
                }
            }),
            new Broken("fencing01", "none for what it made itself", world -> new Careless(world, Call.ENSURE)),
            new Broken("fencing02", "none for what it made itself", world -> new Careless(world, Call.UPDATE)),
            new Broken("fencing03", "none for what it made itself", world -> new Careless(world, Call.DELETE)),
            new Broken("fencing04", "refuses a token that jumps", world -> new ReferenceProvider(world, ALL) {
                @Override
                void fence(Call call, Optional<Held> before, LoadBalancerRequest request) {
                    super.fence(call, before, request);
                    before.filter(held ->
                                    request.fencingToken() > held.request().fencingToken() + 1)
                            .ifPresent(held -> {
                                throw new ProviderException("a leader is missing");
                            });
                }
            }),
            new Broken("fencing05", "knows the token in its process only", world -> new ReferenceProvider(world, ALL) {
                private final Map<ServiceIdentity, Long> tokens = new ConcurrentHashMap<>();

                @Override
                void fence(Call call, Optional<Held> before, LoadBalancerRequest request) {
                    if (tokens.merge(request.service(), request.fencingToken(), Math::max) > request.fencingToken()) {
                        throw new ProviderException("a later leader was here");
                    }
                }
            }),
            new Broken("fencing06", "one token for all clusters", world -> new ReferenceProvider(world, ALL) {
                private final AtomicLong highest = new AtomicLong();

                @Override
                void fence(Call call, Optional<Held> before, LoadBalancerRequest request) {
                    super.fence(call, before, request);
                    if (highest.accumulateAndGet(request.fencingToken(), Math::max) > request.fencingToken()) {
                        throw new ProviderException("a later leader was here");
                    }
                }
            }),
            new Broken(
                    "fencing08", "forgets the token with what it deletes", world -> new ReferenceProvider(world, ALL) {
                        @Override
                        void fence(Call call, Optional<Held> before, LoadBalancerRequest request) {
                            if (before.isPresent() && before.get().request().fencingToken() > request.fencingToken()) {
                                throw new ProviderException("a later leader was here");
                            }
                        }
                    }),
            new Broken("list01", "has what is deleted", world -> new Remembering(world, ALL) {
                @Override
                public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
                    List<ListedLoadBalancer> more = new ArrayList<>(super.listLoadBalancers(clusterName));
                    deleted.values().stream()
                            .filter(Held::ready)
                            .forEach(held -> more.add(listed(held.request().service())));
                    return more;
                }
            }),
            new Broken("list02", "has no uids", world -> new ReferenceProvider(world, ALL) {
                @Override
                ListedLoadBalancer listed(ServiceIdentity service) {
                    return new ListedLoadBalancer(
                            getLoadBalancerName(service), new ServiceIdentity(service.namespace(), service.name(), ""));
                }
            }),
            new Broken("list03", "has those of all clusters", world -> new ReferenceProvider(world, ALL) {
                @Override
                public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
                    return world.find(held -> true).stream()
                            .map(held -> listed(held.request().service()))
                            .toList();
                }
            }),
            new Broken("failure01", "stumbles over a missing health check", world -> new ReferenceProvider(world, ALL) {
                @Override
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    if (request.healthCheck() == null && !request.ports().isEmpty()) {
                        throw new IllegalStateException("no health check");
                    }
                    return super.ensureLoadBalancer(request);
                }
            }),
            new Broken("failure02", "throws what its client threw", world -> new ReferenceProvider(world, ALL) {
                @Override
                void reach() {
                    try {
                        super.reach();
                    } catch (ProviderException away) {
                        throw new UncheckedIOException(new IOException(away));
                    }
                }
            }),
            new Broken("failure03", "is to be tried again in no time", world -> new ReferenceProvider(world, ALL) {
                @Override
                void reach() {
                    try {
                        super.reach();
                    } catch (ProviderException away) {
                        throw new ProviderException("away", away).withRetryAfter(Duration.ZERO);
                    }
                }
            }),
            new Broken("failure06", "gives up while its world is away", world -> new ReferenceProvider(world, ALL) {
                @Override
                void reach() {
                    try {
                        super.reach();
                    } catch (ProviderException away) {
                        throw ProviderException.permanent("away").withCause(away);
                    }
                }
            }),
            new Broken("failure04", "fails forever after", world -> new ReferenceProvider(world, ALL) {
                private volatile boolean failed;

                @Override
                void reach() {
                    try {
                        super.reach();
                    } catch (ProviderException away) {
                        failed = true;
                        throw away;
                    }
                    if (failed) {
                        throw new ProviderException("the client is closed");
                    }
                }
            }),
            new Broken("restart01", "shows what it made itself", world -> new Own(world) {
                @Override
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
                    return mine.contains(request.service()) ? super.getLoadBalancer(request) : Optional.empty();
                }
            }),
            new Broken("restart02", "deletes what it made itself", world -> new Own(world) {
                @Override
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
                    fence(Call.DELETE, world.find(request), request);
                    if (mine.contains(request.service())) {
                        super.ensureLoadBalancerDeleted(request);
                    }
                }
            }),
            new Broken("change01", "reports what it was asked for", world -> new ReferenceProvider(world, ALL) {
                private volatile Consumer<ServiceIdentity> listener = service -> {};

                @Override
                public void onChange(Consumer<ServiceIdentity> changed) {
                    listener = changed;
                }

                @Override
                void carry(LoadBalancerRequest request, Held before) {
                    super.carry(request, before);
                    listener.accept(request.service());
                }
            }));

    private static final LoadBalancerRequest NONE = LoadBalancerRequest.builder(
                    "", new ServiceIdentity("", "", ""), IpMode.VIP)
            .build();

    private static LoadBalancerStatus faulty(LoadBalancerStatus status, int port) {
        return status.withPortErrors(List.of(new PortError(port, Protocol.TCP, "Broken")));
    }

    private static boolean sameName(Held held, ServiceIdentity service) {
        return held.request().service().toString().equals(service.toString());
    }

    private static void await(CyclicBarrier both) {
        try {
            both.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
            throw new IllegalStateException(alone);
        }
    }

    /** Remembers what it deleted. */
    private static class Remembering extends ReferenceProvider {
        final Map<ServiceIdentity, Held> deleted = new ConcurrentHashMap<>();

        Remembering(ReferenceWorld world, Capabilities capabilities) {
            super(world, capabilities);
        }

        @Override
        public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
            Optional<Held> before = world.find(request);
            super.ensureLoadBalancerDeleted(request);
            before.ifPresent(held -> deleted.put(request.service(), held));
        }
    }

    /** Knows what it made itself. */
    private static class Own extends ReferenceProvider {
        final Set<ServiceIdentity> mine = ConcurrentHashMap.newKeySet();

        Own(ReferenceWorld world) {
            super(world, ALL);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            EnsureOutcome outcome = super.ensureLoadBalancer(request);
            mine.add(request.service());
            return outcome;
        }
    }

    /** Thinks that nobody else touches what it made itself. */
    private static final class Careless extends Own {
        private final Call careless;

        Careless(ReferenceWorld world, Call careless) {
            super(world);
            this.careless = careless;
        }

        @Override
        void fence(Call call, Optional<Held> before, LoadBalancerRequest request) {
            if (call != careless || before.isEmpty() || !mine.contains(request.service())) {
                super.fence(call, before, request);
            } else {
                world.token(request);
            }
        }
    }
}
