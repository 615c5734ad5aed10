package dev.berth.kube;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.NodeRules;
import dev.berth.loadbalancer.NodeState;
import dev.berth.pool.ExcludedRange;
import dev.berth.provider.LoadBalancerRequest;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What of the cluster bears on addresses without being Berth's or a Service: Nodes, Namespaces, where the API servers
 * are, and the Service ranges, whose cache another has.
 */
public final class ClusterInformers implements AutoCloseable {
    /** Who is notified of a change. Called by informer threads: be quick. */
    public interface Listener {
        /** The addresses that no pool may give, or the signs of another controller, may have changed. */
        void clusterStateChanged();

        /** {@link #targets} may say something else that load balancers are to be notified of. */
        void nodesChanged();

        /** The labels of a namespace changed. */
        void namespaceChanged(String namespace);
    }

    /** How many Nodes or Namespaces are listed at once: they are read whole before they are trimmed. */
    static final long PAGE = 250;

    private static final String NAMESPACE_OF_THE_CLUSTER = "kube-system";
    private static final String API_SERVERS_LABEL = "kubernetes.io/service-name";

    private final KubernetesClient client;
    private final Caches caches;
    private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

    /** Counts the changes of Nodes that matter to {@link Seen}. */
    private final AtomicLong changes = new AtomicLong();

    /**
     * What the Nodes come to. The caller makes it, if it is old, and not the informer's thread, for each of
     * thousands of Nodes that come together.
     *
     * @param change that it was made after
     * @param targets the same list until it changes: every request has it
     */
    private record Seen(
            long change, Optional<Deference> cloudNode, List<LoadBalancerRequest.Node> targets, IpSet ofNodes) {}

    private volatile Seen seen = new Seen(0, Optional.empty(), List.of(), new IpSet());

    public ClusterInformers(KubernetesClient client, Caches caches) {
        this.client = client;
        this.caches = caches;
    }

    /** Starts the informers and returns when they are in sync. */
    public void start(Listener listener) {
        caches.nodes(watch(client.nodes().withLimit(PAGE), Trimmed.nodes(), new ChangeHandler<Node>() {
            @Override
            void changed(@Nullable Node old, @Nullable Node now) {
                if (old == null || now == null || !signs(old).equals(signs(now))) {
                    changes.incrementAndGet();
                    listener.clusterStateChanged();
                }
                NodeState before = old == null ? null : Nodes.state(old);
                NodeState after = now == null ? null : Nodes.state(now);
                if (!Objects.equals(before, after)) {
                    changes.incrementAndGet();
                }
                if (NodeRules.isWorthTelling(before, after)) {
                    listener.nodesChanged();
                }
            }
        }));
        changes.incrementAndGet();
        caches.namespaces(watch(
                client.namespaces().withLimit(PAGE), Trimmed.namespaces(), new ChangeHandler<Namespace>() {
                    @Override
                    void changed(@Nullable Namespace old, @Nullable Namespace now) {
                        // A Service may be seen before its Namespace, and have been judged without its labels.
                        if (now != null && (old == null || !labels(old).equals(labels(now)))) {
                            listener.namespaceChanged(now.getMetadata().getName());
                        }
                    }
                }));
        caches.apiServers(watch(apiServers(client), Trimmed.any(), ClusterInformers.<EndpointSlice>telling(listener)));
    }

    /** Where they are. */
    static FilterWatchListDeletable<EndpointSlice, EndpointSliceList, Resource<EndpointSlice>> apiServers(
            KubernetesClient client) {
        return client.discovery()
                .v1()
                .endpointSlices()
                .inNamespace("default")
                .withLabel(API_SERVERS_LABEL, "kubernetes");
    }

    private static <T> ChangeHandler<T> telling(Listener listener) {
        return new ChangeHandler<>() {
            @Override
            void changed(@Nullable T old, @Nullable T now) {
                listener.clusterStateChanged();
            }
        };
    }

    private <T extends HasMetadata> Cache<T> watch(
            Informable<T> what, ItemStore<T> store, ResourceEventHandler<T> handler) {
        SharedIndexInformer<T> informer = what.runnableInformer(0)
                .itemStore(store)
                .addEventHandler(handler)
                // Without it one bad answer, once it runs, would end the watch for good.
                .exceptionHandler((started, failure) -> started);
        informers.add(informer);
        informer.start().toCompletableFuture().join();
        return new Cache<>() {
            @Override
            public Optional<T> get(@Nullable String namespace, String name) {
                return Optional.ofNullable(
                        informer.getStore().getByKey(namespace == null ? name : namespace + "/" + name));
            }

            @Override
            public Stream<T> list() {
                return informer.getStore().list().stream();
            }
        };
    }

