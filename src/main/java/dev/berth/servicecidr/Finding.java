package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;

/**
 * Something that is wrong, and what to do about it. As long as nothing changes, so does no word of it.
 *
 * @param kind of the object: Service, IPAddress, ServiceCIDR or AddressPool
 * @param name of a Service: {@code namespace/name}
 */
public record Finding(Reason reason, String kind, String name, String message) {
    /** How bad it is. */
    public enum Severity {
        /** Services do not work, cannot be created, or may lose their address. */
        ERROR("Error"),

        /** It works, and may not go on to. */
        WARNING("Warning");

        private final String text;

        Severity(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** What is wrong, the worst first. Those up to {@link #IP_ADDRESS_WRONG_REFERENCE} are of the API server's repair loop. */
    public enum Reason {
        FAMILY_FULL("FamilyFull", Severity.ERROR),
        CLUSTER_IP_NOT_VALID("ClusterIPNotValid", Severity.ERROR),
        CLUSTER_IP_OUT_OF_RANGE("ClusterIPOutOfRange", Severity.ERROR),
        CLUSTER_IP_NOT_ALLOCATED("ClusterIPNotAllocated", Severity.ERROR),
        CLUSTER_IP_ALREADY_ALLOCATED("ClusterIPAlreadyAllocated", Severity.ERROR),
        IP_ADDRESS_NOT_ALLOCATED("IPAddressNotAllocated", Severity.WARNING),
        IP_ADDRESS_WRONG_REFERENCE("IPAddressWrongReference", Severity.WARNING),
        IP_ADDRESS_WITHOUT_PARENT("IPAddressWithoutParent", Severity.WARNING),
        BOTH_TERMINATING("BothTerminating", Severity.ERROR),
        POOL_IN_SERVICE_CIDR("PoolInServiceCIDR", Severity.ERROR),
        NETWORK_IN_SERVICE_CIDR("NetworkInServiceCIDR", Severity.ERROR),
        RANGE_NEVER_ALLOCATES("RangeNeverAllocates", Severity.WARNING),
        FINALIZER_MISSING("FinalizerMissing", Severity.WARNING),
        BANDS_CONFLICT("BandsConflict", Severity.WARNING),
        DYNAMIC_BAND_FULL("DynamicBandFull", Severity.WARNING);

        private final String text;
        private final Severity severity;

        Reason(String text, Severity severity) {
            this.text = text;
            this.severity = severity;
        }

        /** How bad it is. */
        public Severity severity() {
            return severity;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    static final String SERVICE_CIDR = "ServiceCIDR";

    static Finding ofService(Reason reason, ServiceKey service, String message) {
        return new Finding(reason, "Service", service.toString(), message);
    }

    static Finding ofAddress(Reason reason, ClusterIp address, String message) {
        return new Finding(reason, "IPAddress", address.ip().toString(), message);
    }

    static Finding ofRange(Reason reason, ServiceCidr cidr, String message) {
        return new Finding(reason, SERVICE_CIDR, cidr.name(), message);
    }

    /** {@code KIND/NAME}, and of a Service {@code KIND/NAMESPACE/NAME}. */
    public String object() {
        return kind + "/" + name;
    }
}
