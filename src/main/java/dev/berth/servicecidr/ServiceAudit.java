package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The audit of Services: each cluster IP of theirs lies in a range, and one IPAddress says whose it is. */
record ServiceAudit(RangeUnion ranges, ClusterIps ips, ClusterIpHolders holders) {
    List<Finding> findings(Collection<ClusterService> services) {
        return services.stream()
                .sorted(Comparator.comparing(ClusterService::key))
                .flatMap(service -> service.addresses().stream().flatMap(text -> finding(service.key(), text)))
                .toList();
    }

    private Stream<Finding> finding(ServiceKey service, String text) {
        Optional<Ip> ip = Ip.find(text);
        if (ip.isEmpty()) {
            return Stream.of(notValid(service, "\"" + text + "\" in spec.clusterIPs is not an IP address"));
        }
        if (!ip.get().toString().equals(text)) {
            return Stream.of(notValid(
                    service,
                    "\"" + text + "\" in spec.clusterIPs is " + ip.get() + " in an unusual form, so the API server"
                            + " treats its IPAddress as a leftover, and repeatedly deletes and recreates it"));
        }
        if (!ranges.contains(ip.get())) {
            return Stream.of(outOfRange(service, ip.get()));
        }
        return ips
                .get(ip.get())
                .map(object -> allocated(service, object))
                .orElseGet(() -> without(service, ip.get()))
                .stream();
    }

    private static Finding notValid(ServiceKey service, String fault) {
        return Finding.ofService(Finding.Fault.CLUSTER_IP_NOT_VALID, service, fault + "; " + recreate(service));
    }

    private static Finding outOfRange(ServiceKey service, Ip ip) {
        return Finding.ofService(
                Finding.Fault.CLUSTER_IP_OUT_OF_RANGE,
                service,
                ip + " is in no ServiceCIDR, so the API server does not manage it; create a ServiceCIDR that contains"
                        + " it, or " + recreate(service));
    }

    /** Of several Services with the address the oldest keeps it. */
    private Optional<Finding> without(ServiceKey service, Ip ip) {
        ServiceKey oldest = holders.of(ip).getFirst().key();
        return Optional.of(
                oldest.equals(service)
                        ? notAllocated(service, ip + " has no IPAddress, so another Service may get it, too")
                        : alreadyAllocated(service, ip, oldest));
    }

    private Optional<Finding> allocated(ServiceKey service, ClusterIp object) {
        Optional<ServiceKey> named = object.service();
        if (named.equals(Optional.of(service))) {
            return object.ofAllocator() ? Optional.empty() : Optional.of(withoutLabels(service, object));
        }
        if (named.isEmpty()) {
            return Optional.of(wrongParent(service, object, "which is not a Service"));
        }
        if (holders.holds(named.get(), object.ip())) {
            return Optional.of(alreadyAllocated(service, object.ip(), named.get()));
        }
        // Where the Service named is there without the address, the finding is the IPAddress's.
        return holders.service(named.get()).isPresent() && object.isManagedByAllocator()
                ? Optional.empty()
                : Optional.of(wrongParent(service, object, "which does not have it"));
    }

    private static Finding wrongParent(ServiceKey service, ClusterIp object, String why) {
        return notAllocated(service, "IPAddress " + object.ip() + " names " + object.owner() + ", " + why);
    }

    private static Finding withoutLabels(ServiceKey service, ClusterIp object) {
        return notAllocated(
                service,
                "IPAddress " + object.ip() + " does not have the labels " + ClusterIp.MANAGED_BY + "="
                        + ClusterIp.ALLOCATOR + " and " + ClusterIp.FAMILY + "="
                        + object.ip().family() + ", without which it does not protect a ServiceCIDR that is being"
                        + " deleted");
    }

    private static Finding notAllocated(ServiceKey service, String fault) {
        return Finding.ofService(
                Finding.Fault.CLUSTER_IP_NOT_ALLOCATED,
                service,
                fault + "; the API server repairs it within 3 minutes; if not, its events show why: kubectl get"
                        + " events -n "
                        + service.namespace() + " --field-selector involvedObject.name=" + service.name());
    }

    private static Finding alreadyAllocated(ServiceKey service, Ip ip, ServiceKey owner) {
        return Finding.ofService(
                Finding.Fault.CLUSTER_IP_ALREADY_ALLOCATED,
                service,
                ip + " is the cluster IP of " + owner + ", too, and connections to it reach either of the two; "
                        + recreate(service));
    }

    private static String recreate(ServiceKey service) {
        return "recreate the Service: kubectl delete service -n " + service.namespace() + " " + service.name()
                + ", then apply its manifest without clusterIP and clusterIPs";
    }
}
