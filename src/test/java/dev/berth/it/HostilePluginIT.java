package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.testing.Build;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.ProviderHostProcess;
import dev.berth.testing.QuietProvider;
import dev.berth.testing.SampleProvider;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A jar and plug-ins whose providers answer each Service by its name, most of them against the contract. */
@ExtendWith(SharedInstallation.class)
class HostilePluginIT {
    private static final String CLASS = "example.com/hostile";

    /** The same provider in a process of its own. */
    private static final String FAR = "example.com/far";

    private static final String PROVIDER = """
            package plugin;
            import dev.berth.provider.*;
            import java.nio.file.*;
            import java.time.Duration;
            import java.util.*;
            public final class Hostile implements LoadBalancerProvider, ProviderFactory {
                public String name() { return "hostile"; }
                public LoadBalancerProvider create(Map<String, String> settings) { return this; }
                public Capabilities capabilities() { return Capabilities.fromPools(IpMode.VIP).withImmediate(true); }
                public String getLoadBalancerName(ServiceIdentity service) { return service.uid(); }
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) { return null; }
                public void updateLoadBalancer(LoadBalancerRequest request) {}
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {}
                private static EnsureOutcome ready(String ip) {
                    return EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp(ip, IpMode.VIP))));
                }
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
                    return switch (request.service().name().replace("far-", "")) {
                        case "outside" -> ready("8.8.8.8");
                        case "itself" -> ready("127.0.0.1");
                        case "cluster" -> ready("10.96.0.1");
                        case "unclaimed" -> ready("198.51.100.14");
                        case "nothing" -> null;
                        case "hasty" -> EnsureOutcome.pending(Duration.ZERO, "soon");
                        case "forger" -> throw new ProviderException("\\u001b[2Jquota\\n2026-01-01 INFO all is well");
                        case "spinner", "twister" -> never();
                        default -> ready(request.addresses().getFirst());
                    };
                }
                private static EnsureOutcome never() {
                    long look = System.nanoTime();
                    while (true) {
                        if (System.nanoTime() - look < 0) {
                            Thread.onSpinWait();
                        } else if (Files.exists(Path.of("SPUN_ENOUGH"))) {
                            try { Thread.sleep(1_000); } catch (InterruptedException ignored) {}
                        } else {
                            look = System.nanoTime() + 1_000_000_000L;
                        }
                    }
                }
            }
            """;

    /** A plug-in with addresses of its own. */
    private static final String OWN = "example.com/own";

