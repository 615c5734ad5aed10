package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** BIRD in a namespace: it takes routes from each node, by IPv4 and by IPv6, and spreads over equal ones. */
final class LabRouter implements AutoCloseable {
    static final String IPV4 = "10.77.0.254";
    static final String IPV6 = "fd77::fe";
    static final int ASN = 64512;

    private static final String KERNEL = """
            protocol kernel { ipv4 { import none; export where source = RTS_BGP; }; merge paths yes; }
            protocol kernel { ipv6 { import none; export where source = RTS_BGP; }; merge paths yes; }
            """;

    static final int ASN_OF_NODES = 4_200_000;

    private static final Pattern NEXT_HOP = Pattern.compile("\\b(?:via|nexthop via) (\\S+)");

    /** A node that it waits for. */
    record Neighbour(String name, String ipv4, String ipv6) {}

    private final Namespace namespace;
    private final Path folder;
    private final List<Neighbour> neighbours;
    private final Path configuration;
    private final ChildProcess bird;
    private final int hops;
    private long asn = ASN;
    private String wanted = "";
    private boolean takesIpv6NextHops = true;

    /** Runs on the router of the lab from now on, for all its nodes. */
    LabRouter(Lab lab) {
        this(lab.router(), lab.folder(), neighbours(lab));
    }

    /** One that is so many hops away from the nodes, and has its routes for itself: its kernel gets none. */
    static LabRouter beyond(Lab lab, Namespace namespace, int hops) {
        return new LabRouter(namespace, folder(lab, "far"), neighbours(lab), hops);
    }

    /** One that waits for these alone. */
    static LabRouter of(Lab lab, Namespace namespace, String name, Neighbour... neighbours) {
        return new LabRouter(namespace, folder(lab, name), List.of(neighbours));
    }

    private static Path folder(Lab lab, String name) {
        try {
            return Files.createDirectories(lab.folder().resolve(name));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<Neighbour> neighbours(Lab lab) {
        return lab.nodes().stream()
                .map(node -> new Neighbour(node.name(), node.ipv4(), node.ipv6()))
                .toList();
    }

    /** Runs from now on. */
    LabRouter(Namespace namespace, Path folder, List<Neighbour> neighbours) {
        this(namespace, folder, neighbours, 0);
    }

    private LabRouter(Namespace namespace, Path folder, List<Neighbour> neighbours, int hops) {
        this.hops = hops;
        this.namespace = namespace;
        this.folder = folder;
        this.neighbours = neighbours;
        this.configuration = folder.resolve("bird.conf");
        namespace.run("sysctl", "-q", "-w", "net.ipv4.fib_multipath_hash_policy=1");
        namespace.run("sysctl", "-q", "-w", "net.ipv6.fib_multipath_hash_policy=1");
        write("");
        bird = namespace.start("bird", folder, "bird", "-f", "-c", configuration.toString(), "-s", socket());
    }

    private String socket() {
        return folder.resolve("bird.ctl").toString();
    }

    private void write(String password) {
        StringBuilder text = new StringBuilder("""
                log stderr all;
                router id 10.77.0.254;
                protocol device { scan time 1; }
                # By which next hops within an autonomous system are found.
                protocol direct { ipv4; ipv6; }
                %s
                template bgp node {
                  local as %d;
                  %s
                  passive yes;
                  hold time 90;
                  connect delay time 1;
                  error wait time 1, 2;
                  graceful restart aware;
                  ipv4 { import all; export none; %s };
                  ipv6 { import all; export none; };
                }
                """.formatted(
                        hops > 0 ? "" : KERNEL,
                        asn,
                        hops > 0 ? "multihop " + hops + ";" : "",
                        takesIpv6NextHops ? "extended next hop yes;" : ""));
        neighbours.forEach(node -> {
            text.append("protocol bgp %1$s from node { neighbor %2$s as %3$d; %4$s }%n"
                    .formatted(
                            node.name(),
                            node.ipv4(),
                            ASN_OF_NODES,
                            password.isEmpty() ? "" : "password \"" + password + "\";"));
            text.append("protocol bgp %1$s_6 from node { neighbor %2$s as %3$d; }%n"
                    .formatted(node.name(), node.ipv6(), ASN_OF_NODES));
        });
        try {
            Files.writeString(configuration, text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Wants this password of the sessions by IPv4 from now on; empty: none. */
    void password(String password) {
        if (!password.equals(wanted)) {
            wanted = password;
            write(password);
            ask("configure");
        }
    }

    /** Is in this autonomous system from now on. */
    void asn(long number) {
        if (number != asn) {
            asn = number;
            write(wanted);
            ask("configure");
        }
    }

    /** Whether it takes an IPv6 next hop of an IPv4 route (RFC 8950). */
    void takesIpv6NextHops(boolean takes) {
        if (takes != takesIpv6NextHops) {
            takesIpv6NextHops = takes;
            write(wanted);
            ask("configure");
        }
    }

    /** What BIRD answers to a command. */
    String ask(String command) {
        return namespace.run("birdc", "-s", socket(), command);
    }

    /** The next hops of the kernel's route for an address, in the order of their text. */
    List<String> nextHops(String address) {
        return nextHops(namespace, address);
    }

    static List<String> nextHops(Namespace router, String address) {
        String family = address.contains(":") ? "-6" : "-4";
        return NEXT_HOP.matcher(router.ip(family + " route show exact " + address))
                .results()
                .map(hop -> hop.group(1))
                .sorted()
                .toList();
    }

    /** What it knows of a route for an address, of each node. */
    String routes(String address) {
        return ask("show route for " + address + " all");
    }

    @Override
    public void close() {
        bird.close();
    }
}
