package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The audit of IPAddresses: each is of somebody who is there and has it. What Berth reserves is left out, as
 * its Services are still to come, and so is what names anything but a Service, which nobody here can look up.
 */
record IpAddressAudit(ClusterIpHolders holders, Instant now) {
    /** The API server takes the address before it creates the Service; so long may that take. */
    private static final Duration BEING_CREATED = Duration.ofSeconds(60);

    /** The API server gives back the address of a creation that failed; so long may that take. */
    private static final Duration BEING_GIVEN_BACK = Duration.ofSeconds(5);

    List<Finding> findings(ClusterIps ips) {
        return ips.stream().flatMap(address -> finding(address).stream()).toList();
    }

    private Optional<Finding> finding(ClusterIp address) {
        if (address.parent() == null) {
            return Optional.of(Finding.ofAddress(
                    Finding.Fault.IP_ADDRESS_WITHOUT_PARENT,
                    address,
                    "it has no parentRef, so the address is never released; " + delete(address)));
        }
        if (address.isManagedByAllocator()) {
            return ofAllocator(address);
        }
        return address.isReservation() ? Optional.empty() : foreign(address);
    }

    private Optional<Finding> ofAllocator(ClusterIp address) {
        Optional<ServiceKey> named = address.service();
        Optional<ClusterService> service = named.flatMap(holders::service);
        if (service.isPresent()) {
            return holders.holds(service.get().key(), address.ip()) || isBeingGivenBack(address, service.get())
                    ? Optional.empty()
                    : Optional.of(wrongReference(address, service.get()));
        }
        // Of a Service that has the address it is the finding, and its IPAddress is recreated.
        if (holders.isHeld(address.ip()) || (named.isPresent() && isRecent(address, BEING_CREATED))) {
            return Optional.empty();
        }
        return Optional.of(Finding.ofAddress(
                Finding.Fault.IP_ADDRESS_NOT_ALLOCATED,
                address,
                "the API server created it for a Service, but "
                        + named.map(key -> "there is no Service " + key).orElse("it names " + address.owner())
                        + repaired(address)));
    }

    private boolean isBeingGivenBack(ClusterIp address, ClusterService service) {
        return address.created().isAfter(service.created()) && isRecent(address, BEING_GIVEN_BACK);
    }

    private boolean isRecent(ClusterIp address, Duration grace) {
        return Duration.between(address.created(), now).compareTo(grace) <= 0;
    }

    private Finding wrongReference(ClusterIp address, ClusterService named) {
        String others = holders.of(address.ip()).stream()
                .map(service -> ", but Service " + service.key() + " has")
                .findFirst()
                .orElse("");
        return Finding.ofAddress(
                Finding.Fault.IP_ADDRESS_WRONG_REFERENCE,
                address,
                "it is for Service " + named.key() + ", which does not have this cluster IP" + others
                        + repaired(address));
    }

    private Optional<Finding> foreign(ClusterIp address) {
        return address.service()
                .filter(key -> holders.service(key).isEmpty())
                .filter(key -> !holders.isHeld(address.ip()) && !isRecent(address, BEING_CREATED))
                .map(key -> Finding.ofAddress(
                        Finding.Fault.IP_ADDRESS_WITHOUT_PARENT,
                        address,
                        "there is no Service " + key + ", and the address is never released, because the API server"
                                + " did not create the IPAddress (its label " + ClusterIp.MANAGED_BY + " is "
                                + Objects.requireNonNullElse(address.managedBy(), "absent") + "); " + delete(address)));
    }

    private static String repaired(ClusterIp address) {
        return "; the API server deletes it within 3 minutes; if not: " + delete(address);
    }

    private static String delete(ClusterIp address) {
        return "kubectl delete ipaddress " + address.ip();
    }
}
