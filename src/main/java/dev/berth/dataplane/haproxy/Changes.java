package dev.berth.dataplane.haproxy;

import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What HAProxy is to do, and how that changes: in the records, on the host and in HAProxy together, or not at all.
 *
 * <p>Who holds its monitor has HAProxy for himself: nothing is changed meanwhile.
 */
final class Changes {
    private static final Logger LOG = LoggerFactory.getLogger(Changes.class);

    /** After a reload: each leaves a worker behind that lives as long as its connections. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final Records records;
    private final Certificates certificates;
    private final Ports ports;
    private final Addresses addresses;
    private final RecordedAddresses recorded;
    private final Haproxy haproxy;
    private final Rollout rollout;
    private final SequencedMap<String, LoadBalancer> wanted;
    private final Batches<Change> reloads;
    private volatile Consumer<ServiceIdentity> listener = service -> {};

    /**
     * What one call asks for.
     *
     * @param next null: nothing any more
     */
    record Change(
            LoadBalancerRequest request,
            String name,
            @Nullable LoadBalancer next) {
        /** Certificate and key for its ports with TLS; null: it has none. */
        @Nullable String pem() {
            Tls tls = request.tls();
            return next == null || tls == null ? null : Certificates.pem(tls);
        }
    }

    /**
     * A change that is in the records.
     *
     * @param formerPem certificate and key before it; null: there were none
     */
    private record Prepared(Change change, @Nullable String formerPem) {
        String name() {
            return change.name;
        }

        /** Without the key. */
        @Override
        public String toString() {
            return name();
        }
    }

    /**
     * What is changed together.
     *
     * @param addresses those of {@code host}, or what shares them with other hosts
     */
    record Parts(
            Records records,
            Certificates certificates,
            HostAddresses host,
            Addresses addresses,
            Haproxy haproxy,
            Statistics statistics) {}

    /**
     * Nothing is done yet.
     *
     * @param before what HAProxy was to do at last
     * @param later runs what waits
     */
    Changes(Settings settings, SequencedMap<String, LoadBalancer> before, Parts parts, Batches.Later later) {
        this.wanted = new TreeMap<>(before);
        this.records = parts.records();
        this.certificates = parts.certificates();
        this.ports = new Ports(parts.host(), settings.sharing() != null);
        this.addresses = parts.addresses();
        this.recorded = new RecordedAddresses(addresses, records);
        this.haproxy = parts.haproxy();
        this.rollout = new Rollout(
                settings.directory().toString(),
                ports,
                haproxy,
                parts.statistics(),
                new RuntimeChanges(haproxy, certificates));
        this.reloads = new Batches<>(LONGEST_PAUSE, System::nanoTime, later, this::changeAll);
    }

    /** One that another interface has by now is said, and stops nothing else. */
    synchronized void bindAddresses() {
        recorded.begin(addressesOf(wanted));
    }

    /** Takes all addresses off this host; the next process puts them there again. */
    synchronized void releaseAddresses() {
        recorded.release();
    }

    /** All that HAProxy is to do. */
    synchronized List<LoadBalancer> wanted() {
        return List.copyOf(wanted.values());
    }

    /** All that HAProxy was loaded with. */
    synchronized List<LoadBalancer> carried() {
        return List.copyOf(rollout.carried(wanted).values());
    }

    /** Whether HAProxy was loaded with it. */
    synchronized boolean isCarried(LoadBalancer one) {
        return rollout.isCarried(one);
    }

    /** Absent: there is none of this name. */
    synchronized Optional<LoadBalancer> find(String name) {
        return Optional.ofNullable(wanted.get(name));
    }

    /** Has HAProxy do what is wanted, if it does not run, or does something else. */
    synchronized void takeOver() {
        rollout.takeOver(wanted);
    }

    /** Has {@code listener} notified of those that HAProxy carries no more, or again, though nobody asked for that. */
    void onChange(Consumer<ServiceIdentity> listener) {
        this.listener = listener;
    }

