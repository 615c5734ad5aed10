package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What HAProxy's runtime API changes, without a reload: targets and certificates. Not thread-safe. */
final class RuntimeChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RuntimeChanges.class);

    private final Haproxy haproxy;
    private final Certificates certificates;

    /**
     * Servers that get no new connections, and are deleted when the last one ends: backend/server, and the words of the
     * configuration.
     */
    private final SequencedMap<String, List<String>> leaving = new LinkedHashMap<>();

    RuntimeChanges(Haproxy haproxy, Certificates certificates) {
        this.haproxy = haproxy;
        this.certificates = certificates;
    }

    /** All that the runtime API cannot change. */
    static List<Object> structure(Collection<LoadBalancer> all) {
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
    boolean changeTargets(Map<String, LoadBalancer> wanted, Map<String, LoadBalancer> all) {
        deleteLeaving();
        for (LoadBalancer next : all.values()) {
            LoadBalancer former = wanted.get(next.name());
            for (int i = 0; former != null && i < next.ports().size(); i++) {
                if (!changeTargets(next, former.ports().get(i), next.ports().get(i))) {
                    return false;
                }
            }
        }
        deleteLeaving();
        return true;
    }

    /** The same of certificates. */
    boolean changeCertificates(Map<String, LoadBalancer> wanted, Map<String, LoadBalancer> all) {
        return all.values().stream()
                .filter(next -> next.tls() != null
                        && !next.tls()
                                .equals(Objects.requireNonNull(wanted.get(next.name()))
                                        .tls()))
                .allMatch(next -> haproxy.showCertificate(
                        certificates.file(next.name()), Objects.requireNonNull(certificates.read(next.name()))));
    }

    private boolean changeTargets(LoadBalancer one, ListenPort former, ListenPort next) {
        Set<Target> come = new LinkedHashSet<>(next.targets());
        former.targets().forEach(come::remove);
        Set<Target> go = new LinkedHashSet<>(former.targets());
        next.targets().forEach(go::remove);
        // A server cannot be there twice, so one with another health check would have to go first.
        List<String> names = go.stream().map(Target::server).toList();
        boolean isOtherCheck = come.stream().map(Target::server).anyMatch(names::contains);
        // Those that come are first: while it has no server, HAProxy closes every connection at once.
        return !isOtherCheck
                && come.stream().allMatch(target -> add(one, next, target))
                && go.stream().allMatch(target -> remove(one, former, target));
    }

    private boolean add(LoadBalancer one, ListenPort port, Target target) {
        return addChecked(one, one.proxy(port) + "/" + target.server(), target)
                && (!one.usesAllIfAllFail() || addUnchecked(one, one.unchecked(port) + "/" + target.server(), target));
    }

    private boolean remove(LoadBalancer one, ListenPort port, Target target) {
        return remove(one.proxy(port) + "/" + target.server(), Configuration.server(one.parameters(), target))
                && (!one.usesAllIfAllFail()
                        || remove(
                                one.unchecked(port) + "/" + target.server(),
                                Configuration.uncheckedServer(one.parameters(), target)));
    }

    private boolean remove(String server, List<String> words) {
        leaving.put(server, words);
        return silently("set server " + server + " state maint");
    }

    private boolean add(String server, List<String> words) {
        List<String> former = leaving.get(server);
        if (former != null) {
            // It still has connections, so that it cannot be deleted and added with another health check.
            return former.equals(words) && leaving.remove(server, words);
        }
        return haproxy.runtime("add server " + server + " " + String.join(" ", words))
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

    /** Those whose last connection has ended. */
    void deleteLeaving() {
        leaving.keySet()
                .removeIf(server -> haproxy.runtime("del server " + server).contains("deleted"));
    }

    /** After a reload, the new worker has none of them. */
    void reloaded() {
        leaving.clear();
    }
}
