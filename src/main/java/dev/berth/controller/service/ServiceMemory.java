package dev.berth.controller.service;

import dev.berth.address.QueuePosition;
import dev.berth.controller.Backoff;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of one Service between two passes. Nothing in it must survive a restart. Used by one
 * pass at a time, but for what says otherwise.
 */
final class ServiceMemory {
    /** Overwrites longer ago than this do not count. */
    static final Duration OVERWRITES_WITHIN = Duration.ofMinutes(10);

    private static final int OVERWRITES_BORNE = 3;

    /** How often a status is written only because its provider says something else. */
    static final Duration WORDS_EVERY = Duration.ofSeconds(30);

    /** The answer to the last write or live read; the cache may still lag behind it. */
    private volatile @Nullable ServiceState latest;

    private volatile @Nullable ServiceState lastWritten;

    private @Nullable List<Published> lastPublished;
    private final Deque<Instant> overwrites = new ArrayDeque<>();
    private int conflicts;
    private Instant letStandUntil = Instant.EPOCH;
    private @Nullable QueuePosition turn;

    /** When other words of its provider were last written. */
    private Instant words = Instant.EPOCH;

    private int overtaken;

    private int failures;
    private @Nullable Object failedRequest;
    private boolean isHeldUp;
    private Instant notBefore = Instant.EPOCH;

    private volatile @Nullable LoadBalancerRequest ensured;

    /** Whose provider was asked; written before {@link #ensured}. */
    private volatile @Nullable ServedClass ensuredBy;

    private volatile @Nullable Listed listed;

    private volatile boolean doubted;
    private volatile boolean mayTryAgain;

    private EnsureOutcome.@Nullable Ready ensureAnswer;
    private @Nullable LoadBalancerRequest elsewhere;
    private @Nullable ServiceIdentity deletedFor;
    private @Nullable ServiceIdentity tornDown;

    /** The classes whose providers have deleted what they may have made for {@link #tornDown}. */
    private final List<ServedClass> tornDownBy = new ArrayList<>();

    private boolean seenLive;

    /** The newer of what the cache has and what was last answered. */
    Optional<ServiceState> newest(Optional<ServiceState> cached) {
        ServiceState known = latest;
        if (known == null || cached.isEmpty() || !isOlder(cached.get(), known)) {
            latest = null;
            return cached;
        }
        return Optional.of(known);
    }

    /** Whether this version is the answer to the last write; it is forgotten then, for the cache has it. */
    boolean isEcho(String uid, String resourceVersion) {
        ServiceState known = lastWritten;
        if (known == null
                || !known.uid().equals(uid)
                || !known.resourceVersion().equals(resourceVersion)) {
            return false;
        }
        lastWritten = null;
        return true;
    }

    /** The answer to a write of ours: an event with just this is no news, unlike one with what a live read found. */
    void wrote(ServiceState answer) {
        remember(answer);
        lastWritten = answer;
    }

    void remember(ServiceState state) {
        latest = state;
    }

    /** Whether the last pass found it by a live read: then it is there, though the cache may not know it yet. */
    void sawLive(boolean saw) {
        seenLive = saw;
    }

    boolean isSeenLive() {
        return seenLive;
    }

    /** Resource versions of one kind are numbers that grow. */
    private static boolean isOlder(ServiceState cached, ServiceState known) {
        try {
            return Long.parseUnsignedLong(cached.resourceVersion()) < Long.parseUnsignedLong(known.resourceVersion());
        } catch (NumberFormatException opaque) {
            return false;
        }
    }

    /** How long {@code request}, if it is the one that failed or was put off, must still wait; absent: not at all. */
    Optional<Duration> mustWait(Object request, Instant now) {
        if (mayTryAgain) {
            mayTryAgain = false;
            notBefore = Instant.EPOCH;
        }
        return request.equals(failedRequest) && now.isBefore(notBefore)
                ? Optional.of(Duration.between(now, notBefore))
                : Optional.empty();
    }

    /** If its provider is the one of this name: what failed may be tried again at once. Told by other threads, too. */
    boolean mayTryAgain(String provider) {
        ServedClass by = ensuredBy;
        boolean isIts = by != null && by.provider().equals(provider);
        if (isIts) {
            mayTryAgain = true;
        }
        return isIts;
    }

    /** {@code request} failed. Returns the delay before it may be sent again. */
    Duration failed(Object request, Optional<Duration> retryAfter, Backoff backoff, Instant now) {
        if (retryAfter.isPresent()) {
            return putOff(request, retryAfter.get(), now);
        }
        failures++;
        return putOff(request, backoff.after(failures), now);
    }

