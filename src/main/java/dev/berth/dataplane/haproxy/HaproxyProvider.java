package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.Changes.Change;
import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.dataplane.haproxy.Settings.AtExit;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import io.prometheus.client.Collector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

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

    private static final Pattern NOT_IN_A_NAME = Pattern.compile("[^A-Za-z0-9-]");

    private static final Duration FIRST_CHECKS = Duration.ofSeconds(1);

    private final Settings settings;
    private final Capabilities capabilities;
    private final Addresses addresses;
    private final Haproxy haproxy;
    private final Changes changes;
    private final Statistics statistics = new Statistics();

    private final Supervisor supervisor = new Supervisor(this::runs, this::lookAfter);

    /**
     * Takes over what an earlier process has left, and starts HAProxy if it does not run.
     *
     * @param settings {@code directory}, {@code binary}, {@code interface}, {@code targets}; see {@link Settings}
     * @throws ProviderException if a setting is wrong, or HAProxy cannot work here
     */
    public HaproxyProvider(Map<String, String> settings) {
        Settings read = Settings.of(settings);
        this.settings = read;
        haproxy = new Haproxy(read.directory(), read.binary());
        capabilities = Capabilities.fromPools(IpMode.PROXY)
                .withTargets(read.targets())
                .withProtocols(Protocol.TCP)
                .withFeatures(features(haproxy.hasTls()));
        Records records = new Records(read.directory());
        Certificates certificates = new Certificates(read.directory());
        HostAddresses host = new HostAddresses(read.networkInterface());
        SequencedMap<String, LoadBalancer> recorded = records.loadBalancers();
        recorded.replaceAll((name, one) -> certificates.asStored(one));
        certificates.retain(recorded.values());
        SharedAddresses shared = read.sharing() == null
                ? null
                : new SharedAddresses(host, read.sharing(), records.identity(), records.addresses(), supervisor::works);
        addresses = shared == null ? host : shared;
        changes = new Changes(
                read,
                recorded,
                new Changes.Parts(records, certificates, host, addresses, haproxy, statistics),
                supervisor::later);
        changes.bindAddresses();
        if (shared != null) {
            shared.begin();
        }
        supervisor.begin(changes::takeOver);
    }

    private boolean runs() {
        return haproxy.look();
    }

    private void lookAfter() {
        changes.lookAfter();
    }

    private static Feature[] features(boolean tls) {
        List<Feature> features = new ArrayList<>(List.of(
                Feature.SOURCE_RANGES, Feature.SESSION_AFFINITY, Feature.LOCAL_TRAFFIC_POLICY, Feature.LISTING));
        if (tls) {
            features.add(Feature.TLS_TERMINATION);
        }
        return features.toArray(Feature[]::new);
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return nameOf(service);
    }

    static String nameOf(ServiceIdentity service) {
        return "a"
                + NOT_IN_A_NAME
                        .matcher(service.uid())
                        .replaceAll(other -> "_%x_".formatted(other.group().codePointAt(0)));
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        haproxy.awaitAnswer();
        synchronized (changes) {
            if (!haproxy.isRunning()) {
                throw new ProviderException("HAProxy does not run; Berth starts it again");
            }
            return changes.find(nameOf(request.service()))
                    .filter(one -> one.clusterName().equals(request.clusterName()))
                    .filter(one -> changes.isCarried(one)
                            && one.isWhole()
                            && !one.addresses().isEmpty())
                    .filter(one -> one.addresses().stream().allMatch(addresses::has))
                    .map(this::status);
        }
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
                        FIRST_CHECKS, "no host has " + String.join(", ", nowhere) + " yet; see the logs of the hosts");
    }

    private LoadBalancerStatus statusOf(LoadBalancer one) {
        synchronized (changes) {
            return status(one);
        }
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
        String name = nameOf(request.service());
        if (changes.find(name).isEmpty()) {
            throw new ProviderException("there is no load balancer " + name + " to update");
        }
        put(request);
    }

    private LoadBalancer put(LoadBalancerRequest request) {
        changes.requireRightful(request);
        if (request.addresses().isEmpty()) {
            throw new ProviderException("Service " + request.service().namespace() + "/"
                    + request.service().name() + " has no address to listen on");
        }
        LoadBalancer next = LoadBalancer.of(nameOf(request.service()), request);
        changes.make(new Change(request, next.name(), next));
        return next;
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        changes.requireRightful(request);
        changes.make(new Change(request, nameOf(request.service()), null));
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        return changes.wanted().stream()
                .filter(one -> one.clusterName().equals(clusterName))
                .map(one -> new ListedLoadBalancer(one.name(), one.identity()))
                .toList();
    }

    /** Of those that HAProxy could not be started with again, for another program has the port by now; and once it can. */
    @Override
    public void onChange(Consumer<ServiceIdentity> listener) {
        changes.onChange(listener);
    }

    /** HAProxy's statistics by Service, as they are at each scrape. */
    public Collector metrics() {
        return new HaproxyMetrics(this::statistics);
    }

    private List<Statistics.OfPort> statistics() {
        haproxy.awaitAnswer();
        synchronized (changes) {
            if (!haproxy.isRunning()) {
                throw new ProviderException("HAProxy does not run");
            }
            return statistics.of(changes.carried(), haproxy.statistics(), haproxy.runtime("show stat -1 4 -1"));
        }
    }

    /**
     * Stops looking after HAProxy, which goes on. Addresses that another host can have are handed over; those of this host
     * alone are kept or taken off, by the setting.
     */
    @Override
    public void close() {
        supervisor.close();
        if (settings.sharing() == null && settings.atExit() == AtExit.RELEASE) {
            changes.releaseAddresses();
        }
        addresses.close();
    }

    /** With the lock, so that HAProxy is not being reloaded. */
    private LoadBalancerStatus status(LoadBalancer one) {
        return LoadBalancerStatus.of(one.addresses().stream()
                        .map(ip -> Ingress.ofIp(ip, IpMode.PROXY))
                        .toList())
                .withTargets(ServerState.health(one, proxy -> haproxy.runtime("show servers state " + proxy)));
    }
}