    /** Served by this JVM. */
    private record Own() implements QuietProvider {
        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(IpMode.VIP);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            return EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp(
                    switch (request.service().name()) {
                        case "own-pool" -> "198.51.100.13";
                        case "own-cluster" -> "10.96.0.1";
                        default -> "203.0.113.7";
                    },
                    IpMode.VIP))));
        }
    }

    private record Row(String service, String reason, String message) {}

    private static final List<Row> ROWS = List.of(
            new Row("outside", "AnswerRefused", "\"8.8.8.8\", but was given 198.51.100."),
            new Row("itself", "AnswerRefused", "(rule ensure04)"),
            new Row("cluster", "AnswerRefused", "\"10.96.0.1\", but was given 198.51.100."),
            new Row("unclaimed", "AnswerRefused", "(rule ensure04)"),
            new Row("far-outside", "AnswerRefused", "\"8.8.8.8\", but was given 198.51.100."),
            new Row("far-cluster", "AnswerRefused", "\"10.96.0.1\", but was given 198.51.100."),
            new Row("far-unclaimed", "AnswerRefused", "(rule ensure04)"),
            new Row("own-pool", "AnswerRefused", "(rule ensure25)"),
            new Row("own-cluster", "AnswerRefused", "(rule ensure25)"),
            new Row("nothing", "EnsureFailed", "it answered null to ensureLoadBalancer"),
            new Row("hasty", "Pending", "soon"),
            new Row("forger", "EnsureFailed", ": [2Jquota 2026-01-01 INFO all is well"));

    @TempDir
    private Path temporary;

    private final GrpcHosts hosts = new GrpcHosts();

    @AfterEach
    void removeSockets() {
        hosts.close();
    }

    private static String service(String name) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: default}
                spec: {type: LoadBalancer, loadBalancerClass: %s, selector: {app: web}, ports: [{port: 80}]}
                """.formatted(name, name.startsWith("far-") ? FAR : name.startsWith("own-") ? OWN : CLASS);
    }

    /** Those who spin sleep from when this file is there; their calls return neither before nor after. */
    private Path spunEnough() {
        return temporary.resolve("spun-enough");
    }

    private Path plugins() throws IOException {
        Path classes = Files.createDirectory(temporary.resolve("classes"));
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve("dev.berth.provider.ProviderFactory"), "plugin.Hostile\n");
        Path source = Files.writeString(
                temporary.resolve("Hostile.java"),
                PROVIDER.replace("SPUN_ENOUGH", spunEnough().toString()));
        SampleProvider.run(
                "javac",
                List.of("-d", classes.toString(), "-cp", Build.file("classes").toString(), source.toString()));
        Path plugins = Files.createDirectory(temporary.resolve("plugins"));
        SampleProvider.run(
                "jar", List.of("--create", "--file=" + plugins.resolve("hostile.jar"), "-C", classes.toString(), "."));
        return plugins;
    }

    @Test
    void answersAgainstTheContract_arePublishedByNobody_saidOnTheirServices_andHoldUpNobodyElse(Installation shared)
            throws IOException {
        ControlPlane cluster = shared.controlPlane();
        Path hosted = plugins();
        Path plugins = Files.createDirectory(temporary.resolve("both"));
        Files.copy(hosted.resolve("hostile.jar"), plugins.resolve("hostile.jar"));
        Path socket = hosts.socket();
        Files.writeString(plugins.resolve("far.grpc.properties"), "target=unix://" + socket + "\n");
        Path ownSocket = hosts.socket();
        hosts.serve(new Own(), ownSocket);
        Files.writeString(plugins.resolve("own.grpc.properties"), "target=unix://" + ownSocket + "\n");
        try (BerthOnCluster berth = BerthOnCluster.on(shared);
                ProviderHostProcess far = ProviderHostProcess.start(hosted, "hostile", socket)) {
            berth.createPool("edge", "198.51.100.0/27");
            berth.createClass("hostile", "loadBalancerClass: " + CLASS + ", provider: hostile");
            berth.createClass("far", "loadBalancerClass: " + FAR + ", provider: far");
            berth.createClass("own", "loadBalancerClass: " + OWN + ", provider: own");
            OperatorProcess operator = berth.startOperator("--plugin-dir=" + plugins);
            String services = Stream.concat(
                            Stream.of("spinner", "twister", "own-honest"),
                            ROWS.stream().map(Row::service))
                    .map(HostilePluginIT::service)
                    .collect(Collectors.joining("---\n"));
            cluster.kubectl("apply", "--filename=" + Files.writeString(temporary.resolve("services.yaml"), services));

            for (Row row : ROWS) {
                berth.awaitService(
                        row.service(),
                        service -> programmed(service)
                                .filter(said -> said.getReason().equals(row.reason())
                                        && said.getMessage().contains(row.message())
                                        && said.getMessage().chars().noneMatch(Character::isISOControl))
                                .isPresent());
            }
            berth.createService(
                    "honest",
                    CLASS,
                    builder -> builder.editSpec()
                            .withLoadBalancerIP("198.51.100.14")
                            .endSpec());
            Service honest = berth.awaitService(
                    "honest", service -> !BerthOnCluster.ingress(service).isEmpty());

            assertThat(BerthOnCluster.ingress(honest))
                    .extracting(LoadBalancerIngress::getIp)
                    .containsExactly("198.51.100.14");
            assertThat(BerthOnCluster.ingress(berth.awaitService(
                            "own-honest",
                            service -> !BerthOnCluster.ingress(service).isEmpty())))
                    .extracting(LoadBalancerIngress::getIp)
                    .containsExactly("203.0.113.7");
            String shown = cluster.kubectl(
                    "get",
                    "services",
                    "--output=jsonpath={range .items[*]}{.metadata.name}={.status.loadBalancer.ingress[*].ip}{\"\\n\"}{end}");
            assertThat(shown.lines())
                    .contains("honest=198.51.100.14")
                    .containsAll(ROWS.stream().map(row -> row.service() + "=").toList());
            Files.createFile(spunEnough());
            await().ignoreExceptions()
                    .untilAsserted(() -> cluster.kubectl(
                            "wait", "--for=condition=CallsStuck", "--timeout=20s", "loadbalancerclass/hostile"));
            await().untilAsserted(() -> assertThat(operator.metric("berth_provider_stuck_calls", "class", "hostile"))
                    .isEqualTo(2));
            assertThat(far.log()).contains("serving provider \"hostile\"");
            assertThat(operator.log()).doesNotContain("\u001b[2J", "\n2026-01-01 INFO");
        }
    }

    private static Optional<Condition> programmed(Service service) {
        return Optional.ofNullable(service.getStatus())
                .flatMap(status -> status.getConditions().stream()
                        .filter(condition -> condition.getType().equals(WellKnownNames.PROGRAMMED))
                        .findFirst());
    }
}
