package dev.berth.plugin.grpc.host;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.berth.plugin.grpc.v1.ConnectRequest;
import dev.berth.plugin.grpc.v1.ConnectResponse;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerDeletedRequest;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerDeletedResponse;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.GetLoadBalancerNameRequest;
import dev.berth.plugin.grpc.v1.GetLoadBalancerNameResponse;
import dev.berth.plugin.grpc.v1.GetLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.GetLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.ListLoadBalancersRequest;
import dev.berth.plugin.grpc.v1.ListLoadBalancersResponse;
import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc.LoadBalancerProviderImplBase;
import dev.berth.plugin.grpc.v1.UpdateLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.UpdateLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.WatchChangesRequest;
import dev.berth.plugin.grpc.v1.WatchChangesResponse;
import dev.berth.plugin.grpc.wire.CapabilitiesMapping;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.plugin.grpc.wire.Durations;
import dev.berth.plugin.grpc.wire.ProtocolViolation;
import dev.berth.plugin.grpc.wire.RequestMapping;
import dev.berth.plugin.grpc.wire.StatusMapping;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves a provider: reads what is asked for, asks, and writes the answer, or why there is none. */
final class ProviderService extends LoadBalancerProviderImplBase {
    private static final Logger LOG = LoggerFactory.getLogger(ProviderService.class);
    private static final int PAGE_SIZE = 500;

    private final String name;
    private final LoadBalancerProvider provider;
    private final Fence fence = new Fence();
    private final Watchers watchers = new Watchers();

    /** Whose calls are under way: Berth gives one up at its deadline, and the provider may still be at it. */
    private final Set<ServiceIdentity> underWay = ConcurrentHashMap.newKeySet();

    ProviderService(String name, LoadBalancerProvider provider) {
        this.name = name;
        this.provider = provider;
    }

    /** Has the provider say what changes, from now on; one that fails at that is served all the same. */
    void begin() {
        try {
            provider.onChange(watchers::changed);
        } catch (RuntimeException | LinkageError failure) {
            LOG.warn("provider \"{}\" does not report changes: {}", name, failure.toString());
        }
    }

    /** Nobody is notified of changes any more. */
    void end() {
        watchers.end();
    }

    @Override
    public void connect(ConnectRequest request, StreamObserver<ConnectResponse> observer) {
        answer(observer, () -> {
            int version = Contract.VERSIONS.stream()
                    .filter(request.getContractVersionsList()::contains)
                    .max(Integer::compare)
                    .orElseThrow(() -> Status.FAILED_PRECONDITION
                            .withDescription("provider \"" + name + "\" speaks contract version " + Contract.VERSIONS
                                    + ", and Berth " + request.getContractVersionsList())
                            .asRuntimeException());
            return ConnectResponse.newBuilder()
                    .setContractVersion(version)
                    .setPluginName(name)
                    .setPluginVersion(Contract.BERTH_VERSION)
                    .setCapabilities(CapabilitiesMapping.write(provider.capabilities()))
                    .build();
        });
    }

    @Override
    public void getLoadBalancerName(
            GetLoadBalancerNameRequest request, StreamObserver<GetLoadBalancerNameResponse> observer) {
        answer(
                observer,
                () -> GetLoadBalancerNameResponse.newBuilder()
                        .setName(provider.getLoadBalancerName(RequestMapping.read(request.getService())))
                        .build());
    }

    @Override
    public void getLoadBalancer(GetLoadBalancerRequest request, StreamObserver<GetLoadBalancerResponse> observer) {
        answer(
                observer,
                () -> inTurn(request.getRequest(), asked -> StatusMapping.write(provider.getLoadBalancer(asked))));
    }

    @Override
    public void ensureLoadBalancer(
            EnsureLoadBalancerRequest request, StreamObserver<EnsureLoadBalancerResponse> observer) {
        answer(
                observer,
                () -> inTurn(
                        request.getRequest(),
                        fenced(asked -> StatusMapping.write(provider.ensureLoadBalancer(asked)))));
    }

    @Override
    public void updateLoadBalancer(
            UpdateLoadBalancerRequest request, StreamObserver<UpdateLoadBalancerResponse> observer) {
        answer(
                observer,
                () -> inTurn(request.getRequest(), fenced(asked -> {
                    provider.updateLoadBalancer(asked);
                    return UpdateLoadBalancerResponse.getDefaultInstance();
                })));
    }

    @Override
    public void ensureLoadBalancerDeleted(
            EnsureLoadBalancerDeletedRequest request, StreamObserver<EnsureLoadBalancerDeletedResponse> observer) {
        answer(
                observer,
                () -> inTurn(request.getRequest(), fenced(asked -> {
                    provider.ensureLoadBalancerDeleted(asked);
                    return EnsureLoadBalancerDeletedResponse.getDefaultInstance();
                })));
    }

