package dev.berth.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Makes ServiceCIDRs and IPAddresses for tests. */
final class Sample {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Sample() {}

    /** A new one: nobody has looked after it yet. */
    static ServiceCidr cidr(String name, String... ranges) {
        return new ServiceCidr(
                name,
                "uid-" + name,
                Stream.of(ranges).map(ServiceRange::parse).toList(),
                List.of(),
                START,
                null,
                null,
                null,
                false);
    }

    /** One that its controller has found ready. */
    static ServiceCidr ready(String name, String... ranges) {
        return with(with(cidr(name, ranges), ReadyCondition.READY), true);
    }

    /** The same one, of which this is said. */
    static ServiceCidr with(ServiceCidr cidr, ReadyCondition ready) {
        return with(cidr, ready, START);
    }

    static ServiceCidr with(ServiceCidr cidr, ReadyCondition ready, Instant since) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                ready,
                since,
                cidr.finalizer());
    }

    static ServiceCidr with(ServiceCidr cidr, boolean finalizer) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                finalizer);
    }

    static ServiceCidr deleted(ServiceCidr cidr, Instant when) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                when,
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer());
    }

    /** One that the API server made for a Service. */
    static ClusterIp ip(String ip) {
        return ip(Ip.parse(ip));
    }

    static ClusterIp ip(Ip ip) {
        return ip(ip, new ServiceKey("prod", "of-" + ip));
    }

    static ClusterIp ip(Ip ip, ServiceKey service) {
        return new ClusterIp(ip, "uid-" + ip, ClusterIp.ALLOCATOR, ip.family().toString(), Parent.of(service), START);
    }

    /** One that Berth made to keep the address. */
    static ClusterIp reserved(String ip, ServiceKey service) {
        return new ClusterIp(Ip.parse(ip), "uid-" + ip, ClusterIp.BERTH, null, Parent.of(service), START);
    }

    /** One that somebody else made. */
    static ClusterIp foreign(String ip) {
        return new ClusterIp(
                Ip.parse(ip), "uid-" + ip, "example.org", null, new Parent("example.org", "hosts", "", "host"), START);
    }

    static ClusterIps index(Collection<ClusterIp> objects) {
        ClusterIps index = new ClusterIps();
        objects.forEach(index::put);
        return index;
    }

    static ClusterIps index(String... ips) {
        return index(Stream.of(ips).map(Sample::ip).toList());
    }

    static List<String> names(Stream<ServiceCidr> cidrs) {
        return cidrs.map(ServiceCidr::name).toList();
    }
}
