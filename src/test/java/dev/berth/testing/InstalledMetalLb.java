package dev.berth.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** MetalLB, as benchmarks compare it: built from its Go module, its kinds in a cluster, and the commands of its processes. */
public final class InstalledMetalLb {
    private final String namespace;
    private final Path kubeconfig;

    private InstalledMetalLb(String namespace, Path kubeconfig) {
        this.namespace = namespace;
        this.kubeconfig = kubeconfig;
    }

    /**
     * Creates its kinds, a pool, and that its addresses are announced by ARP and NDP.
     *
     * @param namespace that there is
     * @param addresses a range
     */
    public static InstalledMetalLb into(ControlPlane cluster, String namespace, String addresses) {
        String kinds = KubeBinaries.ofThisMachine()
                .metalLb()
                .resolveSibling("metallb-crds.yaml")
                .toString();
        cluster.kubectl("apply", "-f", kinds);
        cluster.kubectl("wait", "--for=condition=Established", "-f", kinds);
        cluster.adminClient().resource("""
                        apiVersion: metallb.io/v1beta1
                        kind: IPAddressPool
                        metadata: {name: bench, namespace: %s}
                        spec: {addresses: ["%s"]}
                        """.formatted(namespace, addresses)).create();
        cluster.adminClient().resource("""
                        apiVersion: metallb.io/v1beta1
                        kind: L2Advertisement
                        metadata: {name: bench, namespace: %s}
                        """.formatted(namespace)).create();
        return new InstalledMetalLb(namespace, cluster.clusterAdminServiceAccountKubeconfig("metallb"));
    }

    /** The command of its controller, without its webhook. */
    public List<String> controller(String... flags) {
        List<String> command = command(KubeBinaries.ofThisMachine().metalLb(), flags);
        command.add("--webhook-mode=disabled");
        return command;
    }

    /** The command of its speaker. */
    public List<String> speaker(String... flags) {
        return command(KubeBinaries.ofThisMachine().metalLbSpeaker(), flags);
    }

    private List<String> command(Path binary, String... flags) {
        List<String> command =
                new ArrayList<>(List.of(binary.toString(), "--kubeconfig=" + kubeconfig, "--namespace=" + namespace));
        command.addAll(List.of(flags));
        return command;
    }
}
