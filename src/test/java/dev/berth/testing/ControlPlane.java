package dev.berth.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.ip.IpRange;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A real Kubernetes control plane as ordinary processes: etcd, kube-apiserver and, when asked for, some controllers
 * of kube-controller-manager and kube-scheduler. There are no nodes and no kubelets: without them a Pod stays Pending.
 *
 * <p>Any number may run at once. RBAC is on; clients come by certificates and ServiceAccount tokens. etcd listens on
 * Unix sockets in a private directory, the API server on a loopback port that the kernel chose, the controller
 * manager nowhere. Everything ends with {@link #close()} or with the JVM, however that ends; a crashed JVM's
 * directory is removed when the next control plane of the same user starts.
 *
 * <p>Without controllers nothing is garbage-collected, a namespace never finishes deleting, a ServiceCIDR has no
 * Ready condition, and there are neither EndpointSlices nor default ServiceAccounts.
 *
 * <p>Not thread-safe in its starting and stopping methods.
 */
public final class ControlPlane implements AutoCloseable {
    private static final Duration READY = Patience.LONG;
    private static final Duration PATIENT = Duration.ofMinutes(1);
    private static final Duration GRACE = Duration.ofSeconds(15);
    private static final Duration POLL = Duration.ofMillis(50);

    /** Relative to the working directory of all processes: a path in a temporary folder may be too long for one. */
    private static final String ETCD_SOCKET = "etcd.sock:0";

    private static final String AUDIT_POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules:
            - level: None
              verbs: [watch]
            - level: None
              users: ["system:apiserver"]
            - level: None
              nonResourceURLs: ["*"]
            - level: Metadata
            """;

    private static final String ETCD = "etcd";
    private static final String API_SERVER = "kube-apiserver";
    private static final String CONTROLLER_MANAGER = "kube-controller-manager";
    private static final String SCHEDULER = "kube-scheduler";

    private final Builder options;
    private final OwnedDirectory directory;
    private final ReservedPort port;
    private final CertificateAuthority authority = new CertificateAuthority(Clock.systemUTC());
    private final SequencedMap<String, ChildProcess> processes = new LinkedHashMap<>();
    private @Nullable KubernetesClient admin;
    private int forgotten;

    private ControlPlane(Builder options) {
        this.options = options;
        this.port = ReservedPort.on(options.bindAddress);
        this.directory = options.keep == null ? OwnedDirectory.create() : OwnedDirectory.keep(options.keep);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What to start; without any call: Kubernetes {@value KubeBinaries#KUBERNETES}, dual stack, no controllers. */
    public static final class Builder {
        private KubeBinaries binaries = KubeBinaries.ofThisMachine();
        private String version = KubeBinaries.KUBERNETES;
        private List<String> serviceCidrs = List.of("10.96.0.0/16", "fd00:10:96::/108");
        private InetAddress bindAddress = InetAddress.ofLiteral("127.0.0.1");
        private boolean kubernetesEndpoints;
        private ServerFlags apiServerFlags = ServerFlags.none();
        private boolean auditLog;
        private List<String> controllers = List.of();
        private boolean nodes;
        private @Nullable Path keep;
        private @Nullable Path objects;

        private Builder() {}

        /** One of {@link KubeBinaries}, like {@link KubeBinaries#KUBERNETES}. */
        public Builder version(String version) {
            this.version = version;
            return this;
        }

        public Builder binaries(KubeBinaries binaries) {
            this.binaries = binaries;
            return this;
        }

        /** One range, or one of each IP family; the first is the cluster's primary family. */
        public Builder serviceCidrs(String... cidrs) {
            serviceCidrs = List.of(cidrs);
            return this;
        }

        /**
         * Where the API server listens, instead of 127.0.0.1, with the endpoints of {@code default/kubernetes}: they
         * exist only here, because Kubernetes refuses loopback addresses as endpoints.
         *
         * @param address an IP address of this machine, of the primary family, not loopback
         */
        public Builder reachableAt(String address) {
            bindAddress = InetAddress.ofLiteral(address);
            kubernetesEndpoints = true;
            return this;
        }

        /**
         * A flag like {@code --name=value}; it replaces the default of this name.
         *
         * @throws IllegalArgumentException if it is not of this form; boolean flags need their value too
         */
        public Builder apiServerFlag(String flag) {
            apiServerFlags = apiServerFlags.with(List.of(flag));
            return this;
        }

        /** Makes {@link ControlPlane#auditEvents()} available. */
        public Builder withAuditLog() {
            auditLog = true;
            return this;
        }

        /**
         * Starts kube-controller-manager with these controllers only, under their own ServiceAccounts. It is not
         * waited for: await what the controllers do.
         */
        public Builder controllerManager(String... controllers) {
            this.controllers = List.of(controllers);
            return this;
        }

        /**
         * Lets kubelets in, by {@link ControlPlane#kubeconfigOf}, and starts kube-scheduler. A kubelet has to accept the
         * certificates of {@link ControlPlane#caFile()}.
         */
        public Builder withNodes() {
            nodes = true;
            return this;
        }

        /**
         * Keeps all files, logs and data too, in {@code directory} after the end.
         *
         * @param directory new or empty
         */
        public Builder keepDirectory(Path directory) {
            keep = directory;
            return this;
        }

        /**
         * Begins with the objects of one that has ended, by a copy of etcd's data. Tokens of that one are not valid here.
         *
         * @param kept the directory of its {@link #keepDirectory}
         */
        public Builder objectsOf(Path kept) {
            objects = kept;
            return this;
        }

        /**
         * Starts the processes and waits until the API server is ready and {@code default/kubernetes} exists.
         *
         * @throws IllegalStateException if a binary is missing, or if a process ends or is not ready in 90 seconds;
         *     with the tail of its log
         */
        public ControlPlane start() {
            ControlPlane controlPlane = new ControlPlane(this);
            try {
                controlPlane.startAll();
                return controlPlane;
            } catch (Throwable failure) {
                try {
                    controlPlane.close();
                } catch (RuntimeException e) {
                    failure.addSuppressed(e);
                }
                throw failure;
            }
        }
    }

    /** The API server's address, like {@code https://127.0.0.1:40123}; the same after a restart. */
    public String url() {
        String host = options.bindAddress.getHostAddress();
        return "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port.number();
    }

    /** The certificate authority of the API server and of its clients. */
    public String caPem() {
        return authority.pem();
    }

    /** The file with {@link #caPem()}. */
    public Path caFile() {
        return file("ca.crt");
    }

    /** A kubeconfig of a user who is in this group, by a certificate. */
    public Path kubeconfigOf(String user, String group) {
        String name = user.replace(':', '.') + ".kubeconfig";
        write(name, kubeconfig(authority.client(user, group)));
        return file(name);
    }

    /** A kubeconfig of a cluster administrator. */
    public Path adminKubeconfig() {
        return file("admin.kubeconfig");
    }

    /** A cluster administrator's client, closed with the control plane. */
    public KubernetesClient adminClient() {
        if (admin == null) {
            admin = clientFor(adminKubeconfig());
        }
        return admin;
    }

    /**
     * Its own client, for the caller to close. It waits for longer than the default of 10 s: the API server may share two
     * processors with all that other tests start.
     */
    public KubernetesClient clientFor(Path kubeconfig) {
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        config.setRequestTimeout((int) PATIENT.toMillis());
        return client(config);
    }

    /**
     * A kubeconfig with a fresh token of this ServiceAccount, good for a day. The ServiceAccount may do what RBAC
     * grants it; each call gives a token and its own file.
     *
     * @throws KubernetesClientException with code 404 if there is no such ServiceAccount
     */
    public Path serviceAccountKubeconfig(String namespace, String name) {
        return written(name, ".kubeconfig", kubeconfig("token: " + token(namespace, name)));
    }

    /**
     * What a Pod of this ServiceAccount finds the API server by, as variables of the environment: {@code NAME=value}. No
     * kubeconfig is looked for.
     *
     * @throws KubernetesClientException with code 404 if there is no such ServiceAccount
     */
    public List<String> podEnvironment(String namespace, String serviceAccount) {
        return List.of(
                "KUBERNETES_SERVICE_HOST=" + options.bindAddress.getHostAddress(),
                "KUBERNETES_SERVICE_PORT=" + port.number(),
                "KUBERNETES_CERTS_CA_FILE=" + caFile().toAbsolutePath(),
                "KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN="
                        + written(serviceAccount, ".token", token(namespace, serviceAccount)),
                "KUBERNETES_AUTH_TRYKUBECONFIG=false");
    }

    private String token(String namespace, String serviceAccount) {
        TokenRequest day = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(Duration.ofDays(1).toSeconds())
                .endSpec()
                .build();
        TokenRequest granted = adminClient()
                .serviceAccounts()
                .inNamespace(namespace)
                .withName(serviceAccount)
                .tokenRequest(day);
        return granted.getStatus().getToken();
    }

    private Path written(String name, String ending, String text) {
        try {
            return Files.writeString(Files.createTempFile(directory.path(), name + "-", ending), text);
        } catch (IOException e) {
            throw new UncheckedIOException("writing a file for " + name, e);
        }
    }

    /**
     * The same, of a new ServiceAccount in {@code default} that may do everything: requests of the administrator would
     * bypass the API server's queues.
     */
    public Path clusterAdminServiceAccountKubeconfig(String name) {
        kubectl("create", "serviceaccount", name);
        kubectl(
                "create",
                "clusterrolebinding",
                name,
                "--clusterrole=cluster-admin",
                "--serviceaccount=default:" + name);
        return serviceAccountKubeconfig("default", name);
    }

    /**
     * What the API server has answered since the start, in that order; not the watches, the requests of the API
     * server to itself, nor requests for anything else than resources. The server may note a request shortly after
     * its client has the answer: await what you expect.
     *
     * @throws IllegalStateException without {@link Builder#withAuditLog()}
     */
    public List<AuditEvent> auditEvents() {
        if (!options.auditLog) {
            throw new IllegalStateException("this control plane has no audit log; build it withAuditLog()");
        }
        String log = auditLog().substring(forgotten);
        // The last line may be half written.
        return log.substring(0, log.lastIndexOf('\n') + 1)
                .lines()
                .map(AuditEvent::parse)
                .toList();
    }

    /** From now on {@link #auditEvents()} has only what comes after. */
    void forgetAuditEvents() {
        if (options.auditLog) {
            forgotten = auditLog().lastIndexOf('\n') + 1;
        }
    }

    private String auditLog() {
        return read("audit.log");
    }

    /**
     * Runs kubectl as cluster administrator.
     *
     * @return its standard output
     * @throws IllegalStateException if it fails, with its standard error, or if it runs for more than a minute
     */
    public String kubectl(String... arguments) {
        return new Kubectl(options.binaries, adminKubeconfig(), directory.path()).run(arguments);
    }

    /**
     * The last lines of a process's log, over all its starts.
     *
     * @param process etcd, kube-apiserver, kube-controller-manager or kube-scheduler
     */
    public String log(String process) {
        return process(process).logTail(200);
    }

    /** The process itself, for its ID or to send it a signal like STOP. */
    public ChildProcess process(String name) {
        ChildProcess process = processes.get(name);
        if (process == null) {
            throw new IllegalArgumentException("%s is not among the processes %s".formatted(name, processes.keySet()));
        }
        return process;
    }

    /** Ends the API server in its orderly way; its port stays reserved and refuses connections. */
    public void stopApiServer() {
        process(API_SERVER).stop(GRACE);
    }

    /**
     * Starts the API server again, on the same port and the same data, and waits until it is ready.
     *
     * @param flags {@code --name=value}, in addition to those of the builder and only until the next start
     * @throws IllegalStateException if it still runs or does not become ready
     */
    public void startApiServer(String... flags) {
        ChildProcess previous = processes.get(API_SERVER);
        if (previous != null && previous.isAlive()) {
            throw new IllegalStateException("kube-apiserver still runs; stop it first");
        }
        List<String> command = Stream.concat(
                        Stream.of(
                                options.binaries.kubeApiserver(options.version).toString()),
                        apiServerFlags().with(options.apiServerFlags).with(List.of(flags)).toList().stream())
                .toList();
        launch(API_SERVER, command);
        try (KubernetesClient probe = probe()) {
            await(API_SERVER, () -> isReady(probe));
        }
    }

    /** {@link #stopApiServer()} and {@link #startApiServer}. */
    public void restartApiServer(String... flags) {
        stopApiServer();
        startApiServer(flags);
    }

    /** Ends all processes and removes their files, unless they are kept. Once closed, further calls do nothing. */
    @Override
    public void close() {
        try (directory;
                port) {
            if (admin != null) {
                admin.close();
            }
            processes.sequencedValues().reversed().forEach(ChildProcess::close);
        }
    }

    private void startAll() {
        writeFiles();
        startEtcd();
        startApiServer();
        if (!options.controllers.isEmpty()) {
            startControllerManager();
        }
        if (options.nodes) {
            startScheduler();
        }
    }

    private void writeFiles() {
        String address = options.bindAddress.getHostAddress();
        write("ca.crt", authority.pem());
        write(
                "server",
                authority.server(new TreeSet<>(List.of(
                        address,
                        kubernetesService(),
                        "127.0.0.1",
                        "::1",
                        "localhost",
                        "kubernetes",
                        "kubernetes.default.svc"))));
        CertificateAuthority.SigningKey tokens = CertificateAuthority.signingKey();
        write("service-account.pub", tokens.publicKey());
        write("service-account.key", tokens.privateKey());
        write("admin.kubeconfig", kubeconfig(authority.client("berth-admin", "system:masters")));
        write("controller-manager.kubeconfig", kubeconfig(authority.client("system:" + CONTROLLER_MANAGER, "berth")));
        write("audit-policy.yaml", AUDIT_POLICY);
        if (options.nodes) {
            write("kubelet-client", authority.client("berth-kube-apiserver", "system:masters"));
        }
    }

    /** What Pods call the API server by: the first address of the first Service range. */
    private String kubernetesService() {
        return IpRange.parse(options.serviceCidrs.getFirst()).lower().next().toString();
    }

    private void startEtcd() {
        if (options.objects != null) {
            copy(options.objects.resolve(ETCD), file(ETCD));
        }
        launch(
                ETCD,
                List.of(
                        options.binaries.etcd().toString(),
                        "--name=berth",
                        "--data-dir=" + ETCD,
                        "--listen-client-urls=unix://" + ETCD_SOCKET,
                        "--listen-peer-urls=unix://peer.sock:0",
                        // Announced to other members, of which there are none; only their form matters.
                        "--advertise-client-urls=http://127.0.0.1:1",
                        "--initial-advertise-peer-urls=http://127.0.0.1:1",
                        "--initial-cluster=berth=http://127.0.0.1:1",
                        // Each heartbeat wakes it, and so does each tick while it is alone. With longer ones it would
                        // start late.
                        "--heartbeat-interval=100",
                        "--election-timeout=500",
                        "--unsafe-no-fsync=true"));
        await(ETCD, () -> Files.exists(file(ETCD_SOCKET)));
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path file : (Iterable<Path>) tree::iterator) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("copying " + from, e);
        }
    }

    private ServerFlags apiServerFlags() {
        String address = options.bindAddress.getHostAddress();
        ServerFlags flags = ServerFlags.none()
                .with(List.of(
                        "--etcd-servers=unix://" + ETCD_SOCKET,
                        "--bind-address=" + address,
                        "--advertise-address=" + address,
                        "--secure-port=" + port.number(),
                        "--permit-port-sharing=true",
                        "--endpoint-reconciler-type=" + (options.kubernetesEndpoints ? "lease" : "none"),
                        "--service-cluster-ip-range=" + String.join(",", options.serviceCidrs),
                        "--tls-cert-file=server.crt",
                        "--tls-private-key-file=server.key",
                        "--client-ca-file=ca.crt",
                        "--authorization-mode=RBAC",
                        "--service-account-issuer=https://kubernetes.default.svc",
                        "--service-account-key-file=service-account.pub",
                        "--service-account-signing-key-file=service-account.key",
                        "--allow-privileged=true",
                        "--max-requests-inflight=2000",
                        "--max-mutating-requests-inflight=1000"));
        if (options.nodes) {
            flags = flags.with(List.of(
                    "--authorization-mode=Node,RBAC",
                    "--enable-admission-plugins=NodeRestriction",
                    "--kubelet-preferred-address-types=InternalIP",
                    "--kubelet-client-certificate=kubelet-client.crt",
                    "--kubelet-client-key=kubelet-client.key"));
        }
        return options.auditLog
                ? flags.with(List.of(
                        "--audit-policy-file=audit-policy.yaml",
                        "--audit-log-path=audit.log",
                        // In MB; the default would rotate the file away.
                        "--audit-log-maxsize=100000"))
                : flags;
    }

    private void startControllerManager() {
        launch(
                CONTROLLER_MANAGER,
                List.of(
                        options.binaries.kubeControllerManager(options.version).toString(),
                        "--kubeconfig=controller-manager.kubeconfig",
                        "--controllers=" + String.join(",", options.controllers),
                        "--use-service-account-credentials=true",
                        "--service-account-private-key-file=service-account.key",
                        "--root-ca-file=ca.crt",
                        "--leader-elect=false",
                        "--secure-port=0"));
    }

    private void startScheduler() {
        launch(
                SCHEDULER,
                List.of(
                        options.binaries.kubeScheduler().toString(),
                        "--kubeconfig="
                                + kubeconfigOf("system:" + SCHEDULER, "berth").getFileName(),
                        "--leader-elect=false",
                        "--secure-port=0"));
    }

    private void launch(String name, List<String> command) {
        // Most of them live for a minute: memory is cheaper than the time that Go's garbage collector takes.
        List<String> withMemory =
                Stream.concat(Stream.of("env", "GOGC=400"), command.stream()).toList();
        processes.put(name, ChildProcess.start(name, withMemory, directory.path(), file(name + ".log")));
    }

    private boolean isReady(KubernetesClient probe) {
        return "ok".equals(probe.raw("/readyz"))
                && probe.namespaces().withName("default").get() != null
                && probe.services()
                                .inNamespace("default")
                                .withName("kubernetes")
                                .get()
                        != null;
    }

    /** A client that asks once, where others repeat a refused request for minutes. */
    private KubernetesClient probe() {
        Config config = Config.fromKubeconfig(adminKubeconfig().toFile());
        config.setRequestRetryBackoffLimit(0);
        return client(config);
    }

    /** With a Vert.x that ends with the client: the one of Quarkus' factory would keep this JVM from ending. */
    private static KubernetesClient client(Config config) {
        return new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new VertxHttpClientFactory())
                .build();
    }

    private void await(String name, Callable<Boolean> ready) {
        try {
            Awaitility.await()
                    .atMost(READY)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(POLL)
                    .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                    .until(() -> {
                        processes.values().forEach(ChildProcess::requireAlive);
                        return ready.call();
                    });
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(
                    "%s is not ready after %s; its log ends with:%n%s"
                            .formatted(name, READY, process(name).logTail(30)),
                    e);
        }
    }

    private String kubeconfig(CertificateAuthority.Credential user) {
        return kubeconfig("client-certificate-data: %s\n    client-key-data: %s"
                .formatted(base64(user.certificate()), base64(user.privateKey())));
    }

    private String kubeconfig(String user) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: berth
                  cluster:
                    server: %s
                    certificate-authority-data: %s
                users:
                - name: berth
                  user:
                    %s
                contexts:
                - name: berth
                  context:
                    cluster: berth
                    user: berth
                current-context: berth
                """.formatted(url(), base64(caPem()), user);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private Path file(String name) {
        return directory.path().resolve(name);
    }

    private void write(String name, CertificateAuthority.Credential credential) {
        write(name + ".crt", credential.certificate());
        write(name + ".key", credential.privateKey());
    }

    private void write(String name, String content) {
        try {
            Files.writeString(file(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException("writing " + name, e);
        }
    }

    private String read(String name) {
        try {
            return Files.readString(file(name));
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + name, e);
        }
    }
}