    /**
     * The token of a page is the name of the last one before it. The list is asked for again for each page, and nothing
     * is
     * kept between them: what is there all the time is in just one of them, whatever else comes and goes meanwhile, and
     * a caller that never asks for the next one leaves nothing behind.
     */
    @Override
    public void listLoadBalancers(
            ListLoadBalancersRequest request, StreamObserver<ListLoadBalancersResponse> observer) {
        answer(observer, () -> {
            if (!provider.capabilities().has(Feature.LISTING)) {
                throw Status.UNIMPLEMENTED
                        .withDescription("provider \"" + name + "\" does not list what it has")
                        .asRuntimeException();
            }
            List<ListedLoadBalancer> rest = provider.listLoadBalancers(request.getClusterName()).stream()
                    .filter(one -> one.name().compareTo(request.getPageToken()) > 0)
                    .sorted(Comparator.comparing(ListedLoadBalancer::name))
                    .toList();
            int size = request.getPageSize() > 0 ? Math.min(request.getPageSize(), PAGE_SIZE) : PAGE_SIZE;
            List<ListedLoadBalancer> listed = rest.subList(0, Math.min(size, rest.size()));
            ListLoadBalancersResponse.Builder page = ListLoadBalancersResponse.newBuilder();
            listed.forEach(one -> page.addLoadBalancers(StatusMapping.write(one)));
            return page.setNextPageToken(
                            listed.size() < rest.size() ? listed.getLast().name() : "")
                    .build();
        });
    }

    @Override
    public void watchChanges(WatchChangesRequest request, StreamObserver<WatchChangesResponse> observer) {
        watchers.add(observer);
    }

    private <T> Function<LoadBalancerRequest, T> fenced(Function<LoadBalancerRequest, T> change) {
        return request -> {
            fence.pass(request);
            return change.apply(request);
        };
    }

    private <T> T inTurn(dev.berth.plugin.grpc.v1.LoadBalancerRequest wire, Function<LoadBalancerRequest, T> call) {
        LoadBalancerRequest request = RequestMapping.read(wire);
        if (!underWay.add(request.service())) {
            throw Status.ABORTED
                    .withDescription("an earlier call for Service " + request.service() + " has not returned yet")
                    .asRuntimeException();
        }
        try {
            return call.apply(request);
        } finally {
            underWay.remove(request.service());
        }
    }

    private <T> void answer(StreamObserver<T> observer, Supplier<T> work) {
        T answer;
        try {
            answer = interruptedWhenGivenUp(work);
        } catch (StatusRuntimeException told) {
            observer.onError(told);
            return;
        } catch (ProtocolViolation unreadable) {
            observer.onError(Status.INVALID_ARGUMENT
                    .withDescription(unreadable.getMessage())
                    .asRuntimeException());
            return;
        } catch (ProviderException failure) {
            observer.onError(told(failure));
            return;
        } catch (RuntimeException bug) {
            observer.onError(Status.INTERNAL
                    .withDescription("provider \"" + name + "\" failed: " + bug)
                    .asRuntimeException());
            return;
        }
        observer.onNext(answer);
        observer.onCompleted();
    }

    private static <T> T interruptedWhenGivenUp(Supplier<T> work) {
        Thread worker = Thread.currentThread();
        Context.CancellationListener interrupter = cancelled -> worker.interrupt();
        Context call = Context.current();
        call.addListener(interrupter, Runnable::run);
        try {
            return work.get();
        } finally {
            call.removeListener(interrupter);
        }
    }

    /** What it says about one load balancer is no trouble of the plug-in. */
    private static StatusRuntimeException told(ProviderException failure) {
        String message = String.valueOf(failure.getMessage());
        com.google.rpc.Status.Builder status =
                com.google.rpc.Status.newBuilder().setMessage(message);
        switch (failure.kind()) {
            case TRY_AGAIN -> status.setCode(Code.UNKNOWN_VALUE);
            case PERMANENT -> status.setCode(Code.INVALID_ARGUMENT_VALUE);
            case QUOTA_EXCEEDED ->
                status.setCode(Code.RESOURCE_EXHAUSTED_VALUE)
                        .addDetails(Any.pack(QuotaFailure.newBuilder()
                                .addViolations(
                                        QuotaFailure.Violation.newBuilder().setDescription(message))
                                .build()));
        }
        failure.retryAfter()
                .ifPresent(delay -> status.addDetails(Any.pack(RetryInfo.newBuilder()
                        .setRetryDelay(Durations.write(delay))
                        .build())));
        return StatusProto.toStatusRuntimeException(status.build());
    }
}