    /** Starts HAProxy if it does not run, and deletes servers that nobody is connected to any more. */
    void lookAfter() {
        haproxy.awaitAnswer();
        List<ServiceIdentity> changed = new ArrayList<>();
        try {
            lookAfter(changed);
        } finally {
            changed.forEach(listener);
        }
    }

    /** @param changed gets those that HAProxy carries no more, or again, whether the rest of it fails or not */
    private synchronized void lookAfter(List<ServiceIdentity> changed) {
        LeftOut before = rollout.leftOut();
        try {
            if (!haproxy.isRunning()) {
                LOG.warn("HAProxy does not run, it is started");
                // Somebody may have taken them off the host: HAProxy could not listen.
                bindAddresses();
                rollout.loadWhatCanBe(wanted);
            } else if (rollout.mustGoBack()) {
                rollout.goBack(wanted);
            }
            rollout.lookAfter(wanted);
            haproxy.limitLog();
        } finally {
            rollout.leftOut().differencesFrom(before).stream()
                    .flatMap(name -> Optional.ofNullable(wanted.get(name)).stream())
                    .map(LoadBalancer::identity)
                    .forEach(changed::add);
        }
    }

    synchronized void requireRightful(LoadBalancerRequest request) {
        records.requireLeader(request.clusterName(), request.fencingToken());
        requireSameCluster(request);
    }

    /** Of a cluster that was restored from a backup of another, the Services have the UIDs of the other's. */
    private void requireSameCluster(LoadBalancerRequest request) {
        LoadBalancer one = wanted.get(HaproxyProvider.nameOf(request.service()));
        if (one != null && !one.clusterName().equals(request.clusterName())) {
            throw new ProviderException(
                    "load balancer %s belongs to a Service of cluster %s with the same UID; serve cluster %s by another host"
                            .formatted(one.name(), one.clusterName(), request.clusterName()));
        }
    }

    /** Targets change at once; what HAProxy has to be reloaded for, together with what others ask for. */
    void make(Change change) {
        if (change.next != null || !cleanUpIfGone(change.name)) {
            change(change);
        }
        requireNothingLeft(change.name);
    }

    private synchronized void requireNothingLeft(String name) {
        recorded.requireNothingLeft(name, addressesOf(wanted));
    }

    private void change(Change change) {
        haproxy.awaitAnswer();
        synchronized (this) {
            LoadBalancer former = wanted.get(change.name);
            boolean isAsBefore = former != null && former.equals(change.next) && isCarried(former);
            if (change.next != null && isAsBefore && haproxy.isRunning() && !rollout.isAhead()) {
                // Somebody may have taken them off the host.
                change.next.addresses().forEach(addresses::add);
                return;
            }
            if (change.next != null
                    && former != null
                    && RuntimeChanges.structure(List.of(change.next))
                            .equals(RuntimeChanges.structure(List.of(former)))) {
                together(List.of(change)).requireDone(change);
                return;
            }
        }
        reloads.run(change);
    }

    /** Removes what is left of a load balancer that there is not; false: there is one of this name. */
    private synchronized boolean cleanUpIfGone(String name) {
        if (wanted.containsKey(name)) {
            return false;
        }
        // What a removal that failed has left.
        certificates.put(name, null);
        records.put(name, null);
        recorded.removeOthers(addressesOf(wanted));
        return true;
    }

    /**
     * What came of changes that were made together.
     *
     * @param refused those that could not be prepared, and why
     * @param prepared all others
     * @param reason why HAProxy does not take those; null: it has
     */
    private record Attempt(
            SequencedMap<Change, RuntimeException> refused,
            List<Prepared> prepared,
            @Nullable RuntimeException reason) {
        void requireDone(Change change) {
            RuntimeException why = reason == null ? refused.get(change) : reason;
            if (why != null) {
                throw why;
            }
        }
    }

    /**
     * Makes these changes with one reload at most.
     *
     * @throws ProviderException if HAProxy does not answer; nothing has changed
     */
    private Batches.Came<Change> changeAll(List<Change> changes) {
        haproxy.awaitAnswer();
        Attempt attempt = together(changes);
        return new Batches.Came<>(
                attempt.refused, attempt.prepared.stream().map(Prepared::change).toList(), attempt.reason);
    }

