package dev.berth.controller.servicecidr;

import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.RetrySchedule;
import dev.berth.controller.Timing;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceCidrDeletion;
import dev.berth.servicecidr.ServiceCidrStep;
import dev.berth.servicecidr.Usage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ServiceCIDR controller, as kube-controller-manager has it: the finalizer, the condition {@code Ready}, and the end
 * of a range that nobody needs. Free of the operator SDK.
 */
public final class ServiceCidrControl {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceCidrControl.class);

    /** Whether to do it. */
    public enum Mode {
        /** Leave it to kube-controller-manager. */
        Never,
        /** Do what nobody did for a while. */
        Auto,
        /** There is no other. */
        Always
    }

    /**
     * When to do it.
     *
     * @param takeoverDelay in mode Auto, how long work must be left undone before it is done
     */
    public record Settings(Mode mode, Duration takeoverDelay) {}

    /** What is to be done of one object: each since when, and what failed of it. */
    private record Undone(
            String uid,
            Map<Class<? extends ServiceCidrStep>, Instant> since,
            Retries<Class<? extends ServiceCidrStep>, ServiceCidrStep> retries) {
        /** Nothing is, as far as is known. */
        static Undone none(String uid, Backoff backoff, InstantSource steady) {
            return new Undone(uid, Map.of(), new Retries<>(backoff, steady));
        }

        /** The same of what is to be done now; what was not to be done before is so since now. */
        Undone now(List<ServiceCidrStep> steps, Instant now) {
            Map<Class<? extends ServiceCidrStep>, Instant> undone = new HashMap<>();
            steps.forEach(step -> undone.put(step.getClass(), since.getOrDefault(step.getClass(), now)));
            retries.retain(undone.keySet());
            return new Undone(uid, undone, retries);
        }
    }

    /** That of the ServiceCIDR of this name and uid, which ends then by the clock that people set. */
    private record Grace(String name, String uid, Instant until) {}

    private final Mode mode;
    private final Duration takeoverDelay;
    private final String apiVersion;
    private final ClusterNetwork network;
    private final Events events;
    private final Backoff backoff;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Map<String, Undone> undone = new ConcurrentHashMap<>();

    /** The graces that are waited for: each since when, by the clock that nobody sets. */
    private final Map<Grace, Instant> graces = new ConcurrentHashMap<>();

    /** Of those that could not be looked at, for IPAddresses are not watched. */
    private final RetrySchedule<String> blinded;

    private final ReentrantLock proof = new ReentrantLock();

    /** @param apiVersion of the ServiceCIDRs, for events on them */
    public ServiceCidrControl(
            Settings settings, String apiVersion, ClusterNetwork network, Events events, Timing timing) {
        this.mode = settings.mode();
        this.takeoverDelay = settings.takeoverDelay();
        this.apiVersion = apiVersion;
        this.network = network;
        this.events = events;
        this.backoff = timing.backoff();
        this.clock = timing.clock();
        this.steady = timing.steady();
        blinded = new RetrySchedule<>(backoff, steady);
    }

    /** The ServiceCIDRs that wait for addresses to be given back, or for a range that has them too. */
    public List<String> terminating() {
        return network.serviceCidrs().stream()
                .filter(ServiceCidr::isTerminating)
                .map(ServiceCidr::name)
                .toList();
    }

    /** Does what is to be done of the ServiceCIDR of this name, if it is for us to do. */
    Next reconcile(String name) {
        if (mode == Mode.Never) {
            return Next.ON_EVENT;
        }
        Optional<String> blind = network.watchClusterIps();
        if (blind.isPresent()) {
            LOG.warn("ServiceCIDRs are not managed: {}", blind.get());
            return Next.after(blinded.failed(name));
        }
        blinded.done(name);
        List<ServiceCidr> all = network.serviceCidrs();
        Optional<ServiceCidr> found = named(name, all);
        List<ServiceCidrStep> wanted = found.map(cidr -> network.askClusterIps(ips -> {
                    ips.track(Usage.tracked(all));
                    return steps(cidr, all, ips);
                }))
                .orElse(List.of());
        if (wanted.isEmpty()) {
            undone.remove(name);
            graces.keySet().removeIf(grace -> grace.name().equals(name));
            return Next.ON_EVENT;
        }
        return next(found.orElseThrow(), wanted);
    }

    private Next next(ServiceCidr cidr, List<ServiceCidrStep> steps) {
        ServiceCidrStep step = steps.getFirst();
        Undone work = undone(cidr, steps);
        return switch (step) {
            case ServiceCidrStep.Wait(Instant until) -> waiting(cidr, until);
            case ServiceCidrStep.Keep(List<String> unreadable) ->
                tooEarly(work, step)
                        .orElseGet(
                                () -> failed(cidr, step, work, "Berth cannot read " + String.join(", ", unreadable)));
            case ServiceCidrStep.Written written ->
                tooEarly(work, step).orElseGet(() -> actIfProved(cidr, written, work));
        };
    }

    private Next waiting(ServiceCidr cidr, Instant until) {
        Next byClock = waiting(clock.instant(), until);
        Next bySteady = waiting(steady.instant(), endOfGrace(cidr, until));
        return byClock.delay().orElseThrow().compareTo(bySteady.delay().orElseThrow()) < 0 ? byClock : bySteady;
    }

    private Optional<Next> tooEarly(Undone work, ServiceCidrStep step) {
        Instant due = due(work, step);
        Instant now = steady.instant();
        return now.isBefore(due) ? Optional.of(Next.after(Duration.between(now, due))) : Optional.empty();
    }

    private Next actIfProved(ServiceCidr cidr, ServiceCidrStep.Written step, Undone work) {
        boolean needsProof = mode == Mode.Auto || step instanceof ServiceCidrStep.RemoveFinalizer;
        Optional<Next> instead = needsProof ? disproved(cidr, step, work) : Optional.empty();
        return instead.orElseGet(() -> act(cidr, step, work));
    }

    /** Rounded up: a timer goes by whole milliseconds, and would be early otherwise. */
    private static Next waiting(Instant now, Instant until) {
        Duration left = Duration.between(now, until).plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
        return Next.after(left.isNegative() ? Duration.ZERO : left);
    }

    private Instant due(Undone work, ServiceCidrStep step) {
        Instant now = steady.instant();
        Instant since = work.since().getOrDefault(step.getClass(), now);
        return work.retries()
                .notBefore(step.getClass())
                .filter(now::isBefore)
                .orElse(mode == Mode.Auto ? since.plus(takeoverDelay) : now);
    }

    /** Whatever it would say of the addresses that are left. */
    private static boolean isSame(ServiceCidrStep one, ServiceCidrStep other) {
        return one.getClass() == other.getClass();
    }

    private List<ServiceCidrStep> steps(ServiceCidr cidr, List<ServiceCidr> all, ClusterIps ips) {
        Instant now = clock.instant();
        List<ServiceCidrStep> steps = ServiceCidrStep.of(cidr, all, ips, now);
        while (!steps.isEmpty()
                && steps.getFirst() instanceof ServiceCidrStep.Wait(Instant until)
                && now.isBefore(until)
                && !steady.instant().isBefore(endOfGrace(cidr, until))) {
            now = until;
            steps = ServiceCidrStep.of(cidr, all, ips, now);
        }
        return steps;
    }

    /** However far the clock was set back, a grace is no longer than it is. */
    private Instant endOfGrace(ServiceCidr cidr, Instant until) {
        return graces.computeIfAbsent(new Grace(cidr.name(), cidr.uid(), until), unseen -> steady.instant())
                .plus(ServiceCidrDeletion.GRACE);
    }

    private static Optional<ServiceCidr> named(String name, List<ServiceCidr> all) {
        return all.stream().filter(cidr -> cidr.name().equals(name)).findFirst();
    }

    private Undone undone(ServiceCidr cidr, List<ServiceCidrStep> steps) {
        Undone before = undone.get(cidr.name());
        Undone known =
                before != null && before.uid().equals(cidr.uid()) ? before : Undone.none(cidr.uid(), backoff, steady);
        Undone now = known.now(steps, steady.instant());
        undone.put(cidr.name(), now);
        return now;
    }

    /**
     * Asks the API server itself: a cache may lag behind, and an address be lost by it. One range at a time: each may
     * need all IPAddresses.
     *
     * @return when to look again instead of doing it; absent: it is still to do
     */
    private Optional<Next> disproved(ServiceCidr seen, ServiceCidrStep step, Undone work) {
        proof.lock();
        try {
            return switch (firstStepLive(seen, step.needsAddresses())) {
                case Read.Found<ServiceCidrStep>(ServiceCidrStep now) ->
                    isSame(step, now) ? Optional.empty() : Optional.of(again(step, work));
                case Read.Absent<ServiceCidrStep> nothing -> Optional.of(again(step, work));
                case Read.Failed<ServiceCidrStep>(String message) ->
                    Optional.of(failed(seen, step, work, "the API server cannot be asked before: " + message));
            };
        } finally {
            proof.unlock();
        }
    }

    private Read<ServiceCidrStep> firstStepLive(ServiceCidr seen, boolean withAddresses) {
        return (withAddresses ? LiveRanges.read(network) : LiveRanges.readWithoutAddresses(network))
                .then(live -> named(seen.name(), live.cidrs())
                        .filter(now -> now.uid().equals(seen.uid()))
                        .flatMap(now ->
                                steps(now, live.cidrs(), live.ips()).stream().findFirst())
                        .<Read<ServiceCidrStep>>map(Read.Found::new)
                        .orElseGet(Read.Absent::new));
    }

    private Next act(ServiceCidr cidr, ServiceCidrStep.Written step, Undone work) {
        return switch (send(cidr, step)) {
            case Write.Done<ServiceCidr> done -> {
                LOG.info("ServiceCIDR \"{}\": {}: done", cidr.name(), infinitive(step));
                work.retries().done(step.getClass());
                // What comes next is decided on the object as the watch brings it.
                yield Next.ON_EVENT;
            }
            case Write.NotFound<ServiceCidr> gone -> Next.ON_EVENT;
            case Write.Conflict<ServiceCidr>(String message) -> failed(cidr, step, work, message);
            case Write.Refused<ServiceCidr>(String message) -> failed(cidr, step, work, message);
            case Write.Unknown<ServiceCidr>(String message) -> failed(cidr, step, work, message);
        };
    }

    private Write<ServiceCidr> send(ServiceCidr cidr, ServiceCidrStep.Written step) {
        return switch (step) {
            case ServiceCidrStep.AddFinalizer() -> network.addFinalizer(cidr);
            case ServiceCidrStep.SetReady() -> network.setReady(cidr, ReadyCondition.READY, clock.instant());
            case ServiceCidrStep.SetTerminating by ->
                network.setReady(cidr, ReadyCondition.TERMINATING, clock.instant());
            case ServiceCidrStep.SetAfterAnother first ->
                network.setReady(cidr, ReadyCondition.AFTER_ANOTHER, clock.instant());
            case ServiceCidrStep.SetLastOfItsCidr() ->
                network.setReady(cidr, ReadyCondition.LAST_OF_ITS_CIDR, clock.instant());
            case ServiceCidrStep.RemoveFinalizer() -> network.removeFinalizer(cidr);
        };
    }

    private static String infinitive(ServiceCidrStep step) {
        return switch (step) {
            case ServiceCidrStep.AddFinalizer() -> "add its finalizer";
            case ServiceCidrStep.SetReady() -> "set Ready to True";
            case ServiceCidrStep.SetTerminating(ServiceCidrDeletion.Blocked by) ->
                "set Ready to False while " + by.count() + " IPAddresses are in no other, such as " + by.first();
            case ServiceCidrStep.SetAfterAnother(String first) ->
                "set Ready to False while \"" + first + "\" of the same CIDR goes first";
            case ServiceCidrStep.SetLastOfItsCidr() ->
                "set Ready to False again, because the other ServiceCIDRs of the same CIDR no longer exist";
            case ServiceCidrStep.RemoveFinalizer() -> "remove its finalizer";
            case ServiceCidrStep.Keep keep -> "remove its finalizer";
            case ServiceCidrStep.Wait(Instant until) -> "wait until " + until;
        };
    }

    private Next failed(ServiceCidr cidr, ServiceCidrStep step, Undone work, String message) {
        LOG.warn("ServiceCIDR \"{}\": cannot {}: {}", cidr.name(), infinitive(step), message);
        events.warning(
                new About(apiVersion, "ServiceCIDR", "", cidr.name(), cidr.uid()),
                Reason.KubernetesServiceCIDRError,
                "cannot " + infinitive(step) + ": " + message);
        return again(step, work);
    }

    /** Later, and not before whatever wakes it. */
    private Next again(ServiceCidrStep step, Undone work) {
        work.retries().failed(step.getClass(), step);
        return waiting(steady.instant(), due(work, step));
    }
}
