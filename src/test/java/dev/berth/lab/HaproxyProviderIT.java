package dev.berth.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.dataplane.haproxy.HaproxyProcesses;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract, kept with a real HAProxy behind it, which the kit asks itself. */
@LabOnly
@ExtendWith(LoopbackStaysClean.class)
class HaproxyProviderIT extends LoadBalancerProviderTck implements World {
    private static final Pattern CHECK = Pattern.compile("(?m)^  server .* check port (\\d+) ");
    private static final Pattern PATH = Pattern.compile("(?m)^  option httpchk GET (\\S+)$");
    private static final Pattern ALLOWED = Pattern.compile("(?m)^  acl allowed[46] src (\\S+)$");

    @TempDir
    Path directory;

    private final HaproxyProcesses processes = new HaproxyProcesses();
    private @Nullable LoadBalancerProvider made;

    @Override
    protected LoadBalancerProvider provider() {
        LoadBalancerProvider provider = processes.provider(directory);
        made = provider;
        return provider;
    }

    @AfterEach
    void endHaproxy() {
        processes.close();
        processes.removeAddresses();
    }

    @Override
    protected Optional<Map<String, String>> otherParameters() {
        return Optional.of(Map.of("balance", "LeastConnections"));
    }

    @Override
    protected Optional<World> world() {
        return Optional.of(this);
    }

    /** It hangs, and so does everybody who asks it. */
    @Override
    protected Optional<Outage> outage() {
        processes.signal(directory, "STOP");
        return Optional.of(() -> processes.signal(directory, "CONT"));
    }

    @Override
    public Optional<Seen> look(String clusterName, ServiceIdentity service) {
        String name = Objects.requireNonNull(made).getLoadBalancerName(service);
        List<String> backends = processes
                .runtime(directory, "show backend")
                .lines()
                .filter(line -> line.startsWith(name + "-") && !line.endsWith("-any"))
                .toList();
        if (backends.isEmpty()) {
            return Optional.empty();
        }
        List<Listener> ports = backends.stream()
                .map(backend -> new Listener(Protocol.TCP, Integer.parseInt(backend.substring(name.length() + 1))))
                .toList();
        List<String> nodes = backends.stream()
                .flatMap(backend -> processes
                        .runtime(directory, "show servers state " + backend)
                        .lines())
                .map(line -> line.split(" ", -1))
                .filter(words -> words.length > 11 && words[6].equals("0"))
                .map(words -> words[4])
                .distinct()
                .toList();
        String own = processes
                .configuration(directory)
                .lines()
                .dropWhile(line -> !line.equals("# Service " + service.namespace() + "/" + service.name()))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .reduce("", (text, line) -> text + line + "\n");
        List<String> ranges = all(ALLOWED, own).toList();
        return Optional.of(new Seen(
                ports,
                nodes,
                ranges,
                all(CHECK, own)
                        .findFirst()
                        .map(port -> new HealthCheck(
                                Integer.parseInt(port),
                                all(PATH, own).findFirst().orElse(null)))
                        .orElse(null)));
    }

    private static Stream<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1));
    }

    /** The name of a proxy is that of its load balancer and a number, and no other UID has it. */
    @Test
    void names_differ_forUidsThatDifferInPunctuationOnly() {
        LoadBalancerProvider provider = provider();
        List<String> names = Stream.of("a-b", "ab", "a.b", "a_b", "a_2e_b", "A-b", "a b")
                .map(uid -> provider.getLoadBalancerName(new ServiceIdentity("shop", "web", uid)))
                .toList();

        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[A-Za-z0-9_-]+"));
    }
}