    /**
     * What tells this cluster apart from all others, for as long as it is there.
     *
     * @throws IllegalStateException if it cannot be read
     */
    public static String uidOf(KubernetesClient client) {
        return client.namespaces().withField("metadata.name", NAMESPACE_OF_THE_CLUSTER).list().getItems().stream()
                .map(namespace -> namespace.getMetadata().getUid())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no Namespace " + NAMESPACE_OF_THE_CLUSTER
                        + ", whose UID tells this cluster apart; name the cluster by --cluster-name"));
    }

    /** The addresses that no pool may allocate. */
    public List<ExcludedRange> excludedRanges() {
        List<ExcludedRange> all = new ArrayList<>();
        caches.serviceCidrs()
                .list()
                .map(cidr -> new ExcludedRange(
                        "ServiceCIDR \"" + cidr.getMetadata().getName() + "\"", ranges(ServiceCidrs.cidrs(cidr)), true))
                .forEach(all::add);
        caches.nodes()
                .list()
                .map(node -> new ExcludedRange(
                        "Node \"" + node.getMetadata().getName() + "\"", ranges(addresses(node)), false))
                .forEach(all::add);
        caches.apiServers()
                .list()
                .map(slice -> new ExcludedRange("the API servers", ranges(addresses(slice)), false))
                .forEach(all::add);
        return all;
    }

    /** Where its endpoints are; an API server may leave the list of them out. */
    static List<String> addresses(EndpointSlice slice) {
        return NullSafe.list(slice.getEndpoints()).stream()
                .flatMap(endpoint -> NullSafe.list(endpoint.getAddresses()).stream())
                .toList();
    }

    /** A Node of a cloud that brings its own load balancer controller; absent: there is none. */
    public Optional<Deference> cloudNode() {
        return seen().cloudNode();
    }

    /** The nodes that are to get packets of load balancers, by name. */
    public List<LoadBalancerRequest.Node> targets() {
        return seen().targets();
    }

    /** Whether a Node has this address, whatever else is on it. */
    public boolean isNodes(Ip ip) {
        return seen().ofNodes().contains(ip);
    }

    private Seen seen() {
        Seen known = seen;
        return known.change() == changes.get() ? known : look();
    }

    private synchronized Seen look() {
        long change = changes.get();
        if (seen.change() != change) {
            List<LoadBalancerRequest.Node> targets =
                    NodeRules.targets(LenientReader.read(caches.nodes().list(), node -> Stream.of(Nodes.state(node))));
            seen = new Seen(
                    change,
                    findCloudNode(),
                    targets.equals(seen.targets()) ? seen.targets() : targets,
                    addressesOfNodes());
        }
        return seen;
    }

    private IpSet addressesOfNodes() {
        IpSet all = new IpSet();
        caches.nodes().list().flatMap(node -> ranges(addresses(node)).stream()).forEach(all::addAll);
        return all;
    }

    private Optional<Deference> findCloudNode() {
        return caches.nodes()
                .list()
                .filter(node -> node.getSpec() != null && node.getSpec().getProviderID() != null)
                .filter(node -> Deference.isCloud(node.getSpec().getProviderID()))
                .map(node -> new Deference("Node \"" + node.getMetadata().getName() + "\" has providerID "
                        + node.getSpec().getProviderID()))
                .findFirst();
    }

    private static Map<String, String> labels(Namespace namespace) {
        return Optional.ofNullable(namespace.getMetadata().getLabels()).orElse(Map.of());
    }

    /** Whether all informers work, or are trying to. */
    public boolean isRunning() {
        return informers.stream().allMatch(SharedIndexInformer::isRunning);
    }

    /** What of a Node is looked at; its heartbeats are not. */
    private static List<String> signs(Node node) {
        List<String> signs = new ArrayList<>(addresses(node));
        signs.add(String.valueOf(node.getSpec() == null ? null : node.getSpec().getProviderID()));
        return signs;
    }

    static List<String> addresses(Node node) {
        return Nodes.addresses(node, type -> type.endsWith("IP"));
    }

    /** What cannot be read, a host name for one, is left out: it cannot be in a pool either. */
    private static List<IpRange> ranges(@Nullable List<String> texts) {
        return (texts == null ? List.<String>of() : texts)
                .stream().flatMap(text -> IpRange.find(text).stream()).toList();
    }

    @Override
    public void close() {
        informers.forEach(SharedIndexInformer::stop);
    }
}