    private synchronized Attempt together(List<Change> changes) {
        // Throws while it hangs: then none is tried, neither together nor alone.
        boolean _ = haproxy.isRunning();
        SequencedMap<Change, RuntimeException> refused = new LinkedHashMap<>();
        SequencedMap<String, LoadBalancer> all = new TreeMap<>(wanted);
        List<Prepared> prepared = new ArrayList<>();
        for (Change change : changes) {
            try {
                prepared.add(prepare(change, all));
            } catch (RuntimeException reason) {
                refused.put(change, reason);
            }
        }
        try {
            rollout.apply(wanted, all, prepared.stream().map(Prepared::name).toList());
        } catch (RuntimeException reason) {
            takeBack(prepared, all);
            return new Attempt(refused, prepared, reason);
        }
        refused.putAll(settle(prepared, all));
        return new Attempt(refused, prepared, null);
    }

    /**
     * Adds a change to what is wanted. Records are written before anything is added, and removed after everything is gone:
     * a crash leaves nothing.
     */
    private Prepared prepare(Change change, SequencedMap<String, LoadBalancer> all) {
        requireRightful(change.request);
        LoadBalancer next = change.next;
        String formerPem = certificates.read(change.name);
        if (next == null) {
            all.remove(change.name);
            return new Prepared(change, formerPem);
        }
        // HAProxy has those of both until it is reloaded.
        List<String> held = Stream.of(addressesOf(all), addressesOf(wanted))
                .flatMap(List::stream)
                .toList();
        List<String> added =
                next.addresses().stream().filter(one -> !held.contains(one)).toList();
        try {
            String pem = change.pem();
            if (pem != null) {
                certificates.put(change.name, pem);
            }
            records.put(next.name(), next);
            recorded.add(next.addresses(), added);
            ports.requireFree(next, all.values(), carried());
        } catch (RuntimeException refused) {
            records.put(next.name(), all.get(next.name()));
            certificates.put(next.name(), formerPem);
            recorded.remove(added);
            throw refused;
        }
        all.put(next.name(), next);
        return new Prepared(change, formerPem);
    }

    private void takeBack(List<Prepared> prepared, SequencedMap<String, LoadBalancer> all) {
        prepared.reversed().forEach(one -> {
            records.put(one.name(), wanted.get(one.name()));
            certificates.put(one.name(), one.formerPem);
        });
        List<String> held = addressesOf(wanted);
        recorded.remove(
                addressesOf(all).stream().filter(one -> !held.contains(one)).toList());
        if (rollout.isAhead()) {
            rollout.goBack(wanted);
        }
    }

    /** HAProxy has taken them; returns those that have an address on the host still that they gave up, and why. */
    private SequencedMap<Change, RuntimeException> settle(
            List<Prepared> prepared, SequencedMap<String, LoadBalancer> all) {
        List<String> held = addressesOf(all);
        SequencedMap<String, String> gone = new TreeMap<>();
        wanted.values()
                .forEach(former -> former.addresses().stream()
                        .filter(one -> !held.contains(one))
                        .forEach(one -> gone.put(one, former.name())));
        wanted.clear();
        wanted.putAll(all);
        for (Prepared one : prepared) {
            LoadBalancer now = all.get(one.name());
            if (now == null) {
                records.put(one.name(), null);
            }
            if (now == null || now.tls() == null) {
                certificates.put(one.name(), null);
            }
        }
        // Last: where it fails, the record of the addresses says what is left.
        SequencedMap<String, RuntimeException> stay = recorded.remove(gone);
        SequencedMap<Change, RuntimeException> refused = new LinkedHashMap<>();
        prepared.stream()
                .filter(one -> stay.containsKey(one.name()))
                .forEach(one -> refused.put(one.change, stay.get(one.name())));
        return refused;
    }

    private static List<String> addressesOf(SequencedMap<String, LoadBalancer> all) {
        return all.values().stream()
                .flatMap(one -> one.addresses().stream())
                .distinct()
                .toList();
    }
}
