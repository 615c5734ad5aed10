package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Makes IPAddresses for tests. */
final class Sample {
    static final Instant START = SampleCidrs.START;

    private Sample() {}

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
