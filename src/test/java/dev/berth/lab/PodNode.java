package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.KubeBinaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A node of a {@link PodCluster}: a real containerd, kubelet and kube-proxy, in network, mount and process namespaces of
 * their own.
 *
 * @param folder its settings and its logs
 */
record PodNode(int number, Path folder, Namespace namespace, ChildProcess process) {
    private static final Path PROGRAM = Path.of("src/test/lab/pod-node").toAbsolutePath();

    /** Starts it; it is Ready some time later, and has the images then. */
    static PodNode start(int number, Path folder, List<Path> images, String controlGroup, ControlPlane controlPlane) {
        KubeBinaries binaries = KubeBinaries.ofThisMachine();
        String name = "node" + number;
        String group = controlGroup + "/" + name;
        try {
            Files.createDirectories(folder);
            for (Path image : images) {
                Files.createLink(folder.resolve(image.getFileName()), image);
            }
            Files.createDirectory(folder.resolve("cni"));
            Files.writeString(folder.resolve("cni/pods.conflist"), podNetwork(number));
            Files.writeString(folder.resolve("containerd.toml"), containerd(folder, binaries.networkPlugins()));
            Files.writeString(folder.resolve("kubelet.yaml"), kubelet(folder, group));
            Files.writeString(folder.resolve("kube-proxy.yaml"), kubeProxy());
            copy(controlPlane.caFile(), folder.resolve("ca.crt"));
            copy(
                    controlPlane.kubeconfigOf("system:node:" + name, "system:nodes"),
                    folder.resolve("kubelet.kubeconfig"));
            copy(
                    controlPlane.kubeconfigOf("system:kube-proxy", "system:node-proxiers"),
                    folder.resolve("kube-proxy.kubeconfig"));
        } catch (IOException failure) {
            throw new UncheckedIOException("preparing " + name, failure);
        }
        ChildProcess process = ChildProcess.start(
                name,
                List.of(
                        "nsenter",
                        "--net=/run/netns/" + name,
                        "unshare",
                        "--mount",
                        "--pid",
                        "--fork",
                        "--kill-child",
                        "--mount-proc",
                        PROGRAM.toString(),
                        folder.toString(),
                        name,
                        ipv4(number) + "," + ipv6(number),
                        group,
                        binaries.kubelet().toString(),
                        binaries.kubeProxy().toString(),
                        binaries.containerd().toString()),
                folder,
                folder.resolve("node.log"));
        return new PodNode(number, folder, new Namespace(name), process);
    }

    static String ipv4(int number) {
        return "10.77.0.1" + number;
    }

    static String ipv6(int number) {
        return "fd77::1" + number;
    }

    String name() {
        return "node" + number;
    }

    String ipv4() {
        return ipv4(number);
    }

    /** Has what is for the Pods of this node sent to it. */
    void routeFrom(Namespace other) {
        other.ip("route add 10.244." + number + ".0/24 via " + ipv4(number));
        other.ip("route add fd00:244:" + number + "::/64 via " + ipv6(number));
    }

    /** Each Pod has a link of its own to its node, and addresses of both families; what they send is routed. */
    private static String podNetwork(int number) {
        return """
                {"cniVersion": "1.0.0", "name": "pods", "plugins": [{"type": "ptp", "ipMasq": false, "ipam": {
                  "type": "host-local", "dataDir": "/run/pod-addresses",
                  "ranges": [[{"subnet": "10.244.%1$d.0/24"}], [{"subnet": "fd00:244:%1$d::/64"}]],
                  "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}}]}
                """.formatted(number);
    }

    /** Where CAP_SYS_RESOURCE is missing, a container's OOM score cannot be lowered. */
    private static String containerd(Path folder, Path networkPlugins) {
        return """
                version = 3
                root = '/var/lib/containerd'
                state = '/run/containerd'

                [plugins.'io.containerd.cri.v1.images'.pinned_images]
                sandbox = '%s'

                [plugins.'io.containerd.cri.v1.runtime']
                restrict_oom_score_adj = true

                [plugins.'io.containerd.cri.v1.runtime'.cni]
                bin_dirs = ['%s']
                conf_dir = '%s'
                use_internal_loopback = true
                """.formatted(PodCluster.PAUSE_IMAGE, networkPlugins, folder.resolve("cni"));
    }

    /** A node that takes Pods however full the machine is, and does not limit them all together. */
    private static String kubelet(Path folder, String group) {
        return """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                authentication:
                  anonymous: {enabled: false}
                  webhook: {enabled: true}
                  x509: {clientCAFile: %s}
                authorization: {mode: Webhook}
                cgroupDriver: cgroupfs
                cgroupRoot: /%s
                containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
                enforceNodeAllocatable: []
                evictionHard: {memory.available: 1Mi}
                failCgroupV1: false
                failSwapOn: false
                imageGCHighThresholdPercent: 100
                makeIPTablesUtilChains: false
                oomScoreAdj: 0
                resolvConf: ""
                volumePluginDir: /var/lib/kubelet/plugins
                """.formatted(folder.resolve("ca.crt"), group);
    }

    private static String kubeProxy() {
        return """
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                clientConnection: {kubeconfig: kube-proxy.kubeconfig}
                clusterCIDR: 10.244.0.0/16,fd00:244::/32
                conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
                mode: nftables
                """;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
}
