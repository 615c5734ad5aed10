package dev.berth.agent;

import dev.berth.announce.NotAnnouncedReason;
import dev.berth.ip.Ip;
import java.util.Collection;
import java.util.SequencedMap;
import java.util.TreeMap;

/** Addresses that this node cannot take. Times are milliseconds of a steady clock. */
final class Refusals {
    /** More are not kept, for all other agents get each. */
    static final int MOST = 64;

    /** When the kernel is asked again. */
    static final long RETRY = 60_000;

    private record Refusal(NotAnnouncedReason reason, long until) {}

    private final SequencedMap<Ip, Refusal> refusals = new TreeMap<>();

    /** Says which addresses the host has from somebody else, of those that are asked for. */
    void onHost(Collection<Ip> addresses) {
        refusals.values().removeIf(refusal -> refusal.reason() == NotAnnouncedReason.ADDRESS_ON_HOST);
        addresses.forEach(this::onHost);
    }

    /** Whether the host has one of them from somebody else. */
    boolean isAnyOnHost() {
        return refusals.values().stream().anyMatch(refusal -> refusal.reason() == NotAnnouncedReason.ADDRESS_ON_HOST);
    }

    /**
     * Says that the host has an address from somebody else.
     *
     * @return whether it is kept
     */
    boolean onHost(Ip address) {
        return put(address, new Refusal(NotAnnouncedReason.ADDRESS_ON_HOST, Long.MAX_VALUE));
    }

    /**
     * Says that the kernel has refused an address.
     *
     * @return whether it is kept
     */
    boolean byKernel(Ip address, long now) {
        return put(address, new Refusal(NotAnnouncedReason.KERNEL_REJECTED, now + RETRY));
    }

    private boolean put(Ip address, Refusal refusal) {
        if (refusals.size() >= MOST && !refusals.containsKey(address)) {
            return false;
        }
        refusals.put(address, refusal);
        return true;
    }

    /** By address. */
    SequencedMap<Ip, NotAnnouncedReason> at(long now) {
        refusals.values().removeIf(refusal -> refusal.until() <= now);
        SequencedMap<Ip, NotAnnouncedReason> reasons = new TreeMap<>();
        refusals.forEach((address, refusal) -> reasons.put(address, refusal.reason()));
        return reasons;
    }
}
