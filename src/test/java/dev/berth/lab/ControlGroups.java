package dev.berth.lab;

import dev.berth.testing.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * The control groups of a cluster, which namespaces do not remove with its processes: those of a name, in each hierarchy.
 * The name is that of the cluster's folder, so that those of a crashed run can be told.
 */
final class ControlGroups {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final String PREFIX = "berth-";

    private ControlGroups() {}

    /** Removes those whose cluster's folder, beside {@code folder}, is gone. */
    static void removeStale(Path folder) {
        named(PREFIX).stream()
                .filter(group -> !Files.exists(folder.resolveSibling(group.getFileName())))
                .forEach(ControlGroups::tryToRemove);
    }

    /** Removes those of a name, once the processes in them, which are being killed, have ended. */
    static void remove(String name) {
        Awaitility.await("the control groups " + name + " have no processes")
                .atMost(Patience.USUAL)
                .until(() -> named(name).stream().allMatch(ControlGroups::tryToRemove));
    }

    private static List<Path> named(String prefix) {
        try (Stream<Path> hierarchies = Files.list(ROOT)) {
            return Stream.concat(Stream.of(ROOT), hierarchies.filter(Files::isDirectory))
                    .filter(path -> !Files.isSymbolicLink(path))
                    .flatMap(hierarchy -> groups(hierarchy, prefix))
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Stream<Path> groups(Path hierarchy, String prefix) {
        try (Stream<Path> entries = Files.list(hierarchy)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith(prefix)).toList().stream();
        } catch (IOException gone) {
            return Stream.of();
        }
    }

    /** Whether it is gone. The files in a group are the kernel's: only folders can be removed. */
    private static boolean tryToRemove(Path group) {
        try (Stream<Path> tree = Files.walk(group)) {
            for (Path folder : tree.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList()) {
                Files.deleteIfExists(folder);
            }
            return true;
        } catch (NoSuchFileException gone) {
            return true;
        } catch (IOException | UncheckedIOException busy) {
            return !Files.exists(group);
        }
    }
}
