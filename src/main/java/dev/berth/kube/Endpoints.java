package dev.berth.kube;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.EndpointRules;
import dev.berth.loadbalancer.EndpointState;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of all Services. They are many and change often, so they are watched from the moment on that a provider
 * sends packets to them, and not before.
 */
public final class Endpoints implements AutoCloseable {
    static final String SERVICE_LABEL = "kubernetes.io/service-name";
    private static final String BY_SERVICE = "service";

    /** How many are listed at once: each has up to 100 endpoints by default, and is read whole before it is trimmed. */
    static final long PAGE = 100;

    private final KubernetesClient client;
    private final CompletableFuture<?> closed = new CompletableFuture<>();
    private volatile @Nullable SharedIndexInformer<EndpointSlice> informer;

    public Endpoints(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Watches them, and returns when all are known; does nothing if they are watched already.
     *
     * @param changed notified of each Service whose endpoints may have changed. Called by an informer thread: be quick
     * @throws java.util.concurrent.CompletionException if the API server refuses, or this is closed meanwhile; they are
     *     not watched then
     */
    public synchronized void watch(Consumer<ServiceKey> changed) {
        if (informer != null) {
            return;
        }
        SharedIndexInformer<EndpointSlice> begun = client.discovery()
                .v1()
                .endpointSlices()
                .inAnyNamespace()
                .withLabel(SERVICE_LABEL)
                .withLimit(PAGE)
                .runnableInformer(0)
                .itemStore(Trimmed.endpointSlices())
                .addIndexers(
                        Map.of(BY_SERVICE, slice -> List.of(serviceOf(slice).toString())))
                .addEventHandler(new ChangeHandler<>() {
                    @Override
                    void changed(@Nullable EndpointSlice old, @Nullable EndpointSlice now) {
                        Stream.of(Optional.ofNullable(old), Optional.ofNullable(now))
                                .flatMap(Optional::stream)
                                .map(Endpoints::serviceOf)
                                .distinct()
                                .forEach(changed);
                    }
                })
                .exceptionHandler((started, failure) -> started);
        try {
            CompletableFuture.anyOf(closed, begun.start().toCompletableFuture()).join();
        } catch (RuntimeException failure) {
            begun.stop();
            throw failure;
        }
        informer = begun;
        if (closed.isDone()) {
            begun.stop();
        }
    }

    /** Only slices with the label are watched. */
    static ServiceKey serviceOf(EndpointSlice slice) {
        return new ServiceKey(
                slice.getMetadata().getNamespace(),
                NullSafe.text(NullSafe.map(slice.getMetadata().getLabels()).get(SERVICE_LABEL)));
    }

    /** Those of a Service that are to get packets; empty also while they are not watched. */
    public List<Endpoint> of(ServiceKey service) {
        SharedIndexInformer<EndpointSlice> watched = informer;
        return watched == null
                ? List.of()
                : EndpointRules.targets(watched.getIndexer().byIndex(BY_SERVICE, service.toString()).stream()
                        .flatMap(Endpoints::states)
                        .toList());
    }

    /** A host name is nobody's target: its slice is left out. Of a Service scaled to zero both lists may be null. */
    static Stream<EndpointState> states(EndpointSlice slice) {
        return NullSafe.list(slice.getPorts()).stream()
                .filter(port -> port.getPort() != null)
                .flatMap(port -> NullSafe.list(slice.getEndpoints()).stream()
                        .flatMap(endpoint -> NullSafe.list(endpoint.getAddresses()).stream()
                                .flatMap(address -> Ip.find(address).stream())
                                .map(ip -> state(
                                        new Endpoint(
                                                NullSafe.text(port.getName()),
                                                ip.toString(),
                                                port.getPort(),
                                                NullSafe.text(endpoint.getNodeName()),
                                                NullSafe.text(endpoint.getZone())),
                                        endpoint.getConditions()))));
    }

    /** What is not set counts as ready, as Kubernetes has it. */
    private static EndpointState state(Endpoint endpoint, @Nullable EndpointConditions conditions) {
        if (conditions == null) {
            return new EndpointState(endpoint, true, true, false);
        }
        boolean ready = !Boolean.FALSE.equals(conditions.getReady());
        return new EndpointState(
                endpoint,
                ready,
                conditions.getServing() == null ? ready : conditions.getServing(),
                Boolean.TRUE.equals(conditions.getTerminating()));
    }

    /** Whether they are known. */
    public boolean areWatched() {
        return informer != null;
    }

    /** Whether they are watched, or need not be. */
    public boolean isRunning() {
        SharedIndexInformer<EndpointSlice> watched = informer;
        return watched == null || watched.isRunning();
    }

    /** Does not wait for a first list that is still under way. */
    @Override
    public void close() {
        closed.completeExceptionally(new IllegalStateException("the EndpointSlices are no longer needed"));
        SharedIndexInformer<EndpointSlice> watched = informer;
        if (watched != null) {
            watched.stop();
        }
    }
}
