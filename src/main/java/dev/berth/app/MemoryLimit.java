package dev.berth.app;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * What the kernel, or the limit of the container, lets a JVM have, and what it wants for its heap at most; in bytes.
 */
record MemoryLimit(long limit, long heap) {
    private static final long MIB = 1L << 20;

    /** Code, classes and threads never need less. */
    private static final long LEAST_BESIDE_HEAP = 64 * MIB;

    /** What they need usually, unless the heap is larger: docs/operations.md, Memory. */
    private static final long BESIDE_HEAP = 144 * MIB;

    static MemoryLimit ofThisProcess() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        // Runtime.maxMemory() leaves out a part of it.
        String heap = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxHeapSize")
                .getValue();
        return new MemoryLimit(system.getTotalMemorySize(), Long.parseLong(heap));
    }

    /** Why the process would be killed before long, and what to change; empty where heap and limit go together. */
    Optional<String> tooSmall() {
        if (limit >= heap + LEAST_BESIDE_HEAP) {
            return Optional.empty();
        }
        long beside = Math.max(BESIDE_HEAP, heap);
        return Optional.of(("the memory limit of %d MiB is too small for a heap of %d MiB: set the Pod's limit to %dMi,"
                        + " or -Xmx in JAVA_TOOL_OPTIONS lower; the JVM needs about %d MiB in addition to the heap")
                .formatted(limit / MIB, heap / MIB, (heap + beside) / MIB, beside / MIB));
    }
}
