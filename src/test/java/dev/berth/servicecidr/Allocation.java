package dev.berth.servicecidr;

import dev.berth.ip.Ip;

/** What asking for an address gives. The texts of what is refused are the API server's own. */
public sealed interface Allocation {
    /** This address was free. */
    record Allocated(Ip ip) implements Allocation {}

    /** No range of the family that is ready has a free address (HTTP 500 of the API server). */
    record Full() implements Allocation {
        @Override
        public String toString() {
            return "range is full";
        }
    }

    /**
     * The address asked for is taken (HTTP 422 of the API server).
     *
     * @param by the IPAddress that takes it
     */
    record AlreadyAllocated(ClusterIp by) implements Allocation {
        @Override
        public String toString() {
            return "provided IP is already allocated";
        }
    }

    /** The address asked for is in no range that is ready (HTTP 422 of the API server). */
    record OutOfRange(Ip ip) implements Allocation {
        @Override
        public String toString() {
            return "the provided network does not match the current range";
        }
    }
}
