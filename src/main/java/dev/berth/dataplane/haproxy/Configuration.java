package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * HAProxy's configuration, written. Every value from outside is one word of a few harmless characters, so none can
 * end its line or begin another.
 */
final class Configuration {
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._:/-]{1,253}");
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9._~/-]{0,252}");

    private final StringBuilder text = new StringBuilder();

    private final boolean foreign;

    private Configuration(boolean foreign) {
        this.foreign = foreign;
    }

    /**
     * Writes it.
     *
     * @param directory absolute; where the sockets and the state of servers are
     * @param foreign whether addresses may be on another host: HAProxy then has to run as root
     * @throws IllegalArgumentException if a value is not one harmless word
     */
    static String of(String directory, Collection<LoadBalancer> loadBalancers, boolean foreign) {
        Configuration configuration = new Configuration(foreign);
        configuration.global(directory);
        if (loadBalancers.stream().anyMatch(one -> one.tls() != null)) {
            configuration.minimumTls();
        }
        configuration.defaults(directory);
        loadBalancers.forEach(one -> one.open().forEach(port -> configuration.add(directory, one, port)));
        return configuration.text.toString();
    }

    /** The words after {@code server NAME} of one that is not checked; one that is added later needs them, too. */
    static List<String> uncheckedServer(ClassParameters parameters, Target target) {
        List<String> words = new ArrayList<>();
        words.add(socket(target.address(), target.port()));
        if (!parameters.proxyProtocol().keyword().isEmpty()) {
            words.add(parameters.proxyProtocol().keyword());
        }
        return words;
    }

    /** The same of one that gets connections only while it passes its health check. */
    static List<String> server(ClassParameters parameters, Target target) {
        List<String> words = uncheckedServer(parameters, target);
        if (target.checkAddress() != null) {
            words.addAll(List.of("addr", word(target.checkAddress())));
        }
        words.addAll(List.of(
                "check",
                "port",
                Integer.toString(target.checkPort()),
                "inter",
                "1s",
                "fastinter",
                "500ms",
                "downinter",
                "500ms",
                "fall",
                "2",
                "rise",
                "1"));
        return words;
    }

    private void global(String directory) {
        line("# Written by Berth at each change; what is edited here is lost.");
        line("global");
        line("  log stderr format raw local0 warning");
        line("  stats socket " + word(directory) + "/stats.sock mode 600 level admin expose-fd listeners");
        line("  server-state-file " + word(directory) + "/server-state");
        line("  hard-stop-after 15m");
        // Where a container has no limit, HAProxy would take memory for a thousand million of them.
        line("  fd-hard-limit 1048576");
        line("  spread-checks 5");
        line("  max-spread-checks 200");
        line("  mworker-max-reloads 50");
    }

    /** Not said without need: a HAProxy that has no TLS does not know the words. */
    private void minimumTls() {
        line("  ssl-default-bind-options ssl-min-ver TLSv1.2");
    }

    private void defaults(String directory) {
        line("");
        line("defaults");
        line("  mode tcp");
        line("  load-server-state-from-file global");
        // At the first failure, not at the last.
        line("  option redispatch 1");
        line("  option contstats");
        line("  retries 3");
        line("  timeout queue 10s");
        line("  timeout check 1s");
        line("");
        line("peers berth");
        line("  peer berth unix@" + word(directory) + "/peers.sock");
    }

    private void add(String directory, LoadBalancer one, ListenPort port) {
        String proxy = word(one.proxy(port));
        ClassParameters parameters = one.parameters();
        line("");
        line("# Service " + word(one.namespace()) + "/" + word(one.service()));
        line("frontend " + proxy);
        String options = (foreign ? " transparent" : "") + (one.hasTls(port) ? tls(directory, one) : "");
        one.addresses().forEach(address -> line("  bind " + socket(address, port.port()) + options));
        line("  maxconn " + parameters.maxConnections());
        line("  timeout client " + millis(parameters.idleTimeout()));
        sourceRanges(one, false);
        sourceRanges(one, true);
        if (one.usesAllIfAllFail()) {
            line("  use_backend " + one.unchecked(port) + " if { nbsrv(" + proxy + ") eq 0 }");
        }
        line("  default_backend " + proxy);
        backend(one, proxy);
        port.targets().stream()
                .flatMap(target -> Stream.ofNullable(target.checkPath()))
                .findFirst()
                .ifPresent(path -> line("  option httpchk GET " + path(path)));
        port.targets().forEach(target -> server(target, server(parameters, target)));
        if (one.usesAllIfAllFail()) {
            backend(one, one.unchecked(port));
            port.targets().forEach(target -> server(target, uncheckedServer(parameters, target)));
        }
    }

    /** As kube-proxy: ranges are for clients of their own family, and a family without any is open to all of them. */
    private void sourceRanges(LoadBalancer one, boolean ipv6) {
        List<String> addresses = ofFamily(one.addresses(), ipv6);
        List<String> ranges = ofFamily(one.sourceRanges(), ipv6);
        if (addresses.isEmpty() || ranges.isEmpty()) {
            return;
        }
        String family = ipv6 ? "6" : "4";
        // The address that was called has the client's family. HAProxy takes 6to4 and IPv4 for each other in one list.
        addresses.forEach(address -> line("  acl called" + family + " dst " + word(address)));
        ranges.forEach(range -> line("  acl allowed" + family + " src " + word(range)));
        line("  tcp-request connection reject if called" + family + " !allowed" + family);
    }

    private static List<String> ofFamily(List<String> values, boolean ipv6) {
        return values.stream()
                .filter(value -> LoadBalancer.isIpv6(value) == ipv6)
                .toList();
    }

    private void backend(LoadBalancer one, String name) {
        ClassParameters parameters = one.parameters();
        line("backend " + word(name));
        line("  balance " + parameters.balance().keyword());
        line("  fullconn " + parameters.maxConnections());
        line("  timeout connect " + millis(parameters.connectTimeout()));
        line("  timeout server " + millis(parameters.idleTimeout()));
        Duration affinity = one.sessionAffinity();
        if (affinity != null) {
            line("  stick-table type " + (isIpv6(one) ? "ipv6" : "ip") + " size 100k expire " + millis(affinity)
                    + " peers berth");
            line("  stick on src");
        }
    }

    private void server(Target target, List<String> words) {
        line("  server " + word(target.server()) + " " + String.join(" ", words));
    }

    /** The digest makes another certificate another configuration. */
    private static String tls(String directory, LoadBalancer one) {
        return " ssl crt " + word(directory + "/certificates/" + one.name() + ".pem")
                + Optional.ofNullable(one.tls())
                        .map(tls -> " # " + word(tls.digest()))
                        .orElse("");
    }

    private static boolean isIpv6(LoadBalancer one) {
        return one.addresses().stream().anyMatch(LoadBalancer::isIpv6);
    }

    /** An address and a port, as one word. */
    static String socket(String address, int port) {
        return (LoadBalancer.isIpv6(address) ? "[" + word(address) + "]" : word(address)) + ":" + port;
    }

    /** Whether HAProxy listens there by this configuration. */
    static boolean listens(String text, String address, int port) {
        String bind = "  bind " + socket(address, port);
        return text.lines().anyMatch(line -> line.equals(bind) || line.startsWith(bind + " "));
    }

    private static String millis(Duration duration) {
        return duration.toMillis() + "ms";
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private static String word(String value) {
        return matching(WORD, value);
    }

    private static String path(String value) {
        return matching(PATH, value);
    }

    private static String matching(Pattern pattern, String value) {
        if (!pattern.matcher(value).matches()) {
            throw new IllegalArgumentException("\"" + value + "\" cannot stand in HAProxy's configuration");
        }
        return value;
    }
}
