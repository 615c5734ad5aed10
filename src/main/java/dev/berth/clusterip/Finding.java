package dev.berth.clusterip;

import dev.berth.address.ServiceKey;

/**
 * Something that is wrong, and what to do about it. As long as nothing changes, so does no word of it.
 *
 * @param kind of the object: Service, IPAddress, ServiceCIDR or AddressPool
 * @param name of a Service: {@code namespace/name}
 */
public record Finding(Reason reason, String kind, String name, String message) {
    /** What is wrong, the worst first. Those up to {@link #IP_ADDRESS_WRONG_REFERENCE} are of the API server's repair loop. */
    public enum Reason {
        FAMILY_FULL("FamilyFull"),
        CLUSTER_IP_NOT_VALID("ClusterIPNotValid"),
        CLUSTER_IP_OUT_OF_RANGE("ClusterIPOutOfRange"),
        CLUSTER_IP_NOT_ALLOCATED("ClusterIPNotAllocated"),
        CLUSTER_IP_ALREADY_ALLOCATED("ClusterIPAlreadyAllocated"),
        IP_ADDRESS_NOT_ALLOCATED("IPAddressNotAllocated"),
        IP_ADDRESS_WRONG_REFERENCE("IPAddressWrongReference"),
        IP_ADDRESS_WITHOUT_PARENT("IPAddressWithoutParent"),
        RANGE_NEVER_ALLOCATES("RangeNeverAllocates"),
        BANDS_CONFLICT("BandsConflict"),
        BOTH_TERMINATING("BothTerminating"),
        POOL_IN_SERVICE_CIDR("PoolInServiceCIDR");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    static Finding ofService(Reason reason, ServiceKey service, String message) {
        return new Finding(reason, "Service", service.toString(), message);
    }

    static Finding ofAddress(Reason reason, ClusterIp address, String message) {
        return new Finding(reason, "IPAddress", address.ip().toString(), message);
    }

    static Finding ofRange(Reason reason, ServiceCidr cidr, String message) {
        return new Finding(reason, "ServiceCIDR", cidr.name(), message);
    }

    /** {@code KIND/NAME}, and of a Service {@code KIND/NAMESPACE/NAME}. */
    public String object() {
        return kind + "/" + name;
    }
}
