package dev.berth.dataplane.haproxy;

import dev.berth.duration.DurationText;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The {@code parameters} of a LoadBalancerClass that uses this provider.
 *
 * @param maxConnections at once, for each port of a Service; more wait
 * @param connectTimeout for a connection to a target
 * @param idleTimeout after which a connection that nobody sends on is closed
 * @param balance how a target is chosen
 * @param proxyProtocol which version of the PROXY protocol targets get
 */
record ClassParameters(
        int maxConnections,
        Duration connectTimeout,
        Duration idleTimeout,
        Balance balance,
        ProxyProtocol proxyProtocol) {
    /** How a target is chosen. */
    enum Balance {
        ROUND_ROBIN("roundrobin"),
        LEAST_CONNECTIONS("leastconn");

        private final String keyword;

        Balance(String keyword) {
            this.keyword = keyword;
        }

        /** HAProxy's word. */
        String keyword() {
            return keyword;
        }
    }

    /** Which version of the PROXY protocol targets get. */
    enum ProxyProtocol {
        NONE(""),
        V1("send-proxy"),
        V2("send-proxy-v2");

        private final String keyword;

        ProxyProtocol(String keyword) {
            this.keyword = keyword;
        }

        /** HAProxy's word for a server; empty: none. */
        String keyword() {
            return keyword;
        }
    }

    /**
     * Reads them; what is absent has its default.
     *
     * @throws ProviderException that names the first one that is unknown or out of range
     */
    static ClassParameters of(Map<String, String> parameters) {
        List<String> known = List.of("maxConnections", "connectTimeout", "idleTimeout", "balance", "proxyProtocol");
        parameters.keySet().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new ProviderException("parameter \"%s\" is unknown; provider \"%s\" knows %s"
                            .formatted(name, HaproxyProvider.NAME, String.join(", ", known)));
                });
        return new ClassParameters(
                read(parameters, "maxConnections", "10000", ClassParameters::connections, "a number from 1 to 1000000"),
                read(parameters, "connectTimeout", "5s", ClassParameters::duration, "a duration like 500ms, 5s or 1m"),
                read(parameters, "idleTimeout", "1h", ClassParameters::duration, "a duration like 30s, 5m or 1h"),
                read(parameters, "balance", "RoundRobin", ClassParameters::balance, "RoundRobin or LeastConnections"),
                read(parameters, "proxyProtocol", "None", ClassParameters::proxyProtocol, "None, V1 or V2"));
    }

    private static <T> T read(
            Map<String, String> parameters, String name, String byDefault, Function<String, T> reading, String wanted) {
        String value = parameters.getOrDefault(name, byDefault);
        try {
            return reading.apply(value);
        } catch (IllegalArgumentException bad) {
            throw new ProviderException(
                    "parameter \"%s\" is \"%s\"; it must be %s".formatted(name, value, wanted), bad);
        }
    }

    private static int connections(String value) {
        int number = Integer.parseInt(value);
        if (number < 1 || number > 1_000_000) {
            throw new IllegalArgumentException(value);
        }
        return number;
    }

    private static Duration duration(String value) {
        Duration duration = DurationText.parse(value).orElseThrow(() -> new IllegalArgumentException(value));
        // HAProxy's timers end at 24 days.
        if (!duration.isPositive() || duration.compareTo(Duration.ofDays(24)) > 0) {
            throw new IllegalArgumentException(value);
        }
        return duration;
    }

    private static Balance balance(String value) {
        return switch (value) {
            case "RoundRobin" -> Balance.ROUND_ROBIN;
            case "LeastConnections" -> Balance.LEAST_CONNECTIONS;
            default -> throw new IllegalArgumentException(value);
        };
    }

    private static ProxyProtocol proxyProtocol(String value) {
        return switch (value) {
            case "None" -> ProxyProtocol.NONE;
            case "V1" -> ProxyProtocol.V1;
            case "V2" -> ProxyProtocol.V2;
            default -> throw new IllegalArgumentException(value);
        };
    }
}
