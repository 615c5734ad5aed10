package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import io.prometheus.client.Collector;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the TCP ports of Services with a HAProxy on this host: to the node ports of the cluster's nodes, or straight
 * to pods. Addresses come from Berth's pools and are put onto an interface of this host.
 *
 * <p>Targets come and go by HAProxy's runtime API. It is reloaded only for ports, addresses and settings; connections
 * live on in the former worker, for up to 15 minutes.
 */
public final class HaproxyProvider implements LoadBalancerProvider {
    /** What a LoadBalancerClass calls it. */
    public static final String NAME = "haproxy";

    private static final Logger LOG = LoggerFactory.getLogger(HaproxyProvider.class);
    private static final Pattern NOT_IN_A_NAME = Pattern.compile("[^A-Za-z0-9-]");
    private static final long LOOK_AGAIN_MILLIS = 500;

    /** After so many HAProxy is no good: another host may have the addresses. */
    private static final int BAD_LOOKS = 2;

    private static final Duration FIRST_CHECKS = Duration.ofSeconds(1);

    /** After a reload: each leaves a worker behind that lives as long as its connections. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    /** For finding out which of several changes HAProxy does not take. */
    private static final Duration ONE_BY_ONE = Duration.ofSeconds(10);

    private final Capabilities capabilities;
    private final String directory;
    private final Records records;
    private final Certificates certificates;
    private final HostAddresses host;
    private final Addresses addresses;
    private final boolean sharesAddresses;
    private final Haproxy haproxy;
    private final SequencedMap<String, LoadBalancer> wanted;
    /** Servers that get no new connections, and are deleted when the last one ends: backend/server. */
    private final SequencedSet<String> leaving = new LinkedHashSet<>();

    private final Statistics statistics = new Statistics();

    /** Of the supervisor's last look; empty: none. */
    private String failure = "";

    /** How many of the supervisor's looks at HAProxy have failed, one after the other. */
    private volatile int badLooks = BAD_LOOKS;

