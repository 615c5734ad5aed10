package dev.berth.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the Kubernetes binaries on this machine; never builds nor downloads one.
 *
 * <p>Looks into the folder that {@code BERTH_KUBE_DIR} names ({@code <dir>/<name>}, and
 * {@code <dir>/<version>/<name>} for another Kubernetes than {@link #KUBERNETES}), then into the cache that
 * {@code make kube} fills ({@code <cache>/berth/kube/<version>-<os>-<arch>/<name>}), and for kubectl and
 * helm on {@code PATH} at last. Every lookup throws IllegalStateException when nothing executable is found, with one line
 * that says which make target gets it.
 */
public final class KubeBinaries {
    /** The Kubernetes that everything runs against unless a test says otherwise. */
    public static final String KUBERNETES = "1.36.3";

    /** The last Kubernetes whose gate LoadBalancerIPMode can be switched off. */
    public static final String GATED_KUBERNETES = "1.29.6";

    /** One that has ServiceCIDR and IPAddress in v1beta1 alone, once they are switched on. */
    public static final String BETA_KUBERNETES = "1.32.13";

    public static final String ETCD = "3.6.16";

    static final String HELM = "4.3.1";

    static final String CONTAINERD = "2.4.2";

    static final String CNI = "1.9.1";

    private final Map<String, String> environment;
    private final String platform;

    KubeBinaries(Map<String, String> environment, String osName, String osArch) {
        this.environment = Map.copyOf(environment);
        this.platform = os(osName) + "-" + arch(osArch);
    }

    /** The binaries of this machine, by its environment. */
    public static KubeBinaries ofThisMachine() {
        return new KubeBinaries(System.getenv(), System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /** Like {@code linux-amd64}. */
    String platform() {
        return platform;
    }

    public Path etcd() {
        return required("etcd", ETCD, folders(KUBERNETES, ETCD));
    }

    /**
     * The binary of this version.
     *
     * @param version of Kubernetes, like {@link #KUBERNETES}
     */
    public Path kubeApiserver(String version) {
        return kubernetes("kube-apiserver", version);
    }

    /**
     * The binary of this version.
     *
     * @param version of Kubernetes, like {@link #KUBERNETES}
     */
    public Path kubeControllerManager(String version) {
        return kubernetes("kube-controller-manager", version);
    }

    public Path kubeProxy() {
        return kubernetes("kube-proxy", KUBERNETES);
    }

    public Path kubeScheduler() {
        return kubernetes("kube-scheduler", KUBERNETES);
    }

    public Path kubelet() {
        return kubernetes("kubelet", KUBERNETES);
    }

    /** It has its shim and ctr beside it. */
    public Path containerd() {
        return required("containerd", CONTAINERD, folders(KUBERNETES, CONTAINERD));
    }

    /** The folder of the network plug-ins ptp and host-local. */
    public Path networkPlugins() {
        return required("ptp", CNI, folders(KUBERNETES, CNI))
                .resolveSibling(".")
                .normalize();
    }

    /** Kubernetes' own service controller, built from src/bench/service-controller. */
    public Path serviceController() {
        return yardstick("service-controller");
    }

    /** MetalLB's controller, built from its module; its CRDs are in metallb-crds.yaml beside it. */
    public Path metalLb() {
        return yardstick("metallb");
    }

    /** MetalLB's speaker, built from the same module. */
    public Path metalLbSpeaker() {
        return yardstick("metallb-speaker");
    }

    private Path yardstick(String name) {
        return required(
                name, KUBERNETES, Stream.concat(named(KUBERNETES).stream(), Stream.of(cache().resolve("bench"))));
    }

    public Path kubectl() {
        return required("kubectl", KUBERNETES, Stream.concat(folders(KUBERNETES, KUBERNETES), searchPath()));
    }

    public Path helm() {
        return required("helm", HELM, Stream.concat(folders(KUBERNETES, HELM), searchPath()));
    }

    private Path kubernetes(String name, String version) {
        return required(name, version, folders(version, version));
    }

    private Stream<Path> folders(String kubernetes, String component) {
        return Stream.concat(named(kubernetes).stream(), Stream.of(cache().resolve(component + "-" + platform)));
    }

    private Optional<Path> named(String kubernetes) {
        return variable("BERTH_KUBE_DIR")
                .map(Path::of)
                .map(folder -> kubernetes.equals(KUBERNETES) ? folder : folder.resolve(kubernetes));
    }

    private Path cache() {
        return variable("XDG_CACHE_HOME")
                .map(Path::of)
                .orElseGet(() -> Path.of(variable("HOME").orElseGet(() -> System.getProperty("user.home")), ".cache"))
                .resolve("berth/kube");
    }

    private Stream<Path> searchPath() {
        return variable("PATH").stream()
                .flatMap(Pattern.compile(File.pathSeparator, Pattern.LITERAL)::splitAsStream)
                .filter(entry -> !entry.isEmpty())
                .map(Path::of);
    }

    private Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    private static Path required(String name, String version, Stream<Path> folders) {
        List<Path> candidates = folders.map(folder -> folder.resolve(name)).toList();
        return candidates.stream()
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .map(Path::toAbsolutePath)
                .orElseThrow(() -> new IllegalStateException(
                        "%s %s is not at %s; run `make kube` (`make kube ALL=1` gets the optional ones too) or set BERTH_KUBE_DIR"
                                .formatted(name, version, candidates.getFirst())));
    }

    private static String os(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    }

    private static String arch(String name) {
        return switch (name) {
            case "aarch64", "arm64" -> "arm64";
            default -> "amd64";
        };
    }
}
