package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.berth.dataplane.haproxy.HaproxyProcesses;
import dev.berth.lab.LabOnly;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What HAProxy cannot do for a Service is said by its condition, and the others are served as before. */
@LabOnly
@ExtendWith(SharedInstallation.class)
class HaproxyConditionsIT {
    private static final List<String> ADDRESSES = List.of(
            "198.51.100.16", "198.51.100.17", "198.51.100.18", "198.51.100.19", "198.51.100.20", "198.51.100.21");
    private static final String OWN = "198.51.100.22";

    @TempDir
    Path folder;

    /** A HAProxy that refuses one port. */
    private void settings() throws IOException {
        Path picky = Files.writeString(folder.resolve("picky"), """
                #!/bin/sh
                case $* in *haproxy.cfg.new*)
                  for last; do :; done
                  grep -q ':8082' "$last" && { echo '[ALERT]    (7) : config : it does not like port 8082'; exit 1; };;
                esac
                exec haproxy "$@"
                """);
        Files.setPosixFilePermissions(picky, PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(folder.resolve("plugins"));
        Files.writeString(
                folder.resolve("plugins/haproxy.properties"),
                "directory=%s\nbinary=%s\n".formatted(folder.resolve("state"), picky));
    }

    @AfterEach
    void endHaproxy() throws IOException, InterruptedException {
        try (HaproxyProcesses processes = new HaproxyProcesses()) {
            processes.signal(folder.resolve("state"), "KILL");
        }
        for (String address : ADDRESSES) {
            ip("addr", "del", address + "/32", "dev", "lo");
        }
        ip("addr", "del", OWN + "/24", "dev", "lo");
    }

    private static void ip(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }

    private static void assertServed(String address) {
        assertThatCode(() -> {
                    try (Socket socket = new Socket()) {
                        socket.connect(new InetSocketAddress(address, 80), 1_000);
                    }
                })
                .doesNotThrowAnyException();
    }

    /**
     * A Service that is not served.
     *
     * @param port of the Service
     * @param message of its condition
     */
    private record Row(String name, int port, String loadBalancerClass, String message) {}

    @Test
    void whatIsWrongWithAService_isItsCondition_andTheOthersAreServed(Installation shared) throws Exception {
        settings();
        ip("addr", "add", OWN + "/24", "dev", "lo");
        try (BerthOnCluster berth = BerthOnCluster.on(shared);
                ServerSocket other = new ServerSocket(8081, 1, InetAddress.ofLiteral("0.0.0.0"))) {
            assertThat(other.isBound()).isTrue();
            berth.createNode("n1", "127.0.0.2");
            berth.createPool("edge", ADDRESSES.toArray(String[]::new));
            berth.createPool("own", OWN);
            berth.createClass("good", "loadBalancerClass: test.dev/good, provider: haproxy, pools: [edge]");
            berth.createClass("own", "loadBalancerClass: test.dev/own, provider: haproxy, pools: [own]");
            berth.createClass(
                    "unknown",
                    "loadBalancerClass: test.dev/unknown, provider: haproxy, pools: [edge], parameters: {maxConnection: '5'}");
            berth.createClass(
                    "range",
                    "loadBalancerClass: test.dev/range, provider: haproxy, pools: [edge], parameters: {maxConnections: '0'}");
            berth.startOperator("--plugin-dir=" + folder.resolve("plugins"));
            berth.createService("web", "test.dev/good", service -> service);
            String served = berth.awaitAddress("web");

            List<Row> rows = List.of(
                    new Row("unknown", 80, "unknown", "parameter \"maxConnection\" is unknown"),
                    new Row(
                            "range",
                            80,
                            "range",
                            "parameter \"maxConnections\" is \"0\"; it must be a number from 1 to 1000000"),
                    new Row("taken", 8081, "good", "port 8081 of "),
                    new Row(
                            "refused",
                            8082,
                            "good",
                            "HAProxy rejected the configuration: config : it does not like port"),
                    new Row("own", 80, "own", "address " + OWN + " is the host's own, on interface lo"));
            for (Row row : rows) {
                berth.createService(
                        row.name(),
                        "test.dev/" + row.loadBalancerClass(),
                        service -> service.editSpec()
                                .editFirstPort()
                                .withPort(row.port())
                                .endPort()
                                .endSpec());
            }
            for (Row row : rows) {
                Service bad = berth.awaitService(
                        row.name(),
                        service -> BerthOnCluster.programmed(service).contains(row.message()));
                assertThat(BerthOnCluster.programmed(bad)).startsWith("False ").hasLineCount(1);
                assertThat(BerthOnCluster.ingress(bad))
                        .as("nobody is sent there")
                        .isEmpty();
            }

            assertServed(served);
            berth.createService("later", "test.dev/good", service -> service);
            assertServed(berth.awaitAddress("later"));
            assertThat(BerthOnCluster.programmed(berth.awaitService("web", service -> true)))
                    .isEmpty();
        }
    }
}