    private final ScheduledExecutorService supervisor = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("haproxy-supervisor").factory());

    private final Batches<Change> reloads =
            new Batches<>(LONGEST_PAUSE, System::nanoTime, this::later, this::changeAll);

    /**
     * What one call asks for.
     *
     * @param next null: nothing any more
     */
    private record Change(
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

    private void later(Runnable what, Duration delay) {
        ScheduledFuture<?> _ = supervisor.schedule(what, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Takes over what an earlier process has left, and starts HAProxy if it does not run.
     *
     * @param settings {@code directory}, {@code binary}, {@code interface}, {@code targets}; see {@link Settings}
     * @throws ProviderException if a setting is wrong, or HAProxy cannot work here
     */
    public HaproxyProvider(Map<String, String> settings) {
        Settings read = Settings.of(settings);
        haproxy = new Haproxy(read.directory(), read.binary());
        capabilities = Capabilities.fromPools(IpMode.PROXY)
                .withTargets(read.targets())
                .withProtocols(Protocol.TCP)
                .withFeatures(features(haproxy.hasTls()));
        records = new Records(read.directory());
        certificates = new Certificates(read.directory());
        host = new HostAddresses(read.networkInterface());
        directory = read.directory().toString();
        wanted = records.loadBalancers();
        wanted.replaceAll((name, one) -> certificates.asStored(one));
        certificates.retain(wanted.values());
        SharedAddresses shared = read.sharing() == null
                ? null
                : new SharedAddresses(
                        host,
                        read.networkInterface(),
                        read.sharing(),
                        records.identity(),
                        records.addresses(),
                        () -> badLooks < BAD_LOOKS);
        addresses = shared == null ? host : shared;
        sharesAddresses = shared != null;
        bindAddresses();
        if (shared != null) {
            shared.begin();
        }
        takeOver();
        ScheduledFuture<?> _ = supervisor.scheduleWithFixedDelay(
                this::supervise, LOOK_AGAIN_MILLIS, LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static Feature[] features(boolean tls) {
        List<Feature> features = new ArrayList<>(List.of(
                Feature.SOURCE_RANGES, Feature.SESSION_AFFINITY, Feature.LOCAL_TRAFFIC_POLICY, Feature.LISTING));
        if (tls) {
            features.add(Feature.TLS_TERMINATION);
        }
        return features.toArray(Feature[]::new);
    }

    /** One that another interface has by now is said, and stops nothing else. */
    private void bindAddresses() {
        List<String> all = addressesOf(wanted);
        records.addresses().stream().filter(former -> !all.contains(former)).forEach(addresses::remove);
        for (String address : all) {
            try {
                addresses.add(address);
            } catch (ProviderException refused) {
                LOG.error("{}", refused.getMessage());
            }
        }
        records.putAddresses(all);
    }

    private void takeOver() {
        try {
            String configuration = configuration(wanted);
            if (!haproxy.isRunning() || !configuration.equals(haproxy.configuration())) {
                haproxy.load(configuration, wanted.values());
            }
            badLooks = 0;
        } catch (ProviderException later) {
            logOnce(later);
        }
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return "a"
                + NOT_IN_A_NAME
                        .matcher(service.uid())
                        .replaceAll(other -> "_%x_".formatted(other.group().codePointAt(0)));
    }

    @Override
    public synchronized Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        if (!haproxy.isRunning()) {
            throw new ProviderException("HAProxy does not run; Berth starts it again");
        }
        return Optional.ofNullable(wanted.get(getLoadBalancerName(request.service())))
                .filter(one -> one.clusterName().equals(request.clusterName()))
                .filter(one -> one.isWhole() && !one.addresses().isEmpty())
                .filter(one -> one.addresses().stream().allMatch(addresses::has))
                .map(this::status);
    }

    /** Waits a moment, without the lock, for the first health checks: before, no node gets a connection. */
    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        LoadBalancer made = put(request);
        Haproxy.comesTrue(
                () -> made.ports().stream().allMatch(port -> isDecided(made, port))
                        && made.addresses().stream().allMatch(addresses::isBound),
                FIRST_CHECKS);
        if (Thread.currentThread().isInterrupted()) {
            throw new ProviderException("interrupted");
        }
        List<String> nowhere = made.addresses().stream()
                .filter(address -> !addresses.isBound(address))
                .toList();
        return nowhere.isEmpty()
                ? EnsureOutcome.ready(statusOf(made))
                : EnsureOutcome.pending(
                        FIRST_CHECKS, "no host has " + String.join(", ", nowhere) + " yet; the hosts' logs say why");
    }

    private synchronized LoadBalancerStatus statusOf(LoadBalancer one) {
        return status(one);
    }

    private boolean isDecided(LoadBalancer one, ListenPort port) {
        try {
            return port.targets().stream().noneMatch(Target::startsDown)
                    || ServerState.isDecided(haproxy.runtime("show servers state " + one.proxy(port)));
        } catch (ProviderException reloading) {
            return false;
        }
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        String name = getLoadBalancerName(request.service());
        synchronized (this) {
            if (!wanted.containsKey(name)) {
                throw new ProviderException("there is no load balancer " + name + " to update");
            }
        }
        put(request);
    }

    private LoadBalancer put(LoadBalancerRequest request) {
        requireRightful(request);
        if (request.addresses().isEmpty()) {
            throw new ProviderException("Service " + request.service().namespace() + "/"
                    + request.service().name() + " has no address to listen on");
        }
        LoadBalancer next = LoadBalancer.of(getLoadBalancerName(request.service()), request);
        make(new Change(request, next.name(), next));
        return next;
    }

    private synchronized void requireRightful(LoadBalancerRequest request) {
        records.requireLeader(request.clusterName(), request.fencingToken());
        requireSameCluster(request);
    }

    /** Of a cluster that was restored from a backup of another, the Services have the UIDs of the other's. */
    private void requireSameCluster(LoadBalancerRequest request) {
        LoadBalancer one = wanted.get(getLoadBalancerName(request.service()));
        if (one != null && !one.clusterName().equals(request.clusterName())) {
            throw new ProviderException(
                    "load balancer %s belongs to a Service of cluster %s with the same UID; serve cluster %s by another host"
                            .formatted(one.name(), one.clusterName(), request.clusterName()));
        }
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        requireRightful(request);
        make(new Change(request, getLoadBalancerName(request.service()), null));
    }

    @Override
    public synchronized List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        return wanted.values().stream()
                .filter(one -> one.clusterName().equals(clusterName))
                .map(one -> new ListedLoadBalancer(
                        one.name(), new ServiceIdentity(one.namespace(), one.service(), one.uid())))
                .toList();
    }

    /** Targets change at once; what HAProxy has to be reloaded for, together with what others ask for. */
    private void make(Change change) {
        synchronized (this) {
            LoadBalancer former = wanted.get(change.name);
            if (change.next == null && former == null) {
                // What a removal that failed has left.
                certificates.put(change.name, null);
                records.put(change.name, null);
                List<String> all = addressesOf(wanted);
                remove(records.addresses().stream()
                        .filter(one -> !all.contains(one))
                        .toList());
                return;
            }
            if (change.next != null && change.next.equals(former) && haproxy.isRunning()) {
                // Somebody may have taken them off the host.
                change.next.addresses().forEach(addresses::add);
                return;
            }
            if (change.next != null
                    && former != null
                    && structure(List.of(change.next)).equals(structure(List.of(former)))) {
                RuntimeException refused = changeAll(List.of(change)).get(change);
                if (refused != null) {
                    throw refused;
                }
                return;
            }
        }
        reloads.run(change);
    }

    /**
     * Makes these changes with one reload at most. If HAProxy refuses them together, each is tried alone.
     *
     * @return those that were refused, and why
     * @throws ProviderException if HAProxy does not answer; nothing has changed
     */
    private synchronized SequencedMap<Change, RuntimeException> changeAll(List<Change> changes) {
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
            apply(all);
        } catch (RuntimeException reason) {
            takeBack(prepared, all);
            refused.putAll(oneByOne(prepared.stream().map(Prepared::change).toList(), reason));
            return refused;
        }
        settle(prepared, all);
        return refused;
    }

    private SequencedMap<Change, RuntimeException> oneByOne(List<Change> changes, RuntimeException together) {
        SequencedMap<Change, RuntimeException> refused = new LinkedHashMap<>();
        long end = System.nanoTime() + ONE_BY_ONE.toNanos();
        for (Change change : changes) {
            if (changes.size() == 1 || System.nanoTime() > end) {
                refused.put(change, together);
            } else {
                refused.putAll(changeAll(List.of(change)));
            }
        }
        return refused;
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
            records.putAddresses(Stream.of(records.addresses(), added)
                    .flatMap(List::stream)
                    .distinct()
                    .toList());
            next.addresses().forEach(addresses::add);
            requireFreePorts(next, all.values());
        } catch (RuntimeException refused) {
            records.put(next.name(), all.get(next.name()));
            certificates.put(next.name(), formerPem);
            remove(added);
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
        remove(addressesOf(all).stream().filter(one -> !held.contains(one)).toList());
    }

    private void settle(List<Prepared> prepared, SequencedMap<String, LoadBalancer> all) {
        List<String> held = addressesOf(all);
        List<String> gone =
                addressesOf(wanted).stream().filter(one -> !held.contains(one)).toList();
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
        remove(gone);
    }

    /** From the host, and from the record of those that are on it. */
    private void remove(List<String> some) {
        some.forEach(addresses::remove);
        records.putAddresses(
                records.addresses().stream().filter(one -> !some.contains(one)).toList());
    }

    private static List<String> addressesOf(SequencedMap<String, LoadBalancer> all) {
        return all.values().stream()
                .flatMap(one -> one.addresses().stream())
                .distinct()
                .toList();
    }

    /** An address that another host has cannot be tried; HAProxy does, and refuses. */
    private void requireFreePorts(LoadBalancer next, Collection<LoadBalancer> others) {
        for (String address : next.addresses().stream().filter(host::has).toList()) {
            for (ListenPort port : next.ports()) {
                boolean isOthers =
                        others.stream().anyMatch(one -> !one.name().equals(next.name()) && listens(one, address, port));
                // HAProxy goes on listening until it is reloaded, also for one that leaves the port in the same batch.
                if (isOthers || wanted.values().stream().noneMatch(one -> listens(one, address, port))) {
                    requireFree(address, port.port());
                }
            }
        }
    }

    private static boolean listens(LoadBalancer one, String address, ListenPort port) {
        return one.addresses().contains(address) && one.ports().stream().anyMatch(other -> other.port() == port.port());
    }

    private static void requireFree(String address, int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
        } catch (IOException taken) {
            throw new ProviderException(
                    "port %d of %s cannot be listened on, is another program of this host there? %s"
                            .formatted(port, address, taken.getMessage()),
                    null,
                    taken);
        }
    }

    private void apply(SequencedMap<String, LoadBalancer> all) {
        String configuration = configuration(all);
        if (configuration.equals(haproxy.configuration()) && haproxy.isRunning()) {
            return;
        }
        boolean onlyTargets = haproxy.isRunning() && structure(all.values()).equals(structure(wanted.values()));
        if (onlyTargets && changeTargets(all) && changeCertificates(all)) {
            haproxy.note(configuration);
        } else {
            noteStatistics();
            haproxy.load(configuration, all.values());
            leaving.clear();
        }
    }

    private String configuration(SequencedMap<String, LoadBalancer> all) {
        try {
            return Configuration.of(directory, all.values(), sharesAddresses);
        } catch (IllegalArgumentException odd) {
            throw new ProviderException(String.valueOf(odd.getMessage()), null, odd);
        }
    }

    /** All that the runtime API cannot change. */
    private static List<Object> structure(Collection<LoadBalancer> all) {
        List<Object> structure = new ArrayList<>();
        all.forEach(one -> {
            structure.add(one.withoutTargets());
            one.ports()
                    .forEach(port -> structure.add(port.targets().stream()
                            .map(target -> String.valueOf(target.checkPath()))
                            .findFirst()));
        });
        return structure;
    }

    /** Whether the runtime API has done all of it. */
    private boolean changeTargets(Map<String, LoadBalancer> all) {
        for (LoadBalancer next : all.values()) {
            LoadBalancer former = wanted.get(next.name());
            for (int i = 0; former != null && i < next.ports().size(); i++) {
                if (!changeTargets(next, former.ports().get(i), next.ports().get(i))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The same of certificates. */
    private boolean changeCertificates(Map<String, LoadBalancer> all) {
        return all.values().stream()
                .filter(next -> next.tls() != null
                        && !next.tls()
                                .equals(Objects.requireNonNull(wanted.get(next.name()))
                                        .tls()))
                .allMatch(next -> haproxy.showCertificate(
                        certificates.file(next.name()), Objects.requireNonNull(certificates.read(next.name()))));
    }

    private boolean changeTargets(LoadBalancer one, ListenPort former, ListenPort next) {
        for (Target target : former.targets()) {
            if (!next.targets().contains(target)
                    && (!remove(one.proxy(former) + "/" + target.server())
                            || (one.usesAllIfAllFail() && !remove(one.unchecked(former) + "/" + target.server())))) {
                return false;
            }
        }
        deleteLeaving();
        for (Target target : next.targets()) {
            if (!former.targets().contains(target)
                    && (!addChecked(one, one.proxy(next) + "/" + target.server(), target)
                            || (one.usesAllIfAllFail()
                                    && !addUnchecked(one, one.unchecked(next) + "/" + target.server(), target)))) {
                return false;
            }
        }
        return true;
    }

    private boolean remove(String server) {
        leaving.add(server);
        return silently("set server " + server + " state maint");
    }

    private boolean add(String server, List<String> words) {
        // One that is leaving still has connections, and maybe another health check.
        return !leaving.contains(server)
                && haproxy.runtime("add server " + server + " " + String.join(" ", words))
                        .contains("registered");
    }

    private boolean addUnchecked(LoadBalancer one, String server, Target target) {
        return add(server, Configuration.uncheckedServer(one.parameters(), target))
                && silently("set server " + server + " state ready");
    }

    private boolean addChecked(LoadBalancer one, String server, Target target) {
        return add(server, Configuration.server(one.parameters(), target))
                && silently("enable health " + server)
                // Draining it gets no connection, so that there is no moment in which it counts as up.
                && (!target.startsDown()
                        || (silently("set server " + server + " state drain")
                                && silently("set server " + server + " health down")))
                && silently("set server " + server + " state ready");
    }

    private boolean silently(String command) {
        String answer = haproxy.runtime(command);
        if (!answer.isEmpty()) {
            LOG.warn("HAProxy: {}: {}", command, answer);
        }
        return answer.isEmpty();
    }

    private void deleteLeaving() {
        leaving.removeIf(server -> haproxy.runtime("del server " + server).contains("deleted"));
    }

    /** HAProxy's statistics by Service, as they are at each scrape. */
    public Collector metrics() {
        return new HaproxyMetrics(this::statistics);
    }

    /** Before a reload: a worker without connections ends with it. */
    private void noteStatistics() {
        try {
            statistics.note(haproxy.statistics(), wanted.values());
        } catch (ProviderException notRunning) {
            LOG.debug("what HAProxy has counted is not known: {}", notRunning.getMessage());
        }
    }

    private synchronized List<Statistics.OfPort> statistics() {
        if (!haproxy.isRunning()) {
            throw new ProviderException("HAProxy does not run");
        }
        return statistics.of(wanted.values(), haproxy.statistics(), haproxy.runtime("show stat -1 4 -1"));
    }

    /** Stops looking after HAProxy, which goes on. Addresses that another host can have are handed over. */
    @Override
    public void close() {
        supervisor.close();
        addresses.close();
    }

    private synchronized void supervise() {
        try {
            if (!haproxy.isRunning()) {
                LOG.warn("HAProxy does not run, it is started");
                haproxy.load(configuration(wanted), wanted.values());
                leaving.clear();
            } else if (!leaving.isEmpty()) {
                deleteLeaving();
            }
            haproxy.limitLog();
            failure = "";
            badLooks = 0;
        } catch (RuntimeException | Error failed) {
            // Also where no thread or no memory is left: it must go on looking, and let another host have the
            // addresses.
            badLooks = Math.min(badLooks + 1, BAD_LOOKS);
            logOnce(failed);
        }
    }

    private void logOnce(Throwable failed) {
        String message = String.valueOf(failed.getMessage());
        if (!message.equals(failure)) {
            LOG.error("looking after HAProxy: {}", message);
        }
        failure = message;
    }

    /** With the lock, so that HAProxy is not being reloaded. */
    private LoadBalancerStatus status(LoadBalancer one) {
        return new LoadBalancerStatus(one.addresses().stream()
                        .map(ip -> Ingress.ofIp(ip, IpMode.PROXY))
                        .toList())
                .withTargets(ServerState.health(one, proxy -> haproxy.runtime("show servers state " + proxy)));
    }
}
