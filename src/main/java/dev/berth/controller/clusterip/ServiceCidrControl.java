package dev.berth.controller.clusterip;

import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterIps;
import dev.berth.clusterip.ReadyCondition;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.clusterip.ServiceCidrDeletion;
import dev.berth.clusterip.ServiceCidrStep;
import dev.berth.clusterip.Usage;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ServiceCIDR controller, as kube-controller-manager has it: the finalizer, the condition {@code Ready}, and the end
 * of a range that nobody needs. Free of the operator SDK.
 */
public final class ServiceCidrControl {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceCidrControl.class);

    /** How long work stays undone before another than its controller does it. */
    static final Duration UNDONE = Duration.ofSeconds(60);

    /** When to do it. */
    public enum Mode {
        /** Leave it to kube-controller-manager. */
        Never,
        /** Do what nobody did for a minute. */
        Auto,
        /** There is no other. */
        Always
    }

    /** What is to be done of one object, each since when. */
    private record Undone(String uid, Map<Class<? extends ServiceCidrStep>, Instant> since) {
        /** The same of what is to be done now; what was not to be done before is so since now. */
        static Undone of(ServiceCidr cidr, List<ServiceCidrStep> steps, @Nullable Undone before, Instant now) {
            Map<Class<? extends ServiceCidrStep>, Instant> known =
                    before != null && before.uid().equals(cidr.uid()) ? before.since() : Map.of();
            Map<Class<? extends ServiceCidrStep>, Instant> since = new HashMap<>();
            steps.forEach(step -> since.put(step.getClass(), known.getOrDefault(step.getClass(), now)));
            return new Undone(cidr.uid(), since);
        }
    }

    private final Mode mode;
    private final String apiVersion;
    private final ClusterNetwork network;
    private final Events events;
    private final Backoff backoff;
    private final InstantSource clock;
    private final Map<String, Undone> undone = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    /**
     * Wires it.
     *
     * @param apiVersion of the ServiceCIDRs, for events on them
     */
    public ServiceCidrControl(
            Mode mode, String apiVersion, ClusterNetwork network, Events events, Backoff backoff, InstantSource clock) {
        this.mode = mode;
        this.apiVersion = apiVersion;
        this.network = network;
        this.events = events;
        this.backoff = backoff;
        this.clock = clock;
    }

    /** The ServiceCIDRs that wait for addresses to be given back, or for a range that has them too. */
    public List<String> terminating() {
        return network.serviceCidrs().stream()
                .filter(ServiceCidr::isTerminating)
                .map(ServiceCidr::name)
                .toList();
    }

    /** Does what is to be done of the ServiceCIDR of this name, if it is for us to do. */
    public Next reconcile(String name) {
        if (mode == Mode.Never) {
            return Next.ON_EVENT;
        }
        Optional<String> blind = network.watchClusterIps();
        if (blind.isPresent()) {
            LOG.warn("ServiceCIDRs are not looked after: {}", blind.get());
            return again(name);
        }
        List<ServiceCidr> all = network.serviceCidrs();
        Optional<ServiceCidr> found = named(name, all);
        List<ServiceCidrStep> wanted = found.map(cidr -> network.askClusterIps(ips -> {
                    ips.track(Usage.tracked(all));
                    return steps(cidr, all, ips);
                }))
                .orElse(List.of());
        if (wanted.isEmpty()) {
            undone.remove(name);
            failures.remove(name);
            return Next.ON_EVENT;
        }
        return next(found.orElseThrow(), wanted);
    }

    private Next next(ServiceCidr cidr, List<ServiceCidrStep> steps) {
        Map<Class<? extends ServiceCidrStep>, Instant> since = undoneSince(cidr, steps);
        ServiceCidrStep step = steps.getFirst();
        if (step instanceof ServiceCidrStep.Wait(Instant until)) {
            return Next.after(Duration.between(clock.instant(), until));
        }
        if (mode == Mode.Auto) {
            Instant due = since.getOrDefault(step.getClass(), clock.instant()).plus(UNDONE);
            if (clock.instant().isBefore(due)) {
                return Next.after(Duration.between(clock.instant(), due));
            }
        }
        boolean needsProof = mode == Mode.Auto || step instanceof ServiceCidrStep.RemoveFinalizer;
        return needsProof && !isStillToDo(cidr, step) ? again(cidr.name()) : act(cidr, step);
    }

    /** Whatever it would say of the addresses that are left. */
    private static boolean isSame(ServiceCidrStep one, ServiceCidrStep other) {
        return one.getClass() == other.getClass();
    }

    private List<ServiceCidrStep> steps(ServiceCidr cidr, List<ServiceCidr> all, ClusterIps ips) {
        return ServiceCidrStep.of(cidr, all, ips, clock.instant());
    }

    private static Optional<ServiceCidr> named(String name, List<ServiceCidr> all) {
        return all.stream().filter(cidr -> cidr.name().equals(name)).findFirst();
    }

    private Map<Class<? extends ServiceCidrStep>, Instant> undoneSince(ServiceCidr cidr, List<ServiceCidrStep> steps) {
        return undone.merge(
                        cidr.name(),
                        Undone.of(cidr, steps, null, clock.instant()),
                        (before, now) -> Undone.of(cidr, steps, before, clock.instant()))
                .since();
    }

    /** Asks the API server itself: a cache may lag behind, and an address be lost by it. */
    private boolean isStillToDo(ServiceCidr seen, ServiceCidrStep step) {
        if (!(network.readServiceCidrs() instanceof Read.Found<List<ServiceCidr>>(List<ServiceCidr> all))
                || !(network.readClusterIps() instanceof Read.Found<List<ClusterIp>>(List<ClusterIp> taken))) {
            return false;
        }
        ClusterIps ips = new ClusterIps();
        ips.replaceAll(taken);
        return named(seen.name(), all)
                .filter(now -> now.uid().equals(seen.uid()))
                .flatMap(now -> steps(now, all, ips).stream().findFirst())
                .filter(now -> isSame(step, now))
                .isPresent();
    }

    private Next act(ServiceCidr cidr, ServiceCidrStep step) {
        return switch (send(cidr, step)) {
            case Write.Done<ServiceCidr> done -> {
                LOG.info("ServiceCIDR \"{}\": {}: done", cidr.name(), infinitive(step));
                failures.remove(cidr.name());
                // What comes next is decided on the object as the watch brings it.
                yield Next.ON_EVENT;
            }
            case Write.NotFound<ServiceCidr> gone -> Next.ON_EVENT;
            case Write.Conflict<ServiceCidr>(String message) -> failed(cidr, step, message);
            case Write.Refused<ServiceCidr>(String message) -> failed(cidr, step, message);
            case Write.Unknown<ServiceCidr>(String message) -> failed(cidr, step, message);
        };
    }

    private Write<ServiceCidr> send(ServiceCidr cidr, ServiceCidrStep step) {
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
            case ServiceCidrStep.Wait wait -> throw new IllegalStateException("there is nothing to send: " + wait);
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
                "set Ready to False anew, as the other ServiceCIDRs of the same CIDR are gone";
            case ServiceCidrStep.RemoveFinalizer() -> "remove its finalizer";
            case ServiceCidrStep.Wait(Instant until) -> "wait until " + until;
        };
    }

    private Next failed(ServiceCidr cidr, ServiceCidrStep step, String message) {
        LOG.warn("ServiceCIDR \"{}\": cannot {}: {}", cidr.name(), infinitive(step), message);
        events.warning(
                new About(apiVersion, "ServiceCIDR", "", cidr.name(), cidr.uid()),
                "KubernetesServiceCIDRError",
                "cannot " + infinitive(step) + ": " + message);
        return again(cidr.name());
    }

    private Next again(String name) {
        return Next.after(backoff.after(failures.merge(name, 1, Integer::sum)));
    }
}
