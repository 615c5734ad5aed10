package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.reason.Reason;

/**
 * Something that is wrong, and what to do about it. As long as nothing changes, so does no word of it.
 *
 * @param kind of the object: Service, IPAddress, ServiceCIDR or AddressPool
 * @param name of a Service: {@code namespace/name}
 */
public record Finding(Fault fault, String kind, String name, String message) {
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
    public enum Fault {
        FAMILY_FULL(Reason.FamilyFull, Severity.ERROR),
        CLUSTER_IP_NOT_VALID(Reason.ClusterIPNotValid, Severity.ERROR),
        CLUSTER_IP_OUT_OF_RANGE(Reason.ClusterIPOutOfRange, Severity.ERROR),
        CLUSTER_IP_NOT_ALLOCATED(Reason.ClusterIPNotAllocated, Severity.ERROR),
        CLUSTER_IP_ALREADY_ALLOCATED(Reason.ClusterIPAlreadyAllocated, Severity.ERROR),
        IP_ADDRESS_NOT_ALLOCATED(Reason.IPAddressNotAllocated, Severity.WARNING),
        IP_ADDRESS_WRONG_REFERENCE(Reason.IPAddressWrongReference, Severity.WARNING),
        IP_ADDRESS_WITHOUT_PARENT(Reason.IPAddressWithoutParent, Severity.WARNING),
        BOTH_TERMINATING(Reason.BothTerminating, Severity.ERROR),
        POOL_IN_SERVICE_CIDR(Reason.PoolInServiceCIDR, Severity.ERROR),
        NETWORK_IN_SERVICE_CIDR(Reason.NetworkInServiceCIDR, Severity.ERROR),
        RANGE_NEVER_ALLOCATES(Reason.RangeNeverAllocates, Severity.WARNING),
        FINALIZER_MISSING(Reason.FinalizerMissing, Severity.WARNING),
        BANDS_CONFLICT(Reason.BandsConflict, Severity.WARNING),
        DYNAMIC_BAND_FULL(Reason.DynamicBandFull, Severity.WARNING);

        private final Reason reason;
        private final Severity severity;

        Fault(Reason reason, Severity severity) {
            this.reason = reason;
            this.severity = severity;
        }

        /** As conditions, reports and metrics name it. */
        public Reason reason() {
            return reason;
        }

        /** How bad it is. */
        public Severity severity() {
            return severity;
        }
    }

    static final String SERVICE_CIDR = "ServiceCIDR";

    static Finding ofService(Fault fault, ServiceKey service, String message) {
        return new Finding(fault, "Service", service.toString(), message);
    }

    static Finding ofAddress(Fault fault, ClusterIp address, String message) {
        return new Finding(fault, "IPAddress", address.ip().toString(), message);
    }

    static Finding ofRange(Fault fault, ServiceCidr cidr, String message) {
        return new Finding(fault, SERVICE_CIDR, cidr.name(), message);
    }

    /** {@code KIND/NAME}, and of a Service {@code KIND/NAMESPACE/NAME}. */
    public String object() {
        return kind + "/" + name;
    }
}
