package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** FRR on a second router of the {@link Lab}, configured as docs/bgp.md says: it takes routes from each node, by IPv4. */
final class LabFrr implements AutoCloseable {
    static final String IPV4 = BgpPage.ROUTER_IPV4;

    /** The interface of a node that leads to one without addresses. */
    static final String UPLINK = "up0";

    private static final String DOWNLINK = "down0";

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
        this(
                lab,
                BgpPage.after("   FRR:\n", " ".repeat(7))
                        .replaceAll(
                                "(?m)(^ neighbor 192\\.168\\.1\\.\\d+ peer-group nodes\n)+",
                                lab.nodes().stream()
                                        .map(node -> " neighbor %s peer-group nodes%n".formatted(node.ipv4()))
                                        .collect(Collectors.joining()))
                        .replace("203.0.113.0/28", pool)
                        .replace("maximum-prefix 16", "maximum-prefix " + most),
                frr -> {});
    }

    /**
     * One that is alone with a node on a link without addresses, too.
     *
     * @param pool what it takes IPv4 routes of
     * @param pool6 what it takes IPv6 routes of
     */
    static LabFrr unnumbered(Lab lab, LabNode node, String pool, String pool6) {
        return new LabFrr(
                lab,
                BgpPage.after("with FRR, where `swp1` leads to a node:\n", " ".repeat(4))
                        .replace("swp1", DOWNLINK)
                        .replace("203.0.113.0/28", pool)
                        .replace("2001:db8:1::/64", pool6),
                frr -> {
                    Namespace.HERE.ip("link add %s netns %s type veth peer name %s netns %s"
                            .formatted(UPLINK, node.namespace().name(), DOWNLINK, frr.name()));
                    frr.ip("link set " + DOWNLINK + " up");
                    node.namespace().ip("link set " + UPLINK + " up");
                });
    }

    private LabFrr(Lab lab, String configuration, Consumer<Namespace> link) {
        this.lab = lab;
        try {
            folder = Files.createDirectories(lab.folder().resolve("frr"));
            letRootBeItsUser();
            lab.plug(namespace, IPV4, BgpPage.ROUTER_IPV6);
            namespace.run("sysctl", "-q", "-w", "net.ipv4.fib_multipath_hash_policy=1");
            link.accept(namespace);
            start("zebra", "");
            start("bgpd", configuration.replace("64513", String.valueOf(LabRouter.ASN_OF_NODES)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
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
