package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.provider.TargetHealth;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.UnaryOperator;

/**
 * What HAProxy knows of the health of its servers, in its own format: what {@code show servers state} answers and {@code
 * server-state-file} reads.
 *
 * <p>HAProxy takes a server that it knows nothing of for up, until a health check says otherwise. With policy Local a
 * node without an endpoint would get connections until then.
 */
final class ServerState {
    private static final String VERSION = "1";
    private static final String NAMES =
            "# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight"
                    + " srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state"
                    + " srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port"
                    + " srv_check_addr srv_agent_addr srv_agent_port";

    /** The first check result that is one: lower numbers are a check that was not done yet, or that is under way. */
    private static final int CHECKED = 4;

    private static final String UP = "2";

    private ServerState() {}

    /**
     * For the next worker: what the former one knows, and those that it does not know as down, if they have a health check
     * by HTTP. Endpoints have none: Kubernetes says that they are ready.
     *
     * @param known the answer of {@code show servers state}; empty: there is no former worker
     */
    static String next(String known, Collection<LoadBalancer> wanted) {
        SequencedMap<String, String> lines = new LinkedHashMap<>();
        known.lines()
                .map(line -> line.split(" ", -1))
                .filter(ServerState::isServer)
                .forEach(words -> {
                    // Of those that are in maintenance, one may have come back: it would stay in maintenance.
                    if (words[6].equals("0")) {
                        lines.put(words[1] + "/" + words[3], String.join(" ", words));
                    }
                });
        for (LoadBalancer one : wanted) {
            for (ListenPort port : one.ports()) {
                port.targets().stream()
                        .filter(Target::startsDown)
                        .forEach(target -> lines.putIfAbsent(
                                one.proxy(port) + "/" + target.server(), down(one.proxy(port), target)));
            }
        }
        StringBuilder text = new StringBuilder(VERSION + "\n" + NAMES + "\n");
        lines.values().forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private static String down(String backend, Target target) {
        return "1 %s 1 %s %s 0 0 1 1 0 1 0 0 6 0 0 0 - %d - 0 %d - - 0"
                .formatted(backend, target.server(), target.address(), target.port(), target.checkPort());
    }

    /**
     * Whether the first health checks of a backend have said something: one server is up, or all have been checked.
     *
     * @param known the answer of {@code show servers state} for this backend
     */
    static boolean isDecided(String known) {
        List<String[]> servers = known.lines()
                .map(line -> line.split(" ", -1))
                .filter(ServerState::isServer)
                .toList();
        return servers.stream().anyMatch(words -> words[5].equals(UP))
                || servers.stream().allMatch(words -> Integer.parseInt(words[10]) >= CHECKED);
    }

    /**
     * How many targets pass their health check: each counts once, however many ports it serves, and passes for all of
     * them.
     *
     * @param known answers {@code show servers state} for a backend
     */
    static TargetHealth health(LoadBalancer one, UnaryOperator<String> known) {
        Map<String, Boolean> passes = new HashMap<>();
        for (ListenPort port : one.ports()) {
            List<String> up = known.apply(one.proxy(port))
                    .lines()
                    .map(line -> line.split(" ", -1))
                    .filter(words -> isServer(words) && words[5].equals(UP) && words[6].equals("0"))
                    .map(words -> words[3])
                    .toList();
            port.targets()
                    .forEach(target -> passes.merge(
                            target.address() + " " + target.checkPort(),
                            up.contains(target.server()),
                            Boolean::logicalAnd));
        }
        return new TargetHealth(passes.size(), Collections.frequency(passes.values(), true));
    }

    private static boolean isServer(String[] words) {
        return words.length > 11 && !words[0].startsWith("#");
    }
}
