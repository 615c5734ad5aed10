package dev.berth.lab;

import static dev.berth.testing.TypedPage.withoutAges;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.lab.LabRouter.Neighbour;
import dev.berth.lab.Peer.Load;
import dev.berth.lab.Peer.Reply;
import dev.berth.testing.Build;
import dev.berth.testing.Installation;
import dev.berth.testing.TlsFiles;
import dev.berth.testing.TypedPage;
import dev.berth.testing.TypingShell;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Berth as Pods, on a cluster of two nodes: from the quick start to the removal, in this order. */
@LabOnly
@ExtendWith(PodStory.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class PodsIT {
    private static final Path QUICK_START = Path.of("docs/quick-start.md");
    private static final Path L2 = Path.of("docs/l2.md");
    private static final Path OPERATIONS = Path.of("docs/operations.md");
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Of docs/quick-start.md; the network sends it to node1. */
    private static final String WEB = "http://192.0.2.1/";

    /** The name of the component's Service. */
    private static final String HAPROXY = "berth-haproxy.berth-haproxy.svc";

    private static final int MANY = 2_000;
    private static final Path FILES = Build.file("pods").toAbsolutePath();

    /** Pods that answer on port 8080, with the names of their nodes. */
    private static final String WEB_PODS = """
            cat <<EOF | kubectl apply -f -
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  terminationGracePeriodSeconds: 15
                  topologySpreadConstraints:
                    - {topologyKey: kubernetes.io/hostname, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
                  containers:
                    - name: web
                      image: %s
                      args: [serve, --name, \\$(NODE)]
                      env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
                      resources: {requests: {cpu: 50m}}
                      lifecycle: {preStop: {sleep: {seconds: 10}}} # requests still come until all have heard that it ends
            EOF
            """.formatted(PodCluster.PEER_IMAGE);

    @TempDir
    private static Path folder;

    private static PodCluster cluster;
    private static KubernetesClient admin;
    private static TypingShell shell;
    private static int services;

    @BeforeAll
    static void start() {
        try (PodImages images =
                PodStory.timed("image of src/main/docker/Dockerfile built", () -> PodImages.build(FILES))) {
            cluster = PodStory.timed("two nodes Ready", () -> PodCluster.start(FILES, images, 2));
        }
        PodStory.of(cluster);
        admin = cluster.controlPlane().adminClient();
        shell = TypingShell.in(folder, cluster.controlPlane().adminKubeconfig(), PATIENCE);
        shell.type(WEB_PODS);
        cluster.client().ip("route add 192.0.2.0/28 via " + cluster.node(1).ipv4());
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            PodStory.timed("everything stopped", () -> {
                cluster.close();
                return "";
            });
        }
    }

    private static Reply awaitReply(String url) {
        return await(url).atMost(PATIENCE).until(() -> new Peer(cluster.client()).get(url), Reply::ok);
    }

    /** A new Service gets an address: whoever leads works. */
    private static String newService() {
        String name = "more-" + ++services;
        shell.type("kubectl create service loadbalancer " + name + " --tcp=80");
        shell.type("kubectl wait --for=condition=berth.dev/AddressAssigned --timeout=180s service/" + name);
        return name;
    }

    /** Of all Services that have some. */
    private static Map<String, List<String>> addresses() {
        return admin.services().inAnyNamespace().list().getItems().stream()
                .filter(service -> !Installation.ips(service).isEmpty())
                .collect(Collectors.toMap(service -> service.getMetadata().getName(), Installation::ips));
    }

    private static void awaitRollout() {
        shell.type("kubectl -n berth-system rollout status deployment berth --timeout=220s");
    }

    private static void undoRollout() {
        shell.type("kubectl -n berth-system rollout undo deployment berth");
        awaitRollout();
    }

    private static List<Pod> replicas() {
        return admin.pods()
                .inNamespace("berth-system")
                .withLabel("app.kubernetes.io/component", "operator")
                .list()
                .getItems();
    }

    /** The UID of the Pod that has the lease; empty: none has. */
    private static String holder() {
        return Objects.requireNonNullElse(
                admin.leases()
                        .inNamespace("berth-system")
                        .withName("berth")
                        .get()
                        .getSpec()
                        .getHolderIdentity(),
                "");
    }

    private static ObjectMeta leader() {
        String holder = holder();
        return replicas().stream()
                .map(Pod::getMetadata)
                .filter(pod -> pod.getUid().equals(holder))
                .findFirst()
                .orElseThrow();
    }

    /** {@code make e2e FROM=<commit>}; until there is a release. */
    @Test
    @Order(0)
    @EnabledIfSystemProperty(named = PodImages.OLDER, matches = ".+")
    void olderBerth_isUpgraded_andUpgradedBack_andServicesKeepTheirAddresses() throws IOException {
        Path older = Path.of(System.getProperty(PodImages.OLDER)).toAbsolutePath();
        shell.type("mkdir older");
        Files.writeString(folder.resolve("older/kustomization.yaml"), """
                resources: [%s/src/main/kubernetes]
                images: [{name: berth, newTag: older}]
                """.formatted(fromHere("older", older)));
        shell.type("kubectl apply -k older");
        awaitRollout();
        shell.type("""
                cat <<EOF | kubectl apply -f %s/src/main/kubernetes/load-balancer-class.yaml -f -
                apiVersion: berth.dev/v1alpha1
                kind: AddressPool
                metadata: {name: upgraded}
                spec: {addresses: [192.0.2.48/28]}
                EOF""".formatted(older));
        newService();
        newService();
        Map<String, List<String>> before = addresses();
        assertThat(before).hasSize(2);

        for (String folder : List.of("src/main/kubernetes", "older", "src/main/kubernetes")) {
            shell.type("kubectl apply -k " + folder);
            awaitRollout();
            newService();
            assertThat(addresses()).as(folder).containsAllEntriesOf(before);
        }
        deleteAllServices();
        shell.type("kubectl delete addresspools,loadbalancerclasses --all --timeout=180s");
        shell.type("kubectl delete -k src/main/kubernetes --timeout=180s");
    }

    /** The way from a folder of the test's own to one of this machine: kustomize takes no absolute ones. */
    private static Path fromHere(String own, Path there) throws IOException {
        return folder.toRealPath().resolve(own).relativize(there.toRealPath());
    }

    private static void deleteAllServices() {
        shell.type("kubectl delete services --all --timeout=180s");
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(shell.type("kubectl get addresses")).isEqualTo("No resources found"));
    }

    @Test
    @Order(1)
    void quickStart_goesAsThePageSays_andARequestFromOutsideIsAnswered() throws IOException {
        List<TypedPage.Step> steps = TypedPage.steps(QUICK_START);
        assertThat(steps).hasSizeGreaterThan(7);
        type(QUICK_START, steps, UnaryOperator.identity());
        assertThat(replicas())
                .hasSize(2)
                .extracting(pod -> pod.getSpec().getNodeName())
                .doesNotHaveDuplicates();
        assertThat(awaitReply(WEB).name()).startsWith("node");
    }

    /** @param here what this cluster has in place of what the page has */
    private static void type(Path page, List<TypedPage.Step> steps, UnaryOperator<String> here) {
        for (TypedPage.Step step : steps) {
            if (step.typed().startsWith("kubectl wait") || step.typed().startsWith("kubectl get")) {
                // A person would type it again on a machine that is busy.
                await(step.typed()).atMost(PATIENCE).untilAsserted(() -> typeAndCompare(page, step, here));
            } else {
                typeAndCompare(page, step, here);
            }
        }
    }

    private static void typeAndCompare(Path page, TypedPage.Step step, UnaryOperator<String> here) {
        String printed =
                withoutAges(shell.type(here.apply(step.typed()).replace("<your registry>", "docker.io/library")));
        if (!step.printed().isEmpty()) {
            assertThat(printed).as("%s:%d", page, step.line()).isEqualTo(withoutAges(here.apply(step.printed())));
        }
    }

    @Test
    @Order(2)
    void metrics_areScrapedThroughTheirService_andThroughAPortForward() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                shell.type(
                                        "for pod in $(kubectl -n berth-system get pods -o name); do"
                                                + " kubectl get --raw /api/v1/namespaces/berth-system/pods/${pod#*/}:8080/proxy/metrics; done"))
                        .containsPattern("berth_pool_allocated\\{family=\"IPv4\",pool=\"example\"} 1"));
        assertThat(
                        shell.type(
                                "kubectl get --raw /api/v1/namespaces/berth-system/services/berth-metrics:metrics/proxy/metrics"))
                .contains("berth_ipmode_dropped 0");
        assertThat(shell.type("""
                        kubectl -n berth-system port-forward deployment/berth 8080 >/dev/null &
                        trap 'kill %1' EXIT
                        until curl -sf http://127.0.0.1:8080/metrics; do kill -0 %1; sleep 0.2; done""")).contains("berth_ipmode_dropped 0");
    }

    /** The text of a Service may be in any language. */
    @Test
    @Order(3)
    void image_printsAllCharacters_andItsVersion() {
        String java = "kubectl -n berth-system exec deployment/berth -- java ";
        assertThat(shell.type(java + "-XshowSettings:properties -version 2>&1")).contains("stdout.encoding = UTF-8");
        assertThat(shell.type(java + "-jar quarkus-run.jar --version")).contains("berth 0.1.0");
    }

    @Test
    @Order(4)
    void rolloutRestart_keepsAddresses() {
        newService();
        Map<String, List<String>> before = addresses();

        shell.type("kubectl -n berth-system rollout restart deployment berth");
        awaitRollout();

        newService();
        assertThat(addresses()).containsAllEntriesOf(before);
        assertThat(awaitReply(WEB).ok()).isTrue();
    }

    @Test
    @Order(5)
    void deletedLeader_isFollowedByTheOther() {
        ObjectMeta leader = leader();

        shell.type("kubectl -n berth-system delete pod --grace-period=0 --force " + leader.getName());

        // It may serve until its process has ended.
        await().atMost(PATIENCE)
                .until(
                        PodsIT::holder,
                        holder -> !holder.equals(leader.getUid())
                                && replicas().stream()
                                        .anyMatch(pod ->
                                                pod.getMetadata().getUid().equals(holder)));
        newService();
        assertThat(leader().getUid()).isNotEqualTo(leader.getUid());
        awaitRollout();
    }

    @Test
    @Order(6)
    void killedLeader_isStartedAgain_andServicesAreServed() {
        ObjectMeta leader = leader();

        shell.type("kill -KILL " + processOf(leader));

        await().atMost(PATIENCE)
                .until(() -> replicas().stream()
                        .filter(pod -> pod.getMetadata().getUid().equals(leader.getUid()))
                        .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                        .anyMatch(container -> container.getRestartCount() == 1 && container.getReady()));
        newService();
    }

    @Test
    @Order(7)
    void drainedNode_letsBerthGo_andServicesKeepTheirAddresses() {
        Map<String, List<String>> before = addresses();
        String node = replicas().stream()
                .filter(pod -> pod.getMetadata().getUid().equals(leader().getUid()))
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getNodeName();

        shell.type(
                "kubectl drain %s --ignore-daemonsets --delete-emptydir-data --timeout=200s --pod-selector=app.kubernetes.io/name=berth"
                        .formatted(node));
        awaitRollout();

        newService();
        assertThat(addresses()).containsAllEntriesOf(before);
        assertThat(replicas())
                .filteredOn(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .hasSize(2)
                .extracting(pod -> pod.getSpec().getNodeName())
                .doesNotContain(node);
        shell.type("kubectl uncordon " + node);
    }

    @Test
    @Order(8)
    void imageThatIsNotThere_isNamed_andWhoServesStays() {
        shell.type("kubectl -n berth-system set image deployment/berth operator=berth:not-there");

        try {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(shell.type("kubectl -n berth-system get pods"))
                            .containsAnyOf("ErrImagePull", "ImagePullBackOff"));
            // The event may be there a little after the status. For several Pods kubectl describes none by default.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(shell.type("kubectl -n berth-system events"))
                            .contains("Failed to pull image \"berth:not-there\""));
            newService();
        } finally {
            undoRollout();
        }
    }

    @Test
    @Order(9)
    void memoryTooSmallForTheHeap_isSaidByThePod() {
        shell.type(
                "kubectl -n berth-system set resources deployment berth --requests=memory=64Mi --limits=memory=128Mi");

        try {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(shell.type("kubectl -n berth-system describe pods"))
                            .contains("the memory limit of 128 MiB is too small for a heap of 112 MiB"));
        } finally {
            undoRollout();
        }
    }

    /** The limit of the manifests: docs/operations.md, Memory. */
    @Test
    @Order(10)
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void memoryLimit_isEnoughForTwoThousandServices() {
        shell.type("kubectl create namespace many");
        shell.type("""
                cat <<EOF | kubectl apply -f -
                apiVersion: berth.dev/v1alpha1
                kind: AddressPool
                metadata: {name: many}
                spec: {addresses: [198.18.0.0/21], priority: 0, namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: many}}}
                EOF""");
        // A Service that is seen before it would get an address of the other pool.
        shell.type("kubectl wait --for=condition=Ready --timeout=2m addresspool/many");
        IntStream.range(0, MANY)
                .parallel()
                .forEach(number -> admin.resource(serviceOfMany(number)).create());

        awaitAllocatedOfMany(MANY);
        assertThat(admin.services().inNamespace("many").list().getItems())
                .hasSize(MANY)
                .noneMatch(service -> Installation.ips(service).isEmpty());
        PodStory.figure("peak of the leader's resident memory with %,d Services: %s, of a limit of 256 MiB"
                .formatted(
                        MANY,
                        shell.type("grep VmHWM /proc/%s/status | tr -s '\\t ' ' ' | cut -d ' ' -f 2,3"
                                .formatted(processOf(leader())))));
        assertThat(replicas())
                .flatExtracting(pod -> pod.getStatus().getContainerStatuses())
                .allSatisfy(container -> {
                    assertThat(container.getReady()).isTrue();
                    assertThat(container.getLastState().getTerminated()).isNull();
                });
        shell.type("kubectl delete namespace many --wait=false");
        awaitAllocatedOfMany(0);
    }

    /** Not by kubectl, which takes more of the processor than the answer. */
    private static void awaitAllocatedOfMany(int count) {
        await().atMost(PATIENCE.multipliedBy(2))
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> admin.genericKubernetesResources("berth.dev/v1alpha1", "AddressPool")
                                .withName("many")
                                .get()
                                .<String>get("status", "ipv4", "allocated"),
                        allocated -> Integer.toString(count).equals(allocated));
    }

    private static Service serviceOfMany(int number) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("many")
                .withName("s" + number)
                // For no kube-proxy: rules for so many Services would take longer than all else.
                .addToLabels("service.kubernetes.io/service-proxy-name", "none")
                .endMetadata()
                .withNewSpec()
                .withType("LoadBalancer")
                .withAllocateLoadBalancerNodePorts(false)
                .addNewPort()
                .withPort(80)
                .endPort()
                .endSpec()
                .build();
    }

    /** Its id, as this test sees it. */
    private static String processOf(ObjectMeta replica) {
        return shell.type("grep -l POD_UID=%s /proc/[0-9]*/environ | cut -d / -f 3".formatted(replica.getUid()));
    }

    @Test
    @Order(11)
    void pageOfArpAndNdp_goesAsItSays_andARequestFromTheNetworkIsAnswered() throws IOException {
        List<TypedPage.Step> steps = TypedPage.steps(L2).stream()
                .takeWhile(step -> !step.typed().contains("addresses -o custom-columns"))
                .toList();
        assertThat(steps).hasSizeGreaterThan(10);

        type(L2, steps, text -> text.replace("192.168.1.2", "10.77.0.2"));

        assertThat(awaitReply(lan()).name()).startsWith("node");
    }

    private static String lan() {
        return "http://%s/"
                .formatted(shell.type("kubectl get service lan -o jsonpath='{.status.loadBalancer.ingress[0].ip}'"));
    }

    @Test
    @Order(12)
    void components_areAddedByAKustomizationOfOnesOwn() throws IOException {
        shell.type("""
                kubectl apply -f src/main/kubernetes/components/haproxy/namespace.yaml
                kubectl label node node1 berth.dev/haproxy=
                mkdir own tls""");
        new TlsFiles(folder.resolve("tls")).renew(Set.of(HAPROXY));
        for (String secret :
                List.of("berth-haproxy berth-haproxy server", "berth-system berth-haproxy-client client")) {
            String[] words = secret.split(" ");
            shell.type(
                    "kubectl -n %1$s create secret generic %2$s --from-file=ca.crt=tls/ca.pem --from-file=tls.crt=tls/%3$s.pem --from-file=tls.key=tls/%3$s-key.pem"
                            .formatted((Object[]) words));
        }
        Path project = fromHere("own", Path.of(""));
        // This cluster has no DNS.
        Files.writeString(folder.resolve("own/kustomization.yaml"), """
                resources: [%1$s/src/main/kubernetes]
                components:
                  - %1$s/src/main/kubernetes/components/agent
                  - %1$s/src/main/kubernetes/components/bgp
                  - %1$s/src/main/kubernetes/components/haproxy
                images:
                  - {name: berth, newTag: 0.1.0}
                  - {name: berth-gobgp, newTag: 0.1.0}
                  - {name: berth-haproxy, newTag: 0.1.0}
                patches:
                  - target: {kind: Deployment, name: berth}
                    patch: |
                      - {op: add, path: /spec/template/spec/hostAliases, value: [{ip: %2$s, hostnames: [%3$s]}]}
                """.formatted(
                        project, cluster.node(1).ipv4(), HAPROXY));

        shell.type("kubectl apply -k own");

        awaitRollout();
        // An agent is ready once it reaches its speaker.
        shell.type("kubectl -n berth-agents rollout status daemonset berth-agent --timeout=200s");
        shell.type("kubectl -n berth-haproxy rollout status deployment berth-haproxy --timeout=200s");
    }

    /** Of one port, to the Pods of {@link #WEB_PODS}; with a pool and a class of its own. */
    private static void serviceOfClass(String name, String provider, String pool, String policy) {
        shell.type("""
                cat <<EOF | kubectl apply -f -
                apiVersion: berth.dev/v1alpha1
                kind: AddressPool
                metadata: {name: %1$s}
                spec: {addresses: ["%3$s"], priority: 100}
                ---
                apiVersion: berth.dev/v1alpha1
                kind: LoadBalancerClass
                metadata: {name: %1$s}
                spec: {loadBalancerClass: berth.dev/%1$s, provider: %2$s, pools: [%1$s]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s}
                spec:
                  type: LoadBalancer
                  loadBalancerClass: berth.dev/%1$s
                  externalTrafficPolicy: %4$s
                  selector: {app: web}
                  ports: [{port: 80, targetPort: 8080}]
                EOF
                kubectl wait --for=condition=berth.dev/AddressAssigned --timeout=180s service/%1$s
                """.formatted(name, provider, pool, policy));
    }

    /** A request that is under way when its address moves may be reset, and no other fails. */
    @Test
    @Order(13)
    void agentsThatAreUpdated_andANodeThatIsDrained_keepAnAddressAnswered() {
        shell.type("kubectl patch service lan -p '{\"spec\": {\"externalTrafficPolicy\": \"Local\"}}'");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(awaitReply(lan()).source()).isEqualTo("10.77.0.100"));
        try (Peer.Until<Load> updated = new Peer(cluster.client()).loadUntilEnd(lan())) {
            shell.type("kubectl -n berth-agents rollout restart daemonset berth-agent");
            shell.type("kubectl -n berth-agents rollout status daemonset berth-agent --timeout=200s");
            assertAnswered("the DaemonSet of the agents is updated", updated.end());
        }
        try (Peer.Until<Load> drained = new Peer(cluster.client()).loadUntilEnd(lan())) {
            shell.type(
                    "kubectl drain node1 --ignore-daemonsets --delete-emptydir-data --timeout=200s --pod-selector=app=web");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(awaitReply(lan()).name()).isEqualTo("node2"));
            assertAnswered("a node is drained", drained.end());
        }
        shell.type("kubectl uncordon node1");
        shell.type("kubectl rollout status deployment web --timeout=200s");
    }

    private static void assertAnswered(String what, Load load) {
        PodStory.figure("%s: %d of %d requests failed, and for %d ms none was answered"
                .formatted(what, load.failed(), load.requests(), load.gap()));
        // Each node has its turn, and there are four clients.
        assertThat(load.failed()).as("failed: %s", load.errors()).isLessThanOrEqualTo(8);
        assertThat(load.errors()).allSatisfy(error -> assertThat(error).endsWith("connection reset by peer"));
    }

    @Test
    @Order(14)
    void podSecurityThatForbidsAgents_isSaid_andAnotherNodeAnnounces() {
        String label = "kubectl label namespace berth-agents --overwrite pod-security.kubernetes.io/enforce=";
        shell.type(label + "restricted");
        shell.type("kubectl -n berth-agents delete pods --field-selector spec.nodeName=node1 --timeout=120s");

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(shell.type("kubectl -n berth-agents get events"))
                        .contains("violates PodSecurity \"restricted:latest\"")
                        .contains("hostNetwork=true"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(awaitReply(lan()).name()).isEqualTo("node2"));
        shell.type("kubectl apply -k own");
        shell.type("kubectl -n berth-agents rollout status daemonset berth-agent --timeout=200s");
    }

    /** With no more rights than the component gives it. */
    @Test
    @Order(15)
    void haproxyInAPod_carriesARequestFromOutside() {
        cluster.client().ip("route add 192.0.2.32/28 via " + cluster.node(1).ipv4());
        serviceOfClass("edge", "lb", "192.0.2.32/28", "Cluster");

        String address = Objects.requireNonNull(addresses().get("edge")).getFirst();
        assertThat(awaitReply("http://" + address + "/").name()).startsWith("node");
        assertThat(shell.type("kubectl get service edge -o jsonpath='{.status.loadBalancer.ingress[*].ipMode}'"))
                .isEqualTo("Proxy");
        assertThat(shell.type("curl -sf http://%s:9444/metrics"
                        .formatted(cluster.node(1).ipv4())))
                .contains("berth_haproxy_up 1");
    }

    /** The machine beside the nodes is the router. */
    @Test
    @Order(16)
    void speakersInPods_announceToARouter_whichSendsARequestToEitherNode() {
        List<Neighbour> nodes = IntStream.of(1, 2)
                .mapToObj(number ->
                        new Neighbour(cluster.node(number).name(), PodNode.ipv4(number), PodNode.ipv6(number)))
                .toList();
        try (LabRouter _ = new LabRouter(cluster.client(), folder, nodes)) {
            shell.type("""
                    cat <<EOF | kubectl apply -f -
                    apiVersion: berth.dev/v1alpha1
                    kind: BGPPeer
                    metadata: {name: router}
                    spec: {peerAddress: 10.77.0.100, peerASN: %d, myASN: %d}
                    EOF""".formatted(LabRouter.ASN, LabRouter.ASN_OF_NODES));
            serviceOfClass("routed", "bgp", "198.51.100.0/28", "Cluster");
            String address = Objects.requireNonNull(addresses().get("routed")).getFirst();

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(LabRouter.nextHops(cluster.client(), address))
                            .containsExactly(PodNode.ipv4(1), PodNode.ipv4(2)));
            assertThat(awaitReply("http://" + address + "/").name()).startsWith("node");
            shell.type("kubectl wait --for=condition=berth.dev/Announced --timeout=200s service/routed");
            shell.type("kubectl wait --for=condition=Ready --timeout=200s bgppeer/router");
            shell.type("kubectl delete bgppeer router");
        }
    }

    @Test
    @Order(17)
    void removal_byThePage_leavesNothingButTheKinds() throws IOException {
        deleteAllServices();

        shell.type("kubectl delete -k own -l 'app.kubernetes.io/component!=crds'");

        TypedPage.Step page = TypedPage.step(OPERATIONS, "kubectl get crds,namespaces");
        assertThat(shell.type(page.typed())).isEqualTo(page.printed());
        assertThat(shell.type("kubectl get pods,leases,secrets,serviceaccounts,configmaps -A -o name"))
                .doesNotContain("berth");
    }
}
