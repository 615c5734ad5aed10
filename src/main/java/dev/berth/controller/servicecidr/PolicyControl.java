package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.controller.Backoff;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Next;
import dev.berth.controller.Timer;
import dev.berth.kube.Cache;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.TakenNetworks;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the cluster's Service ranges as the ServiceCIDRPolicy says: how full they are, growth, retirement, and
 * what is wrong; and keeps what ClusterIPReservations ask for, also without a policy. Free of the operator SDK.
 */
public final class PolicyControl implements PolicyReconciler.Control {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyControl.class);

    /** How often the status is written at most, but for an edit: each write is itself an event on the object. */
    private static final Duration WRITE = Duration.ofSeconds(1);

    /** When to look again at a policy that cannot be served. */
    private static final Duration UNSERVED = Duration.ofSeconds(30);

    private final ClusterNetwork network;
    private final BiPredicate<ServiceCIDRPolicy, ServiceCIDRPolicy.Status> statuses;
    private final Events events;
    private final ClusterAddressMetrics metrics;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Timer later;
    private final RangeGrowth growth;
    private final RangeRetirement retirement;
    private final ReservationControl reservations;
    private final DnsReservation dns;
    private final AddressAudit audit;
    private final RetirementEvents retirementEvents;
    private Instant lastWrite = Instant.EPOCH;

    /** Cancels the next look that is due without a policy. */
    private Runnable withoutPolicy = () -> {};

    private final LastReported lastReported = new LastReported();

    private enum Written {
        NOW,
        LATER,
        NOTHING_NEW
    }

    /**
     * @param parts its timer is for what is to be done without a policy
     * @param apiVersion of the ServiceCIDRs, for events on them
     * @param statuses writes a status; false: it has to be tried again
     */
    public PolicyControl(
            LoopParts parts,
            String apiVersion,
            ClusterNetwork network,
            BiPredicate<ServiceCIDRPolicy, ServiceCIDRPolicy.Status> statuses,
            ReservationStatuses reservationStatuses,
            ClusterAddressMetrics metrics) {
        this.network = network;
        this.statuses = statuses;
        this.events = parts.events();
        this.metrics = metrics;
        this.clock = parts.timing().clock();
        this.steady = parts.timing().steady();
        this.later = parts.timing().later();
        Caches caches = parts.caches();
        Backoff backoff = parts.timing().backoff();
        growth = new RangeGrowth(network, () -> TakenNetworks.of(caches), backoff, steady);
        retirement = new RangeRetirement(caches, network, backoff, clock, steady);
        reservations = new ReservationControl(caches, network, reservationStatuses, backoff, steady);
        dns = new DnsReservation(caches, network, steady);
        audit = new AddressAudit(caches, network, clock, steady);
        retirementEvents = new RetirementEvents(apiVersion, events);
    }

    /** An IPAddress is gone. */
    public void released(ClusterIp before) {
        reservations.released(before);
    }

    @Override
    public synchronized Next reconcile(Cache<ServiceCIDRPolicy> policies, String name) {
        withoutPolicy.run();
        Optional<ServiceCIDRPolicy> found = policies.get(null, name);
        if (found.isEmpty()) {
            lastReported.forget();
            metrics.forget();
            retirementEvents.tellWithoutPolicy(network.serviceCidrs());
            // Also if what follows throws: nobody is there to try it again.
            Optional<Instant> again = Optional.of(steady.instant().plus(UNSERVED));
            try {
                again = reservations.keepAlone(true);
            } finally {
                again.ifPresent(at -> lookAgain(at, policies, name));
            }
            return Next.ON_EVENT;
        }
        ServiceCIDRPolicy policy = found.get();
        Optional<String> unreadable = Policies.fault(policy);
        if (unreadable.isPresent()) {
            write(policy, NotServed.status(policy, Reason.Unreadable, unreadable.get(), clock.instant()));
            return Next.after(
                    untilFirst(Stream.of(Optional.of(steady.instant().plus(UNSERVED)), reservations.keepAlone(false))));
        }
        Optional<String> blind = network.watchClusterIps();
        if (blind.isPresent()) {
            write(policy, NotServed.status(policy, Reason.CannotWatch, blind.get(), clock.instant()));
            return Next.after(until(reservations.cannotWatch(blind.get())));
        }
        return serve(policy);
    }

    /** Nobody is told once more of a policy that is not there, so what is to be done later is begun from here. */
    private void lookAgain(Instant at, Cache<ServiceCIDRPolicy> policies, String name) {
        withoutPolicy = later.after(until(at), () -> {
            synchronized (this) {
                if (policies.get(null, name).isEmpty()) {
                    reconcile(policies, name);
                }
            }
        });
    }

    private Next serve(ServiceCIDRPolicy policy) {
        Instant now = clock.instant();
        ServiceCIDRPolicy.Spec spec = policy.getSpec();
        List<ServiceCidr> cidrs = network.serviceCidrs();
        Usage usage = network.askClusterIps(ips -> {
            ips.track(Usage.tracked(cidrs));
            return Usage.of(cidrs, ips);
        });
        List<UsageSample> history = Forecast.record(PolicyStatus.history(policy.getStatus()), usage, now);
        ReservationControl.Kept kept = reservations.keep(dns.of(spec, usage), cidrs);
        List<RangeGrowth.Outcome> grown = growth.grow(spec, cidrs);
        List<RangeRetirement.Outcome> retired = retirement.retire(cidrs, growth::room);
        retirementEvents.tell(retired);
        List<Finding> findings = audit.look(cidrs);
        PolicyStatus.Look look = new PolicyStatus.Look(now, usage, history, grown, retired, kept.others(), findings);
        metrics.used(look.usage(), look.forecast());
        metrics.found(look.findings());
        Written written = tell(policy, look);
        return Next.after(
                written == Written.LATER
                        ? WRITE
                        : untilFirst(Stream.of(
                                Optional.of(audit.again()), growth.again(), retirement.again(), kept.again())));
    }

    /** How long it is until the first of these, of which one is there. */
    private Duration untilFirst(Stream<Optional<Instant>> times) {
        return until(Next.earliest(times).orElseThrow());
    }

    /** How long it is until then; at least a moment. */
    private Duration until(Instant time) {
        Duration delay = Duration.between(steady.instant(), time);
        return delay.compareTo(WRITE) < 0 ? WRITE : delay;
    }

    private Written tell(ServiceCIDRPolicy policy, PolicyStatus.Look look) {
        List<Condition> before = Conditions.of(policy.getStatus());
        List<PolicyConditions.Report> reports = new PolicyConditions(policy.getSpec(), look).reports();
        List<Condition> conditions = new ArrayList<>();
        List<Condition> deciding = new ArrayList<>();
        for (PolicyConditions.Report one : reports) {
            Condition condition = condition(policy, one, look.at());
            conditions.add(condition);
            if (PolicyConditions.decides(one)) {
                deciding.add(condition);
            }
        }
        conditions.add(Conditions.ready(before, deciding, policy.getMetadata().getGeneration(), look.at()));
        ServiceCIDRPolicy.Status now =
                new PolicyStatus(look).of(policy.getMetadata().getGeneration(), conditions);
        lastReported.retain(reports);
        for (PolicyConditions.Report report : reports) {
            if (lastReported.note(before, report)) {
                event(policy, report);
            }
        }
        return write(policy, now);
    }

    private static Condition condition(ServiceCIDRPolicy policy, PolicyConditions.Report report, Instant at) {
        return Conditions.of(
                Conditions.of(policy.getStatus()),
                report.type(),
                report.status(),
                report.reason(),
                report.message(),
                policy.getMetadata().getGeneration(),
                at);
    }

    private void event(ServiceCIDRPolicy policy, PolicyConditions.Report report) {
        if (report.bad()) {
            LOG.warn(
                    "ServiceCIDRPolicy \"{}\": {}: {}",
                    policy.getMetadata().getName(),
                    report.reason(),
                    report.message());
            events.warning(About.object(policy), report.reason(), report.message());
        } else if (report.reason() == Reason.RangeCreated || report.reason() == Reason.RangeDraining) {
            events.normal(About.object(policy), report.reason(), report.message());
        }
    }

    /** Writes what differs, but no more often than {@link #WRITE} without an edit. */
    private Written write(ServiceCIDRPolicy policy, ServiceCIDRPolicy.Status status) {
        if (status.equals(policy.getStatus())) {
            return Written.NOTHING_NEW;
        }
        boolean edited = policy.getStatus() == null
                || !Objects.equals(
                        policy.getStatus().observedGeneration(),
                        policy.getMetadata().getGeneration());
        Instant now = steady.instant();
        if (!edited && now.isBefore(lastWrite.plus(WRITE))) {
            return Written.LATER;
        }
        lastWrite = now;
        return statuses.test(policy, status) ? Written.NOW : Written.LATER;
    }
}
