package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** FRR on a second router of the {@link Lab}, configured as docs/bgp.md says: it takes routes from each node, by IPv4. */
final class LabFrr implements AutoCloseable {
    static final String IPV4 = "10.77.0.253";

    private static final String INDENT = " ".repeat(7);

    private final Lab lab;
    private final Namespace namespace = Namespace.create("frr");
    private final Path folder;
    private final List<ChildProcess> daemons = new ArrayList<>();

    /**
     * Runs from now on.
     *
     * @param pool what it takes routes of
     * @param most how many of them each node may have
     */
    LabFrr(Lab lab, String pool, int most) {
        this.lab = lab;
        try {
            folder = Files.createDirectories(lab.folder().resolve("frr"));
            letRootBeItsUser();
            lab.plug(namespace, IPV4, "fd77::fd");
            namespace.run("sysctl", "-q", "-w", "net.ipv4.fib_multipath_hash_policy=1");
            start("zebra", "");
            start("bgpd", configuration(pool, most));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** That of the page, with the nodes and addresses of the lab. */
    private String configuration(String pool, int most) throws IOException {
        String page = Files.readString(Path.of("docs/bgp.md"));
        String nodes = lab.nodes().stream()
                .map(node -> " neighbor %s peer-group nodes%n".formatted(node.ipv4()))
                .collect(Collectors.joining());
        return page.substring(page.indexOf("   FRR:\n"))
                .lines()
                .skip(2)
                .takeWhile(line -> line.startsWith(INDENT))
                .map(line -> line.substring(INDENT.length()) + "\n")
                .collect(Collectors.joining())
                .replaceAll("(?m)(^ neighbor 192\\.168\\.1\\.\\d+ peer-group nodes\n)+", nodes)
                .replace("64513", String.valueOf(LabRouter.ASN_OF_NODES))
                .replace("203.0.113.0/28", pool)
                .replace("maximum-prefix 16", "maximum-prefix " + most);
    }

    /** Debian's build of it wants root to be in the group frrvty, which its package would make. */
    private void letRootBeItsUser() throws IOException {
        Path groups = folder.resolve("group");
        Files.writeString(groups, Files.readString(Path.of("/etc/group")) + "frrvty:x:60001:root\n");
        Namespace.HERE.run("mount", "--bind", groups.toString(), "/etc/group");
    }

    private void start(String daemon, String configuration) throws IOException {
        Path file = Files.writeString(folder.resolve(daemon + ".conf"), configuration);
        daemons.add(namespace.start(
                daemon,
                folder,
                daemon,
                "--user=root",
                "--group=root",
                "--config_file=" + file,
                "--pid_file=" + folder.resolve(daemon + ".pid"),
                "--socket=" + folder.resolve("zserv.api"),
                "--vty_socket=" + folder,
                "--log=stdout"));
    }

    Namespace namespace() {
        return namespace;
    }

    /** A client on the router itself. */
    Peer client() {
        return new Peer(namespace);
    }

    /** The next hops of its kernel's route for an address, in the order of their text. */
    List<String> nextHops(String address) {
        daemons.forEach(ChildProcess::requireAlive);
        return LabRouter.nextHops(namespace, address);
    }

    @Override
    public void close() {
        daemons.reversed().forEach(ChildProcess::close);
        lab.remove(namespace);
        Namespace.HERE.run("umount", "/etc/group");
    }
}
