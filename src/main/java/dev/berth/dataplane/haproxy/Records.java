package dev.berth.dataplane.haproxy;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the provider has to know after a restart: a file for each load balancer, and one for each cluster's fencing
 * token. Each is written whole or not at all.
 */
final class Records {
    private static final String ENDING = ".json";
    private static final JsonMapper JSON =
            JsonMapper.builder().addModule(new JavaTimeModule()).build();

    private final Path loadBalancers;
    private final Path tokens;
    private final Path addresses;
    private final Path identity;

    /** @param directory created when absent */
    Records(Path directory) {
        loadBalancers = directory.resolve("load-balancers");
        tokens = directory.resolve("tokens");
        addresses = directory.resolve("addresses");
        identity = directory.resolve("host-id");
        try {
            Files.createDirectories(loadBalancers);
            Files.createDirectories(tokens);
        } catch (IOException failure) {
            throw new ProviderException("creating " + directory + ": " + failure, failure);
        }
    }

    /** All load balancers, by name. */
    SequencedMap<String, LoadBalancer> loadBalancers() {
        SequencedMap<String, LoadBalancer> all = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(loadBalancers, "*" + ENDING)) {
            for (Path file : files) {
                LoadBalancer one = read(file);
                all.put(one.name(), one);
            }
            return all;
        } catch (IOException failure) {
            throw new ProviderException("reading " + loadBalancers + ": " + failure, failure);
        }
    }

    private static LoadBalancer read(Path file) throws IOException {
        try {
            return JSON.readValue(file.toFile(), LoadBalancer.class);
        } catch (JacksonException | NullPointerException corrupt) {
            throw new ProviderException(
                    "record %s cannot be read (%s); remove it, and Berth recreates the load balancer"
                            .formatted(
                                    file,
                                    String.valueOf(corrupt.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse("")),
                    corrupt);
        }
    }

    /** The addresses that are on this host for load balancers, or may be; others are not Berth's to remove. */
    List<String> addresses() {
        return StateFile.read(addresses).lines().filter(line -> !line.isBlank()).toList();
    }

    /** Keeps them. */
    void putAddresses(List<String> all) {
        if (!all.equals(addresses())) {
            StateFile.write(addresses, String.join("\n", all));
        }
    }

    /** Of this host among those that share its addresses; made when it is asked for first. */
    String identity() {
        String known = StateFile.read(identity).strip();
        if (!known.isEmpty()) {
            return known;
        }
        String made = UUID.randomUUID().toString();
        StateFile.write(identity, made);
        return made;
    }

    /** Keeps what is wanted of this name; null: nothing any more. */
    void put(String name, @Nullable LoadBalancer wanted) {
        Path file = loadBalancers.resolve(name + ENDING);
        try {
            if (wanted == null) {
                Files.deleteIfExists(file);
            } else {
                StateFile.write(file, JSON.writeValueAsString(wanted));
            }
        } catch (IOException failure) {
            throw new ProviderException("writing " + file + ": " + failure, failure);
        }
    }

    /**
     * Refuses a deposed leader.
     *
     * @throws ProviderException if a higher token of this cluster has been here
     */
    void requireLeader(String cluster, long token) {
        Path file = tokens.resolve(HexFormat.of().formatHex(cluster.getBytes(StandardCharsets.UTF_8)));
        long highest = highest(file);
        if (token < highest) {
            throw new ProviderException("the fencing token %d of cluster %s is lower than %d: it has a later leader"
                    .formatted(token, cluster, highest));
        }
        if (token > highest) {
            StateFile.write(file, Long.toString(token));
        }
    }

    private static long highest(Path file) {
        try {
            return Files.exists(file) ? Long.parseLong(StateFile.read(file)) : 0;
        } catch (NumberFormatException failure) {
            throw new ProviderException("the fencing token in " + file + ": " + failure, failure);
        }
    }
}
