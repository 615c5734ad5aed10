package dev.berth.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The commands of iptables that have tables of their own in the kernel, not those of nftables. */
final class LegacyIptables {
    private static final List<String> COMMANDS = List.of(
            "iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore");

    private LegacyIptables() {}

    /** The PATH by which a process finds them, and all that it finds otherwise. */
    static String path(Lab lab) {
        Path folder = lab.folder().resolve("legacy-iptables");
        try {
            if (!Files.isDirectory(folder)) {
                Path program = Path.of(Namespace.HERE
                        .run("sh", "-c", "command -v xtables-legacy-multi")
                        .strip());
                Files.createDirectory(folder);
                for (String command : COMMANDS) {
                    Files.createSymbolicLink(folder.resolve(command), program);
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return folder + ":" + System.getenv("PATH");
    }
}
