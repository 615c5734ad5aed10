package dev.berth.bench;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** What a ServiceCIDRPolicy costs on a real API server with 50,000 IPAddresses, in the heap of the Deployment. */
final class ManyClusterIps {
    private static final int MANY = 50_000;
    private static final int MORE = 1_000;
    private static final int AT_ONCE = 16;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern HEAP = Pattern.compile("jvm_memory_used_bytes\\{area=\"heap\",[^}]*} ([0-9.E]+)");

    private ManyClusterIps() {}

    /** Prints what it measured. */
    public static void main(String[] args) {
        try (ControlPlane cluster =
                        ControlPlane.builder().serviceCidrs("10.96.0.0/12").start();
                Installation berth = new Installation(cluster)) {
            KubernetesClient client = cluster.adminClient();
            create(client, 0, MANY);
            client.resource(Serialization.unmarshal("""
                            apiVersion: berth.dev/v1alpha1
                            kind: ServiceCIDRPolicy
                            metadata: {name: cluster}
                            spec: {}
                            """, ServiceCIDRPolicy.class))
                    .create();

            long start = System.nanoTime();
            try (OperatorProcess operator = OperatorProcess.startWith(List.of("-Xmx132m"), berth.kubeconfig())) {
                measure(client, operator, start);
            }
        }
    }

    private static void measure(KubernetesClient client, OperatorProcess operator, long start) {
        await(client, MANY);
        ProcessUse started = ProcessUse.of(operator.pid());
        System.out.printf(
                "%d IPAddresses: known %.1f s after the start of the process, with %.1f s of processor time%n",
                MANY, (System.nanoTime() - start) / 1e9, started.cpuSeconds());
        System.out.printf(
                "heap in use: %.0f MiB, the garbage included; peak of the process: %.0f MiB%n",
                heap(operator) / (1 << 20), started.peakMebibytes());

        create(client, MANY, MORE);
        await(client, MANY + MORE);
        System.out.printf(
                "%d more: %.1f ms of processor time each%n",
                MORE, (ProcessUse.of(operator.pid()).cpuSeconds() - started.cpuSeconds()) * 1_000 / MORE);
    }

    /** Of nobody's allocator: the API server's would not bear IPAddresses without Services for long. */
    private static void create(KubernetesClient client, int from, int number) {
        try (ExecutorService writers = Executors.newFixedThreadPool(AT_ONCE)) {
            IntStream.range(from, from + number)
                    .forEach(i ->
                            writers.execute(() -> client.resource(address(i)).create()));
        }
    }

    private static IPAddress address(int i) {
        int low = i + (1 << 16);
        return new IPAddressBuilder()
                .withNewMetadata()
                .withName("10." + (96 + (low >> 16)) + "." + (low >> 8 & 255) + "." + (low & 255))
                .endMetadata()
                .withNewSpec()
                .withNewParentRef()
                .withGroup("example.com")
                .withResource("boats")
                .withName("boat-" + i)
                .endParentRef()
                .endSpec()
                .build();
    }

    /** Two more are there: of the API server's own Service, and of that for the metrics. */
    private static void await(KubernetesClient client, int number) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Optional.ofNullable(client.resources(ServiceCIDRPolicy.class)
                                .withName(ServiceCIDRPolicy.NAME)
                                .get()
                                .getStatus())
                        .map(ServiceCIDRPolicy.Status::ipv4)
                        .filter(ipv4 -> Long.parseLong(ipv4.allocated()) == number + 2L)
                        .isPresent());
    }

    private static double heap(OperatorProcess operator) {
        Matcher pools = HEAP.matcher(operator.metrics());
        return pools.results()
                .mapToDouble(pool -> Double.parseDouble(pool.group(1)))
                .sum();
    }
}
