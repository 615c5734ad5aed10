package dev.berth.kube;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Stream;

/** A real cluster's ServiceCIDRs and IPAddresses. */
public final class FabricClusterNetwork implements ClusterNetwork {
    private static final String FIELD_MANAGER = "berth-service-cidr-controller";

    /** What lets the operator write ServiceCIDRs and IPAddresses. */
    private static final String CURE = "add the component cluster-addresses (docs/cluster-addresses.md)";

    /** Objects; an IPAddress is 0.7 KiB. */
    private static final long PAGE = 1_000;

    private final KubernetesClient client;
    private final NetworkingVersion version;
    private final Caches caches;
    private final IpAddresses addresses;
    private final ApiCalls calls;

    /** The operator's. */
    public FabricClusterNetwork(
            KubernetesClient client,
            NetworkingVersion version,
            Caches caches,
            IpAddresses addresses,
            ApiBudget budget) {
        this(client, version, caches, addresses, new ApiCalls(client, budget, CURE));
    }

    private FabricClusterNetwork(
            KubernetesClient client, NetworkingVersion version, Caches caches, IpAddresses addresses, ApiCalls calls) {
        this.client = client;
        this.version = version;
        this.caches = caches;
        this.addresses = addresses;
        this.calls = calls;
    }

    /** One for a person who reads live and writes, and asks no cache: its caches are empty. */
    static FabricClusterNetwork live(KubernetesClient client, NetworkingVersion version) {
        IpAddresses none = new IpAddresses(client, version, new IpAddresses.Listener() {
            @Override
            public void taken(ClusterIp now) {}

            @Override
            public void released(ClusterIp before) {}
        });
        return new FabricClusterNetwork(client, version, new Caches(), none, new ApiCalls(client, new ApiBudget()));
    }

    @Override
    public List<ServiceCidr> serviceCidrs() {
        return LenientReader.read(caches.serviceCidrs().list(), cidr -> Stream.of(ServiceCidrs.of(cidr)));
    }

    @Override
    public Optional<String> watchClusterIps() {
        try {
            addresses.watch();
            return Optional.empty();
        } catch (CompletionException refused) {
            return Optional.of("the IPAddresses cannot be watched: "
                    + Objects.requireNonNullElse(refused.getCause(), refused).getMessage());
        }
    }

    @Override
    public Optional<String> interruption() {
        return addresses.isWatching() ? Optional.empty() : Optional.of("the watch of the IPAddresses is down");
    }

    @Override
    public <A> A askClusterIps(Function<ClusterIps, A> question) {
        return addresses.read(question);
    }

    @Override
    public Read<List<ServiceCidr>> readServiceCidrs() {
        return list(version.serviceCidr(), object -> Stream.of(ServiceCidrs.of(object)));
    }

    @Override
    public Read<List<ClusterIp>> readClusterIps() {
        return list(version.ipAddress(), object -> ServiceCidrs.clusterIp(object).stream());
    }

    /** What is listed, and what of each object is taken. */
    private record Listing(
            String kind,
            Listable<? extends KubernetesResourceList<? extends HasMetadata>> which,
            long page,
            Function<HasMetadata, Stream<ExcludedNetwork>> translate) {}

    @Override
    public Read<List<ExcludedNetwork>> readTaken(List<IpRange> networks) {
        List<ExcludedNetwork> all = new ArrayList<>();
        for (Listing one : List.of(
                new Listing("Nodes", client.nodes(), ClusterInformers.PAGE, TakenNetworks::ofNode),
                new Listing(
                        "the endpoints of Service default/kubernetes",
                        ClusterInformers.apiServers(client),
                        PAGE,
                        TakenNetworks::ofApiServer),
                new Listing("Services", client.services().inAnyNamespace(), PAGE, TakenNetworks::ofService),
                new Listing("AddressPools", client.resources(AddressPool.class), PAGE, TakenNetworks::ofPool))) {
            Read<List<ExcludedNetwork>> found = list(
                    one.which(),
                    one.page(),
                    object -> one.translate()
                            .apply(object)
                            .filter(taken -> networks.stream().anyMatch(network -> network.overlaps(taken.range()))));
            if (found instanceof Read.Found<List<ExcludedNetwork>>(List<ExcludedNetwork> some)) {
                all.addAll(some);
            } else {
                return found instanceof Read.Failed<List<ExcludedNetwork>>(String message)
                        ? new Read.Failed<>("listing " + one.kind() + ": " + message)
                        : found;
            }
        }
        return new Read.Found<>(all);
    }

    @Override
    public Read<List<ExcludedNetwork>> readPods(List<IpRange> networks) {
        Read<List<ExcludedNetwork>> found =
                list(client.pods().inAnyNamespace(), object -> TakenNetworks.of(object, networks));
        return found instanceof Read.Failed<List<ExcludedNetwork>>(String message)
                ? new Read.Failed<>("listing Pods: " + message + "; if it is forbidden, " + CURE)
                : found;
    }

    @Override
    public Read<List<ClusterIp>> readReservations() {
        return list(
                client.resources(version.ipAddress()).withLabel(ClusterIp.MANAGED_BY, ClusterIp.BERTH),
                object -> ServiceCidrs.clusterIp(object).stream());
    }

