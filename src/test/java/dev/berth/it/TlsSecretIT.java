package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.Installation;
import dev.berth.testing.QuietProvider;
import dev.berth.testing.SampleCertificate;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A class with TLS: its Secret comes, is no good, expires, changes and goes. */
@ExtendWith(SharedInstallation.class)
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class TlsSecretIT {
    private static final String CLASS = "example.com/tls";
    private static final SampleCertificate GOOD = valid(-1, 9);
    private static final SampleCertificate OTHER = valid(-1, 9);
    private static final SampleCertificate EXPIRED = valid(-9, -1);

    @TempDir
    private Path plugins;

    private final GrpcHosts hosts = new GrpcHosts();
    private final Terminating plugin = new Terminating();
    private BerthOnCluster berth;

    /** Serves everybody, and remembers how it was last asked. */
    private static final class Terminating implements QuietProvider {
        private final AtomicInteger asked = new AtomicInteger();
        private volatile Tls tls = new Tls(List.of(), "", "");

        @Override
        public Capabilities capabilities() {
            return Capabilities.fromPools(IpMode.VIP, IpMode.PROXY)
                    .withTargets(Targets.NONE)
                    .withFeatures(Feature.TLS_TERMINATION);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            asked.incrementAndGet();
            tls = Objects.requireNonNull(request.tls());
            return EnsureOutcome.ready(LoadBalancerStatus.of(request.addresses().stream()
                    .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                    .toList()));
        }
    }

    private static SampleCertificate valid(int fromDays, int untilDays) {
        return SampleCertificate.of(
                "a.example.com",
                Instant.now().plus(Duration.ofDays(fromDays)),
                Instant.now().plus(Duration.ofDays(untilDays)));
    }

    @BeforeEach
    void start(Installation shared) throws IOException {
        berth = BerthOnCluster.on(shared);
        Path socket = hosts.socket();
        hosts.serve(plugin, socket);
        Files.writeString(plugins.resolve("edge.grpc.properties"), "target=unix://" + socket + "\n");
        berth.createPool("edge", "198.51.100.1");
        berth.createClass("tls", "loadBalancerClass: " + CLASS + ", provider: edge, tls: {secretName: web}");
    }

    @AfterEach
    void stop() {
        berth.close();
        hosts.close();
    }

    private void put(Secret secret) {
        berth.client().resource(secret).serverSideApply();
    }

    private void put(SampleCertificate sample) {
        put(sample.secret("berth-system", "web"));
    }

    /** As docs/load-balancer-classes.md narrows it: Secret {@code web} alone. */
    private void permit() {
        berth.cluster().kubectl("apply", "--filename=src/main/kubernetes/components/tls/rbac.yaml");
        berth.cluster()
                .kubectl(
                        "patch",
                        "role",
                        "berth-tls",
                        "--namespace=berth-system",
                        "--type=json",
                        "--patch=[{\"op\": \"add\", \"path\": \"/rules/0/resourceNames\", \"value\": [\"web\"]}]");
    }

    /** {@code status reason: message}. */
    private String onTheClass(String type) {
        return Optional.ofNullable(berth.client()
                        .resources(LoadBalancerClass.class)
                        .withName("tls")
                        .get())
                .flatMap(found -> Optional.ofNullable(found.getStatus()))
                .map(status -> BerthOnCluster.condition(status.conditions(), type))
                .orElse("");
    }

    private void awaitOnTheClass(String beginning, String part) {
        berth.awaitAsserted(now -> {
            assertThat(onTheClass("CertificateUsable")).startsWith(beginning).contains(part);
            assertThat(onTheClass("Ready")).startsWith(beginning.substring(0, 4));
        });
    }

    private void awaitAskedWith(SampleCertificate sample) {
        berth.awaitAsserted(now -> assertThat(plugin.tls.certificate()).isEqualTo(sample.pem()));
    }

    private String programmed() {
        return Optional.ofNullable(berth.service("web"))
                .map(found -> BerthOnCluster.condition(found.getStatus().getConditions(), "berth.dev/Programmed"))
                .orElse("");
    }

    private void addPort(int port) {
        berth.client()
                .services()
                .inNamespace("default")
                .withName("web")
                .edit(current -> new ServiceBuilder(current)
                        .editSpec()
                        .editFirstPort()
                        .withName("first")
                        .endPort()
                        .addNewPort()
                        .withName("p" + port)
                        .withPort(port)
                        .endPort()
                        .endSpec()
                        .build());
    }

    @Test
    void whatIsWrongWithItsSecret_isSaidOnTheClass_andTakesNothingAway() {
        berth.startOperator("--plugin-dir=" + plugins);
        berth.createService("web", CLASS, builder -> builder);

        awaitOnTheClass("False SecretForbidden", "apply src/main/kubernetes/components/tls/rbac.yaml");
        berth.awaitAsserted(now -> assertThat(programmed())
                .startsWith("False CertificateMissing: ")
                .contains("port 80 needs the certificate of LoadBalancerClass \"tls\""));
        // It is tried again meanwhile; the log may begin with that of an earlier run.
        String log = berth.operator().log();
        assertThat(log.substring(log.lastIndexOf("Installed features"))).doesNotContain("KubernetesClientException");
        permit();
        awaitOnTheClass("False SecretMissing", "\"berth-system/web\"");
        put(new SecretBuilder(GOOD.secret("berth-system", "web"))
                .withStringData(Map.of("tls.crt", GOOD.pem(), "tls.key", OTHER.key()))
                .build());
        awaitOnTheClass("False KeyMismatch", "the key in tls.key is not that of the certificate in tls.crt");
        assertThat(plugin.asked).hasValue(0);

        put(GOOD);
        awaitOnTheClass("True Usable", "is valid until");
        assertThat(berth.awaitAddress("web")).isEqualTo("198.51.100.1");
        awaitAskedWith(GOOD);
        assertThat(plugin.tls.ports()).containsExactly(80);
        berth.awaitAsserted(now -> assertThat(programmed()).isEmpty());

        put(EXPIRED);
        awaitOnTheClass("False CertificateExpired", "the last good one is used on");
        addPort(81);
        berth.awaitAsserted(now -> assertThat(plugin.tls.ports()).containsExactly(80, 81));
        awaitAskedWith(GOOD);

        put(OTHER);
        awaitOnTheClass("True Usable", "is valid until");
        awaitAskedWith(OTHER);

        berth.client().secrets().inNamespace("berth-system").withName("web").delete();
        awaitOnTheClass("False SecretMissing", "the last good certificate is used on");
        addPort(82);
        berth.awaitAsserted(now -> assertThat(plugin.tls.ports()).containsExactly(80, 81, 82));
        awaitAskedWith(OTHER);

        for (SampleCertificate sample : new SampleCertificate[] {GOOD, OTHER, EXPIRED}) {
            String secret = sample.key().lines().skip(1).findFirst().orElseThrow();
            assertThat(berth.operator().log()).doesNotContain(secret);
            assertThat(berth.events("LoadBalancerClass", "tls")).noneMatch(event -> event.contains(secret));
            assertThat(berth.events("Service", "web")).noneMatch(event -> event.contains(secret));
        }
    }

    @Test
    void withoutItsSecretAfterARestart_aServiceStaysAsItIs_andCanBeDeleted() {
        permit();
        put(GOOD);
        berth.startOperator("--plugin-dir=" + plugins);
        berth.createService("web", CLASS, builder -> builder);
        berth.awaitAddress("web");
        berth.client().secrets().inNamespace("berth-system").withName("web").delete();
        berth.stopOperator();
        int asked = plugin.asked.get();

        berth.startOperator("--plugin-dir=" + plugins);
        berth.awaitAsserted(now -> assertThat(programmed()).startsWith("False CertificateMissing: "));
        assertThat(berth.awaitAddress("web")).isEqualTo("198.51.100.1");
        assertThat(plugin.asked).hasValue(asked);

        berth.client().services().inNamespace("default").withName("web").delete();
        berth.awaitAsserted(now -> assertThat(berth.service("web")).isNull());
    }
}
