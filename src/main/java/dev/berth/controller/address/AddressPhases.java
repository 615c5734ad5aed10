package dev.berth.controller.address;

import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.Ledger;
import dev.berth.api.v1alpha1.Address;
import dev.berth.kube.Caches;
import dev.berth.kube.Claims;
import dev.berth.kube.StatusWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows in the status of Address objects what each is to its pool, where it is not just in use.
 *
 * <p>One write at a time, a moment late: what changed back meanwhile costs nothing, and thousands of
 * addresses at once do not take the API server's time from the Services.
 */
public final class AddressPhases implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AddressPhases.class);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration AGAIN = Duration.ofSeconds(30);
    private static final String STRANDED = "Stranded";

    private final Caches caches;
    private final Ledger ledger;
    private final StatusWriter statuses;
    private final DelayQueue<Look> looks = new DelayQueue<>();

    /** Those that are in the queue. */
    private final Set<Ip> due = ConcurrentHashMap.newKeySet();

    private final Thread writer;

    private record Look(Ip ip, long nanoTime) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(nanoTime - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    /** Starts the writer. */
    public AddressPhases(Caches caches, Ledger ledger, StatusWriter statuses) {
        this.caches = caches;
        this.ledger = ledger;
        this.statuses = statuses;
        this.writer = Thread.ofVirtual().name("address-phases").start(this::write);
    }

    /** The phase of {@code ip} may be another than the one that is shown. */
    public void look(Ip ip) {
        look(ip, SOON);
    }

    private void look(Ip ip, Duration delay) {
        if (due.add(ip)) {
            looks.add(new Look(ip, System.nanoTime() + delay.toNanos()));
        }
    }

    private void write() {
        try {
            while (true) {
                Ip ip = looks.take().ip();
                due.remove(ip);
                show(ip);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(Ip ip) {
        try {
            Optional<Address> object = caches.addresses().get(null, ip.objectName());
            if (object.isEmpty()) {
                return;
            }
            String phase = Claims.of(object.get())
                    .map(claim -> phase(Holding.of(claim)))
                    .orElse(Address.BOUND);
            Address.Status status = object.get().getStatus();
            String shown = status == null || status.phase() == null ? Address.BOUND : status.phase();
            if (!phase.equals(shown) && !statuses.write(object.get(), Map.of("phase", phase))) {
                look(ip, AGAIN);
            }
        } catch (RuntimeException failure) {
            LOG.warn("phase of {}: {}", ip, failure.toString());
            look(ip, AGAIN);
        }
    }

    private String phase(Holding holding) {
        return switch (holding.spec().phase()) {
            case RESERVED -> "Reserved";
            case COOLING -> "Cooling";
            case BOUND -> ledger.isStranded(holding) ? STRANDED : Address.BOUND;
        };
    }

    @Override
    public void close() {
        writer.interrupt();
    }
}
