package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FabricClusterTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    private final Caches caches = new Caches();

    private FabricCluster cluster() {
        try (AnsweringServer nobody = new AnsweringServer("/", request -> new AnsweringServer.Answer(500, ""))) {
            return new FabricCluster(nobody.client(), caches, new ApiBudget());
        }
    }

    private void cached(@Nullable String uid, String version) {
        Optional<Service> object = Optional.ofNullable(uid)
                .map(of -> new KubernetesSerialization().unmarshal("""
                                {"metadata": {"name": "web", "namespace": "prod", "uid": "%s", "resourceVersion": "%s"},
                                "spec": {"type": "LoadBalancer"}}
                                """.formatted(of, version), Service.class));
        caches.services(new OneObject<>(() -> object));
    }

    @Test
    void serviceThatIsKnown_isReadAgainOnlyIfTheCacheHasAnotherVersion_orAnotherService() {
        FabricCluster cluster = cluster();
        cached("u1", "7");
        Optional<ServiceState> known = cluster.service(WEB, Optional.empty());

        assertThat(cluster.service(WEB, known)).isSameAs(known);
        cached("u1", "8");
        assertThat(cluster.service(WEB, known).orElseThrow().resourceVersion()).isEqualTo("8");
        cached("u2", "7");
        assertThat(cluster.service(WEB, known).orElseThrow().uid()).isEqualTo("u2");
        cached(null, "");
        assertThat(cluster.service(WEB, known)).isEmpty();
    }

    private static Write<ServiceState> releaseNodePorts(String forbidden) {
        ServiceState web = SampleService.named(WEB, "u1").build();
        String answer = """
                {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden",
                "message": "%s"}
                """.formatted(forbidden);
        try (AnsweringServer server = new AnsweringServer("/", request -> new AnsweringServer.Answer(403, answer))) {
            return new FabricCluster(server.client(), new Caches(), new ApiBudget()).releaseNodePorts(web, "80/TCP");
        }
    }

    @Test
    void nodePortsThatMayNotBeReleased_sayWhatGivesThePermission_butNotWhereAPolicyDeniesIt() {
        String byPolicy = "services 'web' is forbidden: ValidatingAdmissionPolicy 'ports' denied request: ask us";

        assertThat(releaseNodePorts("User 'berth' cannot patch resource \\\"services\\\" in API group ''"))
                .isEqualTo(new Write.Refused<>("User 'berth' cannot patch resource \"services\" in API group ''; it"
                        + " needs the permissions of src/main/kubernetes/components/release-node-ports"));
        assertThat(releaseNodePorts(byPolicy)).isEqualTo(new Write.Refused<>(byPolicy));
    }
}
