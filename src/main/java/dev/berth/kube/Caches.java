package dev.berth.kube;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;

/**
 * One cache a kind. Each is handed in by the controller whose primary resource the kind is, or by
 * {@link ClusterInformers}; until then it is empty.
 */
public final class Caches {
    private volatile Cache<Service> services = Cache.empty();
    private volatile Cache<Address> addresses = Cache.empty();
    private volatile Cache<AddressPool> pools = Cache.empty();
    private volatile Cache<LoadBalancerClass> classes = Cache.empty();
    private volatile Cache<AgentReport> agentReports = Cache.empty();
    private volatile Cache<ClusterIPReservation> reservations = Cache.empty();
    private volatile Cache<Node> nodes = Cache.empty();
    private volatile Cache<Namespace> namespaces = Cache.empty();
    private volatile Cache<? extends HasMetadata> serviceCidrs = Cache.empty();
    private volatile Cache<EndpointSlice> apiServers = Cache.empty();

    public Cache<Service> services() {
        return services;
    }

    public void services(Cache<Service> cache) {
        services = cache;
    }

    public Cache<Address> addresses() {
        return addresses;
    }

    public void addresses(Cache<Address> cache) {
        addresses = cache;
    }

    public Cache<AddressPool> pools() {
        return pools;
    }

    public void pools(Cache<AddressPool> cache) {
        pools = cache;
    }

    public Cache<LoadBalancerClass> classes() {
        return classes;
    }

    public void classes(Cache<LoadBalancerClass> cache) {
        classes = cache;
    }

    public Cache<AgentReport> agentReports() {
        return agentReports;
    }

    public void agentReports(Cache<AgentReport> cache) {
        agentReports = cache;
    }

    public Cache<ClusterIPReservation> reservations() {
        return reservations;
    }

    public void reservations(Cache<ClusterIPReservation> cache) {
        reservations = cache;
    }

    public Cache<Node> nodes() {
        return nodes;
    }

    void nodes(Cache<Node> cache) {
        nodes = cache;
    }

    Cache<Namespace> namespaces() {
        return namespaces;
    }

    void namespaces(Cache<Namespace> cache) {
        namespaces = cache;
    }

    /** Of any {@link NetworkingVersion}; empty also if the API server has none. */
    Cache<? extends HasMetadata> serviceCidrs() {
        return serviceCidrs;
    }

    public void serviceCidrs(Cache<? extends HasMetadata> cache) {
        serviceCidrs = cache;
    }

    /** The EndpointSlices of default/kubernetes: where the API servers are. */
    Cache<EndpointSlice> apiServers() {
        return apiServers;
    }

    void apiServers(Cache<EndpointSlice> cache) {
        apiServers = cache;
    }
}
