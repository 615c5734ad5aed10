package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * What HAProxy has counted of each port, over all of its workers: a reload begins a new one that counts from zero, while
 * the former one goes on with the connections that it has.
 *
 * <p>Not thread-safe.
 */
final class Statistics {
    /** Counters of each worker when it last answered, by its process ID, by proxy. */
    private final Map<Long, Map<String, Counters>> workers = new HashMap<>();

    /** The sum of those that have ended, by proxy. */
    private final Map<String, Counters> ended = new HashMap<>();

    /** What only grows; one connection is one session. */
    record Counters(long sessions, long bytesIn, long bytesOut, long denied, long connectionErrors) {
        static final Counters ZERO = new Counters(0, 0, 0, 0, 0);

        Counters plus(Counters other) {
            return new Counters(
                    sessions + other.sessions,
                    bytesIn + other.bytesIn,
                    bytesOut + other.bytesOut,
                    denied + other.denied,
                    connectionErrors + other.connectionErrors);
        }
    }

    /**
     * What is known of one port of a Service.
     *
     * @param openSessions now
     * @param counters since the process that asks has begun to ask
     * @param targets whether each passes its health check, by its address and port
     */
    record OfPort(
            LoadBalancer loadBalancer,
            int port,
            long openSessions,
            Counters counters,
            SequencedMap<String, Boolean> targets) {}

    /**
     * Takes in what workers have counted by now.
     *
     * @param answers by process ID; of one that does not answer, empty
     * @param loadBalancers that there are; what is known of others is forgotten
     */
    void note(Map<Long, String> answers, Collection<LoadBalancer> loadBalancers) {
        workers.entrySet().removeIf(worker -> {
            boolean hasEnded = !answers.containsKey(worker.getKey());
            if (hasEnded) {
                worker.getValue().forEach((proxy, counters) -> ended.merge(proxy, counters, Counters::plus));
            }
            return hasEnded;
        });
        answers.forEach((worker, answer) -> {
            if (!answer.isEmpty()) {
                workers.put(worker, counters(answer));
            }
        });
        ended.keySet()
                .retainAll(loadBalancers.stream()
                        .flatMap(one -> one.ports().stream().map(one::proxy))
                        .collect(Collectors.toSet()));
    }

    private static Map<String, Counters> counters(String answer) {
        Map<String, Counters> counters = new HashMap<>();
        for (StatisticsTable.Row row : StatisticsTable.of(answer)) {
            boolean isFrontend = row.text("svname").equals("FRONTEND");
            String proxy = LoadBalancer.proxyOf(row.text("pxname"));
            // A connection is one of the frontend and one of the backend; errors of connecting are the backend's alone.
            Counters one = isFrontend
                    ? new Counters(row.number("stot"), row.number("bin"), row.number("bout"), row.number("dcon"), 0)
                    : new Counters(0, 0, 0, 0, row.number("econ"));
            counters.merge(proxy, one, Counters::plus);
        }
        return counters;
    }

    /**
     * What there is now.
     *
     * @param answers as {@link #note} gets them
     * @param servers what the newest worker says of its servers
     */
    List<OfPort> of(Collection<LoadBalancer> loadBalancers, Map<Long, String> answers, String servers) {
        note(answers, loadBalancers);
        Map<String, Long> open = new HashMap<>();
        answers.values().stream()
                .flatMap(answer -> StatisticsTable.of(answer).stream())
                .filter(row -> row.text("svname").equals("FRONTEND"))
                .forEach(row -> open.merge(row.text("pxname"), row.number("scur"), Long::sum));
        Map<String, Boolean> up = new HashMap<>();
        StatisticsTable.of(servers)
                .forEach(row -> up.put(
                        row.text("pxname") + "/" + row.text("svname"),
                        row.text("status").startsWith("UP")));
        List<OfPort> ports = new ArrayList<>();
        for (LoadBalancer one : loadBalancers) {
            for (ListenPort port : one.ports()) {
                String proxy = one.proxy(port);
                SequencedMap<String, Boolean> targets = new LinkedHashMap<>();
                for (Target target : port.targets()) {
                    targets.put(
                            Configuration.socket(target.address(), target.port()),
                            up.getOrDefault(proxy + "/" + target.server(), false));
                }
                ports.add(new OfPort(one, port.port(), open.getOrDefault(proxy, 0L), total(proxy), targets));
            }
        }
        return ports;
    }

    private Counters total(String proxy) {
        return workers.values().stream()
                .map(worker -> worker.getOrDefault(proxy, Counters.ZERO))
                .reduce(ended.getOrDefault(proxy, Counters.ZERO), Counters::plus);
    }
}
