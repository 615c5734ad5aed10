package dev.berth.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** A control group of Linux whose processes may have so much memory together, as those of a Pod with a limit. */
final class MemoryGroup implements AutoCloseable {
    private static final Path UNIFIED = Path.of("/sys/fs/cgroup");
    private static final Path OF_MEMORY = UNIFIED.resolve("memory");
    private static final String PREFIX = "berth-bench-";
    private static final String PROCESSES = "cgroup.procs";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path folder;

    private MemoryGroup(Path folder) {
        this.folder = folder;
    }

    /** Whether this process may create one: as root, where there are control groups for memory, of version 1 or 2. */
    static boolean possible() {
        return isUnified() ? Files.isWritable(UNIFIED) : Files.isWritable(OF_MEMORY);
    }

    private static boolean isUnified() {
        try {
            return Files.readString(UNIFIED.resolve("cgroup.subtree_control")).contains("memory");
        } catch (IOException firstVersion) {
            return false;
        }
    }

    /** @throws UncheckedIOException if the kernel refuses it */
    static MemoryGroup create(long bytes) {
        boolean unified = isUnified();
        Path parent = unified ? UNIFIED : OF_MEMORY;
        MemoryGroup group =
                new MemoryGroup(parent.resolve(PREFIX + ProcessHandle.current().pid()));
        try {
            removeStale(parent);
            Files.createDirectories(group.folder);
            Files.writeString(
                    group.folder.resolve(unified ? "memory.max" : "memory.limit_in_bytes"), Long.toString(bytes));
            // As in a Pod, no swap. A kernel without it has no such file.
            Path swap = group.folder.resolve(unified ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
            if (Files.exists(swap)) {
                Files.writeString(swap, unified ? "0" : Long.toString(bytes));
            }
            return group;
        } catch (IOException refused) {
            group.close();
            throw new UncheckedIOException("creating " + group.folder, refused);
        }
    }

    /** Of benchmarks that were killed. */
    private static void removeStale(Path parent) throws IOException {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path group : groups) {
                if (isStale(group)) {
                    Files.delete(group);
                }
            }
        }
    }

    /** Whether no process is in it, and the benchmark of its name has ended. */
    private static boolean isStale(Path group) throws IOException {
        return Files.readString(group.resolve(PROCESSES)).isEmpty()
                && ProcessHandle.allProcesses().noneMatch(process -> group.endsWith(PREFIX + process.pid()));
    }

    /** Goes before a command: its process is in the group from its start. */
    List<String> entering() {
        return List.of(
                "sh",
                "-c",
                "echo $$ >\"$0\" && exec \"$@\"",
                folder.resolve(PROCESSES).toString());
    }

    /** Removes it; its processes have been ended. */
    @Override
    public void close() {
        Awaitility.await("the processes of " + folder + " have ended")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> {
                    Files.deleteIfExists(folder);
                    return true;
                });
    }
}