    private <T> Read<List<T>> list(Class<? extends HasMetadata> kind, Function<HasMetadata, Stream<T>> translate) {
        return list(client.resources(kind), translate);
    }

    private <T> Read<List<T>> list(
            Listable<? extends KubernetesResourceList<? extends HasMetadata>> which,
            Function<HasMetadata, Stream<T>> translate) {
        return list(which, PAGE, translate);
    }

    /** One page after another: of tens of thousands of objects, only what is needed of them is kept. */
    private <T> Read<List<T>> list(
            Listable<? extends KubernetesResourceList<? extends HasMetadata>> which,
            long objects,
            Function<HasMetadata, Stream<T>> translate) {
        List<T> found = new ArrayList<>();
        return calls.read(
                () -> {
                    String next = "";
                    do {
                        KubernetesResourceList<? extends HasMetadata> page = which.list(new ListOptionsBuilder()
                                .withLimit(objects)
                                .withContinue(next.isEmpty() ? null : next)
                                .build());
                        for (HasMetadata object : page.getItems()) {
                            read(object, translate).forEach(found::add);
                        }
                        next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
                    } while (!next.isEmpty());
                    return found;
                },
                Optional::of);
    }

    /** What is done by such a list may be irreversible: one that lacks an object is none. */
    private static <T> List<T> read(HasMetadata object, Function<HasMetadata, Stream<T>> translate) {
        try {
            return translate.apply(object).toList();
        } catch (RuntimeException unreadable) {
            throw new KubernetesClientException(
                    object.getKind() + " " + object.getMetadata().getName() + " cannot be read", unreadable);
        }
    }

    @Override
    public Write<ServiceCidr> addFinalizer(ServiceCidr seen) {
        return patchFinalizers(seen, "finalizers");
    }

    @Override
    public Write<ServiceCidr> removeFinalizer(ServiceCidr seen) {
        return patchFinalizers(seen, "$deleteFromPrimitiveList/finalizers");
    }

    /** A strategic merge: the finalizers of others stay. */
    private Write<ServiceCidr> patchFinalizers(ServiceCidr seen, String what) {
        return calls.write(
                () -> client.resource(named(version.serviceCidr(), seen.name()))
                        .patch(
                                new PatchContext.Builder()
                                        .withPatchType(PatchType.STRATEGIC_MERGE)
                                        .withFieldManager(FIELD_MANAGER)
                                        .build(),
                                json(Map.of(
                                        "metadata", Map.of("uid", seen.uid(), what, List.of(ServiceCidr.FINALIZER))))),
                ServiceCidrs::of);
    }

    @Override
    public Write<ServiceCidr> setReady(ServiceCidr seen, ReadyCondition ready, Instant since) {
        Map<String, Object> condition = Map.of(
                "type", "Ready",
                "status", ready.status().toString(),
                "reason", ready.reason(),
                "message", ready.message(),
                "lastTransitionTime", since.truncatedTo(ChronoUnit.SECONDS).toString());
        return calls.write(
                () -> client.resource(named(version.serviceCidr(), seen.name()))
                        .subresource("status")
                        .patch(
                                new PatchContext.Builder()
                                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                                        .withFieldManager(FIELD_MANAGER)
                                        .withForce(true)
                                        .build(),
                                json(Map.of(
                                        "apiVersion", version.apiVersion(),
                                        "kind", "ServiceCIDR",
                                        "metadata", Map.of("name", seen.name(), "uid", seen.uid()),
                                        "status", Map.of("conditions", List.of(condition))))),
                ServiceCidrs::of);
    }

    @Override
    public Write<ServiceCidr> createServiceCidr(String name, ServiceRange range) {
        HasMetadata made = object(
                version.serviceCidr(), name, ServiceCidrs.MADE_BY_BERTH, Map.of("cidrs", List.of(range.toString())));
        return calls.create(() -> client.resource(made).create(), ServiceCidrs::of);
    }

    @Override
    public Write<ServiceCidr> deleteServiceCidr(ServiceCidr seen) {
        return calls.delete(named(version.serviceCidr(), seen.name()), seen.uid(), null, seen);
    }

    @Override
    public Write<ClusterIp> reserve(Ip ip, ServiceKey service) {
        HasMetadata made = object(
                version.ipAddress(),
                ip.toString(),
                Map.of(ClusterIp.MANAGED_BY, ClusterIp.BERTH),
                Map.of(
                        "parentRef",
                        Map.of(
                                "resource", "services",
                                "namespace", service.namespace(),
                                "name", service.name())));
        return calls.create(
                () -> client.resource(made).create(),
                created -> ServiceCidrs.clusterIp(created).orElseThrow());
    }

    @Override
    public Write<ClusterIp> release(ClusterIp seen) {
        return calls.delete(named(version.ipAddress(), seen.ip().toString()), seen.uid(), null, seen);
    }

    private HasMetadata named(Class<? extends HasMetadata> kind, String name) {
        return object(kind, name, Map.of(), Map.of());
    }

    private HasMetadata object(
            Class<? extends HasMetadata> kind, String name, Map<String, String> labels, Map<String, ?> spec) {
        return client.getKubernetesSerialization()
                .convertValue(Map.of("metadata", Map.of("name", name, "labels", labels), "spec", spec), kind);
    }

    private String json(Object patch) {
        return client.getKubernetesSerialization().asJson(patch);
    }
}