    /** {@code request} is not to be sent again before {@code delay} has passed; that is no failure. */
    Duration putOff(Object request, Duration delay, Instant now) {
        failedRequest = request;
        isHeldUp = false;
        notBefore = now.plus(delay);
        return delay;
    }

    /** What failed last could not be asked, for an earlier call has not returned; once it has, nothing has to wait. */
    void heldUp() {
        isHeldUp = true;
    }

    boolean isHeldUp() {
        return isHeldUp;
    }

    /** The earlier call has returned. */
    void heldUpNoLonger() {
        isHeldUp = false;
        notBefore = Instant.EPOCH;
    }

    /** Whether other words of its provider, and nothing else, may be written already; then they are. */
    boolean mayWriteWords(Instant now) {
        boolean may = Duration.between(words, now).abs().compareTo(WORDS_EVERY) >= 0;
        if (may) {
            words = now;
        }
        return may;
    }

    /** Others wrote again and again what it is about. Returns the delay before it is looked at again. */
    Duration overtaken(Backoff backoff) {
        overtaken++;
        return backoff.after(overtaken);
    }

    void succeeded() {
        tornDownBy.clear();
        overtaken = 0;
        failures = 0;
        failedRequest = null;
        notBefore = Instant.EPOCH;
    }

    /** What the provider answered to this very request; absent: it was not asked yet. */
    Optional<EnsureOutcome.Ready> answerTo(LoadBalancerRequest request) {
        return request.equals(ensured) ? Optional.ofNullable(ensureAnswer) : Optional.empty();
    }

    void ensured(LoadBalancerRequest request, EnsureOutcome.Ready answer, ServedClass by) {
        ensuredBy = by;
        ensured = request;
        ensureAnswer = answer;
    }

    /** The provider answered that another does it; it is not asked the same again. */
    void implementedElsewhere(LoadBalancerRequest request) {
        elsewhere = request;
    }

    boolean isImplementedElsewhere(LoadBalancerRequest request) {
        return request.equals(elsewhere);
    }

    /** What the provider answered to a request like this but for the targets; absent: it has to be asked again. */
    Optional<EnsureOutcome.Ready> answerButForTargets(LoadBalancerRequest request) {
        LoadBalancerRequest known = ensured;
        return known != null && known.differsInTargetsOnly(request)
                ? Optional.ofNullable(ensureAnswer)
                : Optional.empty();
    }

    /** Whether the provider was last notified of other targets than these. Asked for by other threads, too. */
    boolean knowsOther(Backends backends) {
        LoadBalancerRequest known = ensured;
        ServedClass by = ensuredBy;
        return known != null
                && by != null
                && switch (by.capabilities().targets()) {
                    case NODE_PORTS -> !known.nodes().equals(backends.nodes());
                    case ENDPOINTS ->
                        !known.endpoints().equals(backends.endpoints().get());
                    case NONE -> false;
                };
    }

    /** Whether the provider was asked by a class whose health check depends on the nodes. Asked for by other threads, too. */
    boolean isCheckedByWhatNodesHave() {
        ServedClass by = ensuredBy;
        return ensured != null
                && by != null
                && by.capabilities().targets() == Targets.NODE_PORTS
                && by.healthCheck().isLeftToTheNodes();
    }

    /** What the provider has may not be what it answered: it is to be looked at. Told by other threads, too. */
    void doubt() {
        doubted = true;
    }

    /** Whether it is to be looked at. */
    boolean isDoubted() {
        return doubted;
    }

    /** It is being looked at. */
    void looked() {
        doubted = false;
    }

    /** Whether the provider was asked, and answered. Asked for by other threads, too. */
    boolean isEnsured() {
        ServedClass by = ensuredBy;
        return ensured != null && by != null && !by.capabilities().immediate();
    }

    /**
     * The class value by which the provider of this very Service was asked, or lists something for it, if that brings
     * its own addresses, so that no Address tells; absent: it was not, or what it made is deleted.
     */
    Optional<String> bringsItsOwn(String uid) {
        LoadBalancerRequest known = ensured;
        ServedClass by = ensuredBy;
        Listed found = listed;
        return known != null
                        && by != null
                        && by.capabilities().addresses() == AddressSource.PROVIDER
                        && known.service().uid().equals(uid)
                ? Optional.of(by.value())
                : Optional.ofNullable(found)
                        .filter(one -> one.uid().equals(uid))
                        .map(Listed::value);
    }

    /** By its uid, a Service that has a load balancer of this class value by what the provider lists. */
    private record Listed(String uid, String value) {}

    /** The provider of the class of this value lists a load balancer of the Service. Told by other threads, too. */
    void listed(String uid, String value) {
        listed = new Listed(uid, value);
    }

