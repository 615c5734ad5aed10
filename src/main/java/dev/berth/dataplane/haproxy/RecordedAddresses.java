package dev.berth.dataplane.haproxy;

import dev.berth.provider.ProviderException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses of load balancers on the host, and a record of them, so that a crash leaves none there. One that cannot be
 * put there or taken off keeps no other. Not thread-safe.
 */
final class RecordedAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(RecordedAddresses.class);

    private final Addresses addresses;
    private final Records records;

    /** Those that could not be taken off, each with the name of the load balancer that had it last. */
    private final SequencedMap<String, String> left = new TreeMap<>();

    RecordedAddresses(Addresses addresses, Records records) {
        this.addresses = addresses;
        this.records = records;
    }

    /** Has these on the host, and no others that an earlier process has left. One that another interface has by now is said. */
    void begin(List<String> wanted) {
        for (String address : wanted) {
            try {
                addresses.add(address);
            } catch (ProviderException refused) {
                LOG.error("{}", refused.getMessage());
            }
        }
        note(wanted);
        removeOthers(wanted);
    }

    private void note(Collection<String> some) {
        records.putAddresses(Stream.concat(records.addresses().stream(), some.stream())
                .distinct()
                .toList());
    }

    /**
     * Puts those of a load balancer onto the host; the record first.
     *
     * @param added those of them that nobody has yet
     * @throws ProviderException if one cannot be put there, or is there and was not put there by Berth
     */
    void add(List<String> all, List<String> added) {
        List<String> known = records.addresses();
        for (String one : added) {
            if (!known.contains(one) && addresses.isHere(one)) {
                throw new ProviderException(
                        "address %s is already configured on this host, but not by Berth; remove it from the pool or from the host"
                                .formatted(one));
            }
        }
        note(added);
        all.forEach(addresses::add);
    }

    /** Takes off all but these: those of a crash, and of removals that failed. */
    void removeOthers(Collection<String> wanted) {
        remove(records.addresses().stream().filter(one -> !wanted.contains(one)).toList());
    }

    /**
     * Takes off what load balancers gave up.
     *
     * @param gone addresses, each with the name of the load balancer that had it
     * @return the names of those that still have one, and why
     */
    SequencedMap<String, RuntimeException> remove(SequencedMap<String, String> gone) {
        SequencedMap<String, RuntimeException> stay = new LinkedHashMap<>();
        remove(List.copyOf(gone.keySet())).forEach((address, reason) -> {
            left.put(address, gone.get(address));
            stay.put(gone.get(address), reason);
        });
        return stay;
    }

    /**
     * Takes off what a load balancer had, and could not be taken off before.
     *
     * @param wanted by any by now
     * @throws RuntimeException why it still cannot be
     */
    void requireNothingLeft(String name, Collection<String> wanted) {
        left.keySet().removeAll(wanted);
        List<String> its = left.entrySet().stream()
                .filter(one -> one.getValue().equals(name))
                .map(Map.Entry::getKey)
                .toList();
        for (RuntimeException reason : remove(its).values()) {
            throw reason;
        }
    }

    /** Takes all off the host, and keeps the record: the process ends, and the next one puts them there again. */
    void release() {
        for (String address : records.addresses()) {
            try {
                addresses.remove(address);
            } catch (RuntimeException reason) {
                LOG.error("address {} stays on the host: {}", address, reason.getMessage());
            }
        }
    }

    /**
     * Takes these off the host; what Berth has not put there stays.
     *
     * @return those that stay, and why; the record says so, too
     */
    SequencedMap<String, RuntimeException> remove(Collection<String> some) {
        SequencedMap<String, RuntimeException> stay = new LinkedHashMap<>();
        List<String> known = records.addresses();
        for (String address : some) {
            if (!known.contains(address)) {
                continue;
            }
            try {
                addresses.remove(address);
                left.remove(address);
            } catch (RuntimeException reason) {
                LOG.error("address {} cannot be taken off the host: {}", address, reason.getMessage());
                stay.put(address, reason);
            }
        }
        records.putAddresses(known.stream()
                .filter(one -> !some.contains(one) || stay.containsKey(one))
                .toList());
        return stay;
    }
}
