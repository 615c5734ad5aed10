package dev.berth.plugin.grpc.host;

import dev.berth.provider.LoadBalancerRequest;
import io.grpc.Status;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Lets no leader of a cluster change anything once a later one was here. */
final class Fence {
    private final ConcurrentMap<String, Long> highest = new ConcurrentHashMap<>();

    /** @throws io.grpc.StatusRuntimeException if a later leader was here */
    void pass(LoadBalancerRequest request) {
        long seen = highest.merge(request.clusterName(), request.fencingToken(), Math::max);
        if (request.fencingToken() < seen) {
            throw Status.FAILED_PRECONDITION
                    .withDescription(
                            "fencing token " + request.fencingToken() + " is from a deposed leader of cluster \""
                                    + request.clusterName() + "\": " + seen + " was seen")
                    .asRuntimeException();
        }
    }
}
