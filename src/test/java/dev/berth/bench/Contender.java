package dev.berth.bench;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.demo.InstalledBerth;
import dev.berth.testing.ChildProcess;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.FreePort;
import dev.berth.testing.InstalledMetalLb;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.OperatorProcess;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.awaitility.Awaitility;

/** Who gives Services their addresses. */
interface Contender {
    /**
     * A process of it.
     *
     * @param stop ends it in order
     */
    record Running(ChildProcess process, Runnable stop) implements AutoCloseable {
        private static final Duration GRACE = Duration.ofSeconds(20);

        static Running of(ChildProcess process) {
            return new Running(process, () -> process.stop(GRACE));
        }

        static Running of(OperatorProcess operator) {
            return new Running(operator.process(), operator::close);
        }

        /** What it has used so far. */
        ProcessUse use() {
            return ProcessUse.of(process.pid());
        }

        /** For how long it has been running. */
        double seconds() {
            return (System.nanoTime() - process.started()) / 1e9;
        }

        /** Stops it with SIGSTOP, and returns once it is stopped. */
        void suspend() {
            process.signal("STOP");
            Awaitility.await().atMost(GRACE).pollInterval(Duration.ofMillis(20)).until(this::isStopped);
        }

        private boolean isStopped() throws IOException {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        }

        void goOn() {
            process.signal("CONT");
        }

        @Override
        public void close() {
            stop.run();
        }
    }

    /** What it needs is in the cluster. */
    interface Installed {
        /** Starts it. */
        Running start();

        /** The same for one that is stopped by a signal for longer than it could hold a Lease. */
        default Running startWithoutLease() {
            return start();
        }
    }

    /** As the table says it. */
    String title();

    /** Whether it says when it is ready. Others are started when {@link Installed#start} returns, and no more is known. */
    default boolean saysWhenReady() {
        return false;
    }

    /** A sentence above the table, of what a reader of its numbers has to know; empty if there is nothing. */
    default String remark() {
        return "";
    }

    /** Whether it is fast enough for 10,000 Services. */
    default boolean isForMany() {
        return true;
    }

    Installed install(ControlPlane cluster);

    /** Where the log of this contender is. */
    default Path logFile() {
        return Path.of("target/bench-" + title().replace(' ', '-') + ".log");
    }

    /**
     * Berth, with the flags of its Deployment, but for {@link Installed#startWithoutLease}, and where {@link
     * MemoryGroup#possible} in a control group with the limit of its Pod.
     */
    final class Berth implements Contender {
        static final String POOL = """
                apiVersion: berth.dev/v1alpha1
                kind: AddressPool
                metadata:
                  name: bench
                spec:
                  addresses: [198.18.0.0/15]
                """;

        /** Of docs/operations.md, "Memory", for many endpoints: the heap and the limit in MiB. */
        private static final int WIDE_HEAP = 192;

        private static final int WIDE_LIMIT = 448;

        @Override
        public String title() {
            return "Berth";
        }

        @Override
        public boolean saysWhenReady() {
            return true;
        }

        @Override
        public String remark() {
            return MemoryGroup.possible()
                    ? "Berth ran in a control group with the memory limit of its Pod, and of %dMi in the last rows."
                            .formatted(WIDE_LIMIT)
                    : "Berth ran without a memory limit: no control group can be created here.";
        }

        @Override
        public Installed install(ControlPlane cluster) {
            InstalledBerth berth = InstalledBerth.into(cluster);
            cluster.adminClient()
                    .resource(Serialization.unmarshal(POOL, AddressPool.class))
                    .create();
            return new Deployed(berth);
        }

        record Deployed(InstalledBerth berth) implements Installed {
            @Override
            public Running start() {
                return limited(berth.memoryLimit(), InstalledBerth::startOperator);
            }

            @Override
            public Running startWithoutLease() {
                return limited(berth.memoryLimit(), limited -> limited.startOperatorWithout("--leader-elect"));
            }

            /** Starts it with these plug-ins beside its own providers, and with the memory that the docs have for many endpoints. */
            Running startWithPlugins(Path folder) {
                return limited(
                        (long) WIDE_LIMIT << 20,
                        limited -> limited.startOperatorWith(WIDE_HEAP, "--plugin-dir=" + folder));
            }

            private Running limited(long bytes, Function<InstalledBerth, OperatorProcess> start) {
                if (!MemoryGroup.possible()) {
                    return Running.of(start.apply(berth));
                }
                MemoryGroup group = MemoryGroup.create(bytes);
                try {
                    OperatorProcess operator = start.apply(berth.startedBy(group.entering()));
                    return new Running(operator.process(), () -> {
                        try (group) {
                            operator.close();
                        }
                    });
                } catch (RuntimeException failure) {
                    try (group) {
                        throw failure;
                    }
                }
            }
        }
    }

    /** Kubernetes' own, over a cloud whose load balancers are ready at once: 10 workers, no limit to its rate. */
    final class ServiceController implements Contender {
        @Override
        public String title() {
            return "service controller";
        }

        @Override
        public Installed install(ControlPlane cluster) {
            List<String> command = List.of(
                    KubeBinaries.ofThisMachine().serviceController().toString(),
                    "--kubeconfig=" + cluster.clusterAdminServiceAccountKubeconfig("service-controller"),
                    "--workers=10");
            return () -> Running.of(ChildProcess.start(
                    "service-controller", command, Path.of("").toAbsolutePath(), logFile()));
        }
    }

    /** MetalLB's controller alone, as it comes: its client lets it make 20 requests a second. */
    final class MetalLb implements Contender {
        @Override
        public String title() {
            return "MetalLB";
        }

        @Override
        public String remark() {
            return "MetalLB limits itself to 20 Services/s.";
        }

        @Override
        public boolean isForMany() {
            return false;
        }

        @Override
        public Installed install(ControlPlane cluster) {
            cluster.kubectl("create", "namespace", "metallb-system");
            InstalledMetalLb metalLb = InstalledMetalLb.into(cluster, "metallb-system", "198.18.0.0/15");
            List<String> command = metalLb.controller("--port=" + FreePort.next());
            return () -> Running.of(
                    ChildProcess.start("metallb", command, Path.of("").toAbsolutePath(), logFile()));
        }
    }
}