    /** A load balancer, and the class by whose provider it was made. */
    record Made(LoadBalancerRequest request, ServedClass by) {}

    /** What was made for another Service of this name; absent: nothing, or it is not known any more. */
    Optional<Made> madeForAnother(Optional<String> uid) {
        LoadBalancerRequest known = ensured;
        ServedClass by = ensuredBy;
        return known == null
                        || by == null
                        || uid.equals(Optional.of(known.service().uid()))
                ? Optional.empty()
                : Optional.of(new Made(known, by));
    }

    /** What the provider has is not known any more, but that there may be something: it is asked again. */
    void unsure() {
        ensureAnswer = null;
    }

    /** What was made is deleted. */
    void forget() {
        listed = null;
        elsewhere = null;
        ensured = null;
        ensureAnswer = null;
    }

    /** The provider is about to be asked: whatever it answers, what it answered before counts no longer. */
    void mayExist(LoadBalancerRequest request, ServedClass by) {
        tornDownBy.clear();
        deletedFor = null;
        ensureAnswer = null;
        elsewhere = null;
        ensuredBy = by;
        ensured = request;
    }

    /** The provider is about to be told to delete; what it made may have been made before a restart. */
    void deletesBy(ServedClass by) {
        ensuredBy = by;
    }

    /** Its provider has deleted what it may have made, and others may have to: it is not asked again before they have. */
    void tornDown(ServiceIdentity service, ServedClass by) {
        if (!service.equals(tornDown)) {
            tornDown = service;
            tornDownBy.clear();
        }
        tornDownBy.add(by);
    }

    boolean wasTornDown(ServiceIdentity service, ServedClass by) {
        return service.equals(tornDown) && tornDownBy.contains(by);
    }

    /** The provider has nothing for this Service. */
    void deleted(ServiceIdentity service) {
        listed = null;
        deletedFor = service;
        ensured = null;
        ensureAnswer = null;
    }

    /** Whether the provider was asked for this Service, and has not deleted what it may have made. */
    boolean mayHaveMadeFor(ServiceIdentity service) {
        LoadBalancerRequest known = ensured;
        return known != null && known.service().equals(service);
    }

    boolean wasDeleted(ServiceIdentity service) {
        return service.equals(deletedFor);
    }

    void published(List<Published> ingress) {
        lastPublished = ingress;
    }

    /** Whether {@code wanted} was written by us before, so that whatever stands there now is another's. */
    boolean wasPublished(List<Published> wanted) {
        return lastPublished != null && Publication.sameIngress(lastPublished, wanted);
    }

    /**
     * Another wrote the status that is ours. The third time within ten minutes it is let stand for a while,
     * then put right again, and so on with growing delays: two controllers that both insist would write for
     * ever.
     *
     * @return how long to let it stand; absent: put it right at once
     */
    Optional<Duration> overwritten(Backoff backoff, Instant now) {
        if (now.isBefore(letStandUntil)) {
            return Optional.of(Duration.between(now, letStandUntil));
        }
        if (letStandUntil.isAfter(Instant.EPOCH)) {
            letStandUntil = Instant.EPOCH;
            return Optional.empty();
        }
        if (!isRecent(now)) {
            overwrites.clear();
            conflicts = 0;
        }
        while (!overwrites.isEmpty()
                && overwrites.getFirst().plus(OVERWRITES_WITHIN).isBefore(now)) {
            overwrites.removeFirst();
        }
        overwrites.addLast(now);
        if (overwrites.size() < OVERWRITES_BORNE) {
            return Optional.empty();
        }
        conflicts++;
        Duration wait = backoff.after(conflicts);
        letStandUntil = now.plus(wait);
        return Optional.of(wait);
    }

    /** Whether another keeps writing the status. */
    boolean isInConflict(Instant now) {
        return conflicts > 0 && (isRecent(now) || now.isBefore(letStandUntil));
    }

    private boolean isRecent(Instant now) {
        return !overwrites.isEmpty()
                && overwrites.getLast().plus(OVERWRITES_WITHIN).isAfter(now);
    }

    /** Its place among those that wait is this one from now on. */
    void turn(QueuePosition now) {
        turn = now;
    }

    /** It does not wait. */
    void forgetTurn() {
        turn = null;
    }

    /** The place among those that wait that it was given first; it is kept until it is served. */
    QueuePosition turn(String uid, Supplier<QueuePosition> first) {
        QueuePosition known = turn;
        if (known == null || !known.uid().equals(uid)) {
            known = first.get();
            turn = known;
        }
        return known;
    }
}
