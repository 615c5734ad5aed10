package dev.berth.testing;

import com.google.protobuf.Duration;
import dev.berth.plugin.grpc.v1.ConnectRequest;
import dev.berth.plugin.grpc.v1.ConnectResponse;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.GetLoadBalancerRequest;
import dev.berth.plugin.grpc.v1.GetLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.Ingress;
import dev.berth.plugin.grpc.v1.ListLoadBalancersRequest;
import dev.berth.plugin.grpc.v1.ListLoadBalancersResponse;
import dev.berth.plugin.grpc.v1.ListedLoadBalancer;
import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc.LoadBalancerProviderImplBase;
import dev.berth.plugin.grpc.v1.LoadBalancerRequest;
import dev.berth.plugin.grpc.v1.LoadBalancerStatus;
import dev.berth.plugin.grpc.v1.Pending;
import dev.berth.plugin.grpc.v1.ServiceIdentity;
import dev.berth.plugin.grpc.v1.WatchChangesRequest;
import dev.berth.plugin.grpc.v1.WatchChangesResponse;
import dev.berth.plugin.grpc.wire.CapabilitiesMapping;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A plug-in that answers what it is told to, and keeps no rule. */
public final class ScriptedPlugin extends LoadBalancerProviderImplBase {
    /** What it can do, unless its greeting says otherwise. */
    public static final Capabilities CAPABILITIES =
            Capabilities.ofItsOwn(IpMode.PROXY).withFeatures(Capabilities.Feature.LISTING);

    /** How often it was asked to ensure. */
    public final AtomicInteger asked = new AtomicInteger();

    /** What it was last asked to ensure. */
    public volatile LoadBalancerRequest request = LoadBalancerRequest.getDefaultInstance();

    /** What it does when it is connected to. */
    public volatile Consumer<StreamObserver<ConnectResponse>> greeting =
            observer -> answer(observer, greeting(CAPABILITIES));
    /** What it does when it is to ensure. */
    public volatile Consumer<StreamObserver<EnsureLoadBalancerResponse>> ensuring =
            observer -> answer(observer, ready("192.0.2.1"));
    /** What it does when it is to report changes. */
    public volatile Consumer<StreamObserver<WatchChangesResponse>> watching =
            observer -> observer.onError(Status.UNIMPLEMENTED.asRuntimeException());
    /** Each page of its list. */
    public volatile ListLoadBalancersResponse page = ListLoadBalancersResponse.getDefaultInstance();

    /** By which it tells what it can do. */
    public static ConnectResponse greeting(Capabilities capabilities) {
        return ConnectResponse.newBuilder()
                .setContractVersion(1)
                .setCapabilities(CapabilitiesMapping.write(capabilities))
                .build();
    }

    /** As much of a list as one message holds, of the longest names; there is more. */
    public static ListLoadBalancersResponse fullPage() {
        String longest = "x".repeat(253);
        ListedLoadBalancer one = ListedLoadBalancer.newBuilder()
                .setName(longest)
                .setService(ServiceIdentity.newBuilder()
                        .setNamespace(longest)
                        .setName(longest)
                        .setUid(longest))
                .build();
        return ListLoadBalancersResponse.newBuilder()
                .addAllLoadBalancers(Collections.nCopies((Contract.LARGEST_MESSAGE >> 10) - 100, one))
                .setNextPageToken("more")
                .build();
    }

    /** Answers, and ends the call. */
    public static <T> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }

    /** A load balancer with one address. */
    public static EnsureLoadBalancerResponse ready(String ip) {
        return ready(Ingress.newBuilder().setIp(ip).build());
    }

    /** A load balancer with these ways in. */
    public static EnsureLoadBalancerResponse ready(Ingress... ingress) {
        LoadBalancerStatus.Builder status = LoadBalancerStatus.newBuilder();
        for (Ingress one : ingress) {
            status.addIngress(one);
        }
        return EnsureLoadBalancerResponse.newBuilder().setReady(status).build();
    }

    /** One that is on its way. */
    public static EnsureLoadBalancerResponse pending(long seconds, String message) {
        return EnsureLoadBalancerResponse.newBuilder()
                .setPending(Pending.newBuilder()
                        .setRetryAfter(Duration.newBuilder().setSeconds(seconds))
                        .setMessage(message))
                .build();
    }

    /** Has it answer this to each ensure. */
    public void ensures(EnsureLoadBalancerResponse answer) {
        ensuring = observer -> answer(observer, answer);
    }

    @Override
    public void connect(ConnectRequest request, StreamObserver<ConnectResponse> observer) {
        greeting.accept(observer);
    }

    @Override
    public void watchChanges(WatchChangesRequest request, StreamObserver<WatchChangesResponse> observer) {
        watching.accept(observer);
    }

    @Override
    public void ensureLoadBalancer(
            EnsureLoadBalancerRequest call, StreamObserver<EnsureLoadBalancerResponse> observer) {
        request = call.getRequest();
        asked.incrementAndGet();
        ensuring.accept(observer);
    }

    /** It has what it would answer to an ensure. */
    @Override
    public void getLoadBalancer(GetLoadBalancerRequest call, StreamObserver<GetLoadBalancerResponse> observer) {
        ensuring.accept(new StreamObserver<>() {
            @Override
            public void onNext(EnsureLoadBalancerResponse answer) {
                observer.onNext(
                        answer.hasReady()
                                ? GetLoadBalancerResponse.newBuilder()
                                        .setStatus(answer.getReady())
                                        .build()
                                : GetLoadBalancerResponse.getDefaultInstance());
            }

            @Override
            public void onError(Throwable failure) {
                observer.onError(failure);
            }

            @Override
            public void onCompleted() {
                observer.onCompleted();
            }
        });
    }

    @Override
    public void listLoadBalancers(
            ListLoadBalancersRequest request, StreamObserver<ListLoadBalancersResponse> observer) {
        answer(observer, page);
    }
}
