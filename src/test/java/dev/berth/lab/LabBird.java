package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** BIRD on a second router of the {@link Lab}, configured as docs/bgp.md says: it takes routes from each node, by IPv4. */
final class LabBird implements AutoCloseable {
    /** What every configuration has. */
    private static final String COMMON = """
            log stderr all;
            router id %s;
            protocol device {}
            """.formatted(BgpPage.ROUTER_IPV4);

    private final Lab lab;
    private final Namespace namespace = Namespace.create("bird");
    private final ChildProcess bird;

    /**
     * Runs from now on.
     *
     * @param pool what it takes routes of
     */
    LabBird(Lab lab, String pool) {
        this.lab = lab;
        lab.plug(namespace, BgpPage.ROUTER_IPV4, BgpPage.ROUTER_IPV6);
        namespace.run("sysctl", "-q", "-w", "net.ipv4.fib_multipath_hash_policy=1");
        String configuration = BgpPage.after("   BIRD 2, ", " ".repeat(7))
                .replaceAll(
                        "(?m)(^protocol bgp .*\n)+",
                        lab.nodes().stream()
                                .map(node -> "protocol bgp %s from node { neighbor %s as 64513; }%n"
                                        .formatted(node.name(), node.ipv4()))
                                .collect(Collectors.joining()))
                .replace("203.0.113.0/28", pool)
                .replace("64513", String.valueOf(LabRouter.ASN_OF_NODES));
        try {
            Path folder = Files.createDirectories(lab.folder().resolve("bird"));
            Path file = Files.writeString(folder.resolve("bird.conf"), COMMON + configuration);
            bird = namespace.start(
                    "bird",
                    folder,
                    "bird",
                    "-f",
                    "-c",
                    file.toString(),
                    "-s",
                    folder.resolve("bird.ctl").toString());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A client on the router itself. */
    Peer client() {
        return new Peer(namespace);
    }

    /** The next hops of its kernel's route for an address, in the order of their text. */
    List<String> nextHops(String address) {
        bird.requireAlive();
        return LabRouter.nextHops(namespace, address);
    }

    @Override
    public void close() {
        bird.close();
        lab.remove(namespace);
    }
}
