package dev.berth.kube;

import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events.k8s.io/v1 events from a bounded queue, within a budget: addresses come first, and the
 * API server's time is scarce when thousands of Services come at once. Warnings go before the others. The
 * same event about the same object is written once in ten minutes.
 */
public final class FabricEvents implements Events, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FabricEvents.class);
    private static final int QUEUE = 1_000;
    private static final int BURST = 100;
    private static final Duration REFILL = Duration.ofMillis(100);
    private static final int NOTE_LENGTH = 1_000;
    private static final int NAME_LENGTH = 200;

    /** With six digits, also where they are zeros: the API server takes no other. */
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final KubernetesClient client;
    private final InstantSource clock;
    private final InstantSource steady;
    private final String controller;
    private final String instance;
    private final LongConsumer dropped;

    /** Makes names that differ between events, and between runs. */
    private final AtomicLong serial;

    private final EventQueue<Event> queue = new EventQueue<>(QUEUE);
    private final Thread writer;

    private final RecentEvents recent = new RecentEvents();

    /**
     * Starts the writer.
     *
     * @param clock what time it is, for what others read
     * @param steady how time passes: nobody sets it forward or back
     * @param controller who reports: the name of the installation
     * @param instance which of its replicas: the name of the Pod
     * @param dropped notified of each event that found no room
     */
    public FabricEvents(
            KubernetesClient client,
            InstantSource clock,
            InstantSource steady,
            String controller,
            String instance,
            LongConsumer dropped) {
        this.client = client;
        this.clock = clock;
        this.steady = steady;
        this.controller = controller;
        this.instance = instance;
        this.dropped = dropped;
        Instant start = clock.instant();
        this.serial = new AtomicLong(start.getEpochSecond() * 1_000_000_000L + start.getNano());
        this.writer = Thread.ofVirtual().name("events").start(this::write);
    }

    @Override
    public void normal(About about, Reason reason, String message) {
        add(about, false, reason.name(), message);
    }

    @Override
    public void warning(About about, Reason reason, String message) {
        add(about, true, reason.name(), message);
    }

    private void add(About about, boolean warning, String reason, String message) {
        if (!recent.add(about, reason, message, steady.instant())) {
            return;
        }
        Event event = event(
                controller,
                instance,
                about,
                warning ? "Warning" : "Normal",
                reason,
                message,
                clock.instant(),
                serial.incrementAndGet());
        if (!queue.offer(event, warning)) {
            dropped.accept(1);
        }
    }

    static Event event(
            String controller,
            String instance,
            About about,
            String type,
            String reason,
            String message,
            Instant now,
            long serial) {
        String namespace = about.namespace().isEmpty() ? "default" : about.namespace();
        return new EventBuilder()
                .withNewMetadata()
                .withName(about.name()
                                .substring(0, Math.min(NAME_LENGTH, about.name().length())) + "."
                        + Long.toHexString(serial))
                .withNamespace(namespace)
                .endMetadata()
                .withType(type)
                .withReason(reason)
                .withNote(message.length() <= NOTE_LENGTH ? message : message.substring(0, NOTE_LENGTH) + "...")
                .withAction("Reconcile")
                .withReportingController(controller)
                .withReportingInstance(instance)
                .withEventTime(new MicroTime(MICROS.format(now)))
                .withNewRegarding()
                .withApiVersion(about.apiVersion())
                .withKind(about.kind())
                .withNamespace(about.namespace().isEmpty() ? null : about.namespace())
                .withName(about.name())
                .withUid(about.uid())
                .endRegarding()
                .build();
    }

    private void write() {
        int budget = BURST;
        long refilled = System.nanoTime();
        try {
            while (true) {
                Event event = queue.take();
                long earned = (System.nanoTime() - refilled) / REFILL.toNanos();
                if (earned > 0) {
                    budget = (int) Math.min(BURST, budget + earned);
                    refilled += earned * REFILL.toNanos();
                }
                if (budget == 0) {
                    Thread.sleep(REFILL);
                    budget++;
                    refilled = System.nanoTime();
                }
                budget--;
                create(event);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void create(Event event) {
        try {
            client.resource(event).create();
        } catch (RuntimeException failure) {
            // Whatever it is, the next event has its chance.
            dropped.accept(1);
            LOG.warn("event {} was not written: {}", event.getReason(), failure.getMessage());
        }
    }

    @Override
    public void close() {
        writer.interrupt();
    }
}
