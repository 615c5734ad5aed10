package dev.berth.plugin.grpc;

import dev.berth.plugin.grpc.v1.ListLoadBalancersRequest;
import dev.berth.plugin.grpc.v1.ListLoadBalancersResponse;
import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc.LoadBalancerProviderBlockingStub;
import dev.berth.plugin.grpc.wire.ProtocolViolation;
import dev.berth.plugin.grpc.wire.StatusMapping;
import dev.berth.provider.ListedLoadBalancer;
import java.util.ArrayList;
import java.util.List;

/** Asks a plug-in for all that it has, page by page, but not forever. */
final class Listing {
    private static final int PAGE_SIZE = 500;
    private static final int MOST_PAGES = 1_000;
    private static final int MOST_LISTED = 100_000;

    /** 100,000 of ordinary names; of the longest ones fewer, for all of them are in memory at once. */
    private static final int MOST_BYTES = 32 << 20;

    private final LoadBalancerProviderBlockingStub plugin;
    private final String clusterName;

    Listing(LoadBalancerProviderBlockingStub plugin, String clusterName) {
        this.plugin = plugin;
        this.clusterName = clusterName;
    }

    List<ListedLoadBalancer> all() {
        List<ListedLoadBalancer> listed = new ArrayList<>();
        String token = "";
        long bytes = 0;
        for (int page = 0; page < MOST_PAGES; page++) {
            ListLoadBalancersResponse answer = plugin.listLoadBalancers(ListLoadBalancersRequest.newBuilder()
                    .setClusterName(clusterName)
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
            if (listed.size() + answer.getLoadBalancersCount() > MOST_LISTED) {
                throw new ProtocolViolation("more than " + MOST_LISTED + " load balancers listed");
            }
            bytes += answer.getSerializedSize();
            if (bytes > MOST_BYTES) {
                throw new ProtocolViolation("more than " + (MOST_BYTES >> 20) + " MiB listed");
            }
            answer.getLoadBalancersList().forEach(one -> listed.add(StatusMapping.read(one)));
            token = answer.getNextPageToken();
            if (token.isEmpty()) {
                return listed;
            }
        }
        throw new ProtocolViolation("more than " + MOST_PAGES + " pages listed");
    }
}
