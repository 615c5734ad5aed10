package dev.berth.controller.address;

import dev.berth.announce.Announcement;
import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.Claims;
import dev.berth.kube.Conditions;
import dev.berth.kube.StatusWriter;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows on Address objects what each is to its pool, where it is not just in use, and who shares it; and labels those
 * that a person made, or a Berth that knew no labels. Those of something that is no Service it leaves as they are.
 *
 * <p>One write at a time, a moment late: what changed back meanwhile costs nothing, and thousands of
 * addresses at once do not take the API server's time from the Services.
 */
public final class AddressConditions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AddressConditions.class);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration AGAIN = Duration.ofSeconds(30);

    /** How late it is shown that another number of nodes announce an address, and how much later for each address. */
    private static final Duration NUMBERS = Duration.ofSeconds(60);

    private static final Duration NUMBERS_PER_ADDRESS = Duration.ofMillis(100);

    private final Caches caches;
    private final Ledger ledger;
    private final StatusWriter statuses;
    private final InstantSource clock;
    private final Predicate<@Nullable String> isServedElsewhere;
    private final BiFunction<Ip, @Nullable String, Optional<Announcement>> announcements;
    private final DelayQueue<Look> looks = new DelayQueue<>();

    /** When each is looked at next that is in the queue: others of it there are void. */
    private final Map<Ip, Long> due = new ConcurrentHashMap<>();

    /** Since when only how many nodes announce it is otherwise. */
    private final Map<Ip, Long> numbers = new ConcurrentHashMap<>();

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

    /**
     * Starts the writer.
     *
     * @param isServedElsewhere whether another Berth serves a class: what there is to say of its Addresses that one says
     * @param announcements who announces an address of a class; absent: agents announce none of that class
     */
    public AddressConditions(
            Caches caches,
            Ledger ledger,
            StatusWriter statuses,
            InstantSource clock,
            Predicate<@Nullable String> isServedElsewhere,
            BiFunction<Ip, @Nullable String, Optional<Announcement>> announcements) {
        this.caches = caches;
        this.ledger = ledger;
        this.statuses = statuses;
        this.clock = clock;
        this.isServedElsewhere = isServedElsewhere;
        this.announcements = announcements;
        this.writer = Thread.ofVirtual().name("address-conditions").start(this::write);
    }

    /** There may be something else to say of {@code ip} than what is shown. */
    public void look(Ip ip) {
        look(ip, SOON);
    }

    /** Other pools hold than before: what came from none, or from another, may lie in one. */
    public void poolsChanged() {
        PoolSet pools = ledger.pools();
        ledger.holdings().stream()
                .filter(holding -> holding.spec().pool() == null
                        || pools.isOfAnother(holding.ip(), holding.spec().pool()))
                .map(Holding::ip)
                .forEach(this::look);
    }

    private void look(Ip ip, Duration delay) {
        long at = System.nanoTime() + delay.toNanos();
        due.compute(ip, (_, before) -> {
            if (before != null && before - at <= 0) {
                return before;
            }
            looks.add(new Look(ip, at));
            return at;
        });
    }

    private void write() {
        try {
            while (true) {
                Look look = looks.take();
                if (due.remove(look.ip(), look.nanoTime())) {
                    show(look.ip());
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(Ip ip) {
        try {
            Optional<Address> object = caches.addresses().get(null, ip.objectName());
            if (object.filter(address -> isOurs(address, isServedElsewhere)).isEmpty()) {
                numbers.remove(ip);
                return;
            }
            // Whoever waits for a condition finds the pool in its column then, which is of a label.
            boolean isLabelled = showLabels(object.get());
            boolean isShown = wanted(object.get())
                    .map(status -> statuses.write(object.get(), status))
                    .orElse(true);
            if (!isLabelled || !isShown) {
                look(ip, AGAIN);
            }
        } catch (RuntimeException failure) {
            LOG.warn("conditions of Address {}: {}", ip, failure.toString());
            look(ip, AGAIN);
        }
    }

    /**
     * Whether there is something to say of an Address, and this Berth says it.
     *
     * @param isServedElsewhere whether another Berth serves a class
     */
    public static boolean isOurs(Address address, Predicate<@Nullable String> isServedElsewhere) {
        return !Claims.isOfOtherKind(address)
                && Claims.of(address)
                        .filter(claim -> isServedElsewhere.test(claim.loadBalancerClass()))
                        .isEmpty();
    }

    /** What its status is to be; absent: it is. */
    private Optional<Address.Status> wanted(Address address) {
        Optional<Claim> claim = Claims.of(address);
        Address.Status old = address.getStatus();
        List<Condition> shown = Conditions.of(old);
        List<Condition> conditions = claim
                .map(Holding::of)
                .flatMap(holding -> Report.of(holding.spec(), ledger.isStranded(holding)))
                .map(report -> Conditions.of(
                        shown,
                        report.type(),
                        Status.TRUE,
                        report.reason(),
                        report.message(),
                        address.getMetadata().getGeneration(),
                        clock.instant()))
                .stream()
                .toList();
        Address.Status wanted = new Address.Status(
                claim.filter(known -> known.spec().pool() == null)
                        .flatMap(this::liesIn)
                        .orElse(null),
                claim.flatMap(known -> sharedWith(known.spec())).orElse(null),
                claim.flatMap(known -> announcement(known, old == null ? null : old.announcement()))
                        .orElse(null),
                conditions);
        Address.Status known = old == null
                ? new Address.Status(null, null, null, shown)
                : new Address.Status(old.pool(), old.sharedWith(), old.announcement(), shown);
        return wanted.equals(known) ? Optional.empty() : Optional.of(wanted);
    }

    private Optional<Address.Announcement> announcement(Claim claim, Address.@Nullable Announcement old) {
        if (claim.spec().phase() != ClaimSpec.Phase.BOUND) {
            return Optional.empty();
        }
        return announcements
                .apply(claim.ip(), claim.loadBalancerClass())
                .map(now -> inTime(claim.ip(), shown(now, old, clock.instant()), old));
    }

    /** What is to be shown of it; since when, if that has been said before. */
    static Address.Announcement shown(Announcement now, Address.@Nullable Announcement old, Instant time) {
        String by = old == null ? null : old.by();
        String since = old == null ? null : old.since();
        boolean lasts = by != null && since != null && (by.equals(now.by()) || now.differsInNumberFrom(by));
        return new Address.Announcement(
                now.by(),
                lasts ? since : time.truncatedTo(ChronoUnit.SECONDS).toString(),
                now.reason(),
                now.sentence());
    }

    /** Another number alone waits, the longer the more addresses there are: each node may announce them all. */
    private Address.Announcement inTime(Ip ip, Address.Announcement wanted, Address.@Nullable Announcement old) {
        if (old == null
                || wanted.equals(old)
                || !Objects.equals(wanted.since(), old.since())
                || !Objects.equals(wanted.message(), old.message())) {
            numbers.remove(ip);
            return wanted;
        }
        long now = System.nanoTime();
        long left = numbers.computeIfAbsent(ip, _ -> now)
                + NUMBERS.plus(NUMBERS_PER_ADDRESS.multipliedBy(numbers.size())).toNanos()
                - now;
        if (left <= 0) {
            numbers.remove(ip);
            return wanted;
        }
        look(ip, Duration.ofNanos(left));
        return old;
    }

    private boolean showLabels(Address address) {
        Map<String, @Nullable String> difference = Claims.of(address)
                .map(claim -> Claims.difference(Claims.labelsOf(address), Claims.labels(claim.spec(), pool(claim))))
                .orElse(Map.of());
        return difference.isEmpty() || statuses.label(address, difference);
    }

    private @Nullable String pool(Claim claim) {
        return liesIn(claim).or(() -> Optional.ofNullable(claim.spec().pool())).orElse(null);
    }

    private Optional<String> liesIn(Claim claim) {
        return ledger.pools().poolOf(claim.ip()).map(Pool::name);
    }

    /** All who have it but the first, in one line; absent: there are no others. */
    static Optional<String> sharedWith(ClaimSpec spec) {
        List<ServiceKey> services = spec.owners().stream().map(Owner::service).toList();
        return services.size() < 2
                ? Optional.empty()
                : Optional.of(services.stream()
                        .skip(1)
                        .map(service ->
                                service.namespace().equals(services.getFirst().namespace())
                                        ? service.name()
                                        : service.toString())
                        .collect(Collectors.joining(",")));
    }

    /** The one condition of an address that is not just in use. */
    record Report(String type, Reason reason, String message) {
        /** Absent: a Service has it, as it should, and a second write for that would cost every Service one. */
        static Optional<Report> of(ClaimSpec spec, boolean stranded) {
            return switch (spec.phase()) {
                case RESERVED ->
                    Optional.of(
                            spec.owners().isEmpty()
                                    ? new Report(
                                            "Reserved",
                                            Reason.NoClaims,
                                            "reserved without a claim; not allocated to any Service")
                                    : new Report(
                                            "Reserved",
                                            spec.retain() ? Reason.Retained : Reason.ForService,
                                            "reserved for " + services(spec)));
                case COOLING ->
                    Optional.of(new Report(
                            "Cooling",
                            Reason.Released,
                            "released at " + spec.releasedAt() + "; not reused until the pool's reuseAfter has"
                                    + " passed"));
                case BOUND ->
                    stranded
                            ? Optional.of(new Report(
                                    "Stranded",
                                    Reason.NotInAnyPool,
                                    "the address is no longer in any pool; kept by " + services(spec)))
                            : Optional.empty();
            };
        }

        private static String services(ClaimSpec spec) {
            return spec.owners().stream()
                    .map(owner -> "Service " + owner.service())
                    .collect(Collectors.joining(", "));
        }
    }

    @Override
    public void close() {
        writer.interrupt();
    }
}
