package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryLimitTest {
    private static final long MIB = 1L << 20;

    @Test
    void heapThatDoesNotFit_isRefused_withTheLimitThatItNeeds() {
        assertThat(new MemoryLimit(128 * MIB, 192 * MIB).tooSmall())
                .contains(
                        "the memory limit of 128 MiB is too small for a heap of 192 MiB: set the Pod's limit to 384Mi,"
                                + " or -Xmx in JAVA_TOOL_OPTIONS lower; the JVM needs about 192 MiB in addition to the heap");
    }

    @Test
    void smallHeap_needsMoreThanAsMuchAgain() {
        assertThat(new MemoryLimit(128 * MIB, 112 * MIB).tooSmall())
                .hasValueSatisfying(message -> assertThat(message)
                        .contains("set the Pod's limit to 256Mi", "needs about 144 MiB in addition to the heap"));
    }

    @Test
    void limitThatMayDo_isNotRefused() {
        assertThat(new MemoryLimit(256 * MIB, 192 * MIB).tooSmall()).isEmpty();
        assertThat(new MemoryLimit(255 * MIB, 192 * MIB).tooSmall()).isPresent();
    }

    @Test
    void testsOwnJvm_fits() {
        assertThat(MemoryLimit.ofThisProcess().tooSmall()).isEmpty();
    }
}
