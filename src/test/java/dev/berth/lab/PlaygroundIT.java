package dev.berth.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.TypingShell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/lab.md: make lab, what it says to try, and make lab-down. In namespaces within those of the test. */
@LabOnly
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class PlaygroundIT {
    private static final String IN = "src/test/lab/lab in ";
    private static final Duration UP = Duration.ofMinutes(6);

    @TempDir
    Path folder;

    private TypingShell shell;
    private ChildProcess lab;

    private void start(KubeProxyMode mode) {
        shell = TypingShell.in(folder, Path.of("/run/berth/kubeconfig"), Patience.USUAL);
        // What make lab runs.
        lab = ChildProcess.start(
                "lab",
                List.of(
                        "src/test/lab/lab",
                        "up",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                        "-Dberth.aot=" + System.getProperty("berth.aot"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Playground.class.getName(),
                        mode.flag()),
                folder,
                folder.resolve("lab.log"));
    }

    @AfterEach
    void stop() {
        lab.stop(Patience.USUAL);
    }

    private Iterator<String> upAndPrinted() {
        Awaitility.await().atMost(UP).pollInterval(Duration.ofMillis(200)).until(() -> {
            lab.requireAlive();
            return lab.log().contains("make lab-down in another shell");
        });
        return lab.log()
                .lines()
                .filter(line -> line.contains(IN))
                .map(line -> line.substring(line.indexOf(IN)))
                .toList()
                .iterator();
    }

    private String type(String command) {
        return shell.type(command);
    }

    private String awaitTyped(String command) {
        return Awaitility.await().ignoreExceptions().until(() -> type(command), printed -> true);
    }

    private void assertFails(String command) {
        assertThatThrownBy(() -> type(command))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exit code");
    }

    @Test
    void whatItSaysToTry_works_andLabDownLeavesNothing() {
        start(KubeProxyMode.NFTABLES);
        Iterator<String> printed = upAndPrinted();
        assertThat(type(printed.next() + " kubectl get services --no-headers")).contains("proxy", "proxy-local", "vip");

        for (int i = 0; i < 4; i++) {
            assertThat(type(printed.next())).contains("web-");
        }

        // HAProxy hangs, goes on, is killed.
        type(printed.next());
        assertThat(type(printed.next())).as("VIP").contains("web-");
        assertFails(printed.next());
        type(printed.next());
        type(printed.next());
        assertThat(type(printed.next())).contains("web-");

        // One pod, and none.
        type(printed.next());
        String fiveTimes = printed.next();
        Awaitility.await()
                .untilAsserted(() -> assertThat(type(fiveTimes).lines())
                        .hasSize(5)
                        .allSatisfy(line -> assertThat(line).contains("\"name\":\"web-")));
        type(printed.next());
        String health = printed.next();
        Awaitility.await().until(() -> type(health).contains("503"));
        String toNone = printed.next();
        Awaitility.await().untilAsserted(() -> assertFails(toNone));

        // A rolling update, and what is the person's own.
        type(printed.next());
        type(IN + "here kubectl rollout status deployment web --timeout=60s");
        assertThat(type(printed.next() + "; wait")).contains("restarted", "\"requests\":2000", "\"failed\":0");
        type(printed.next());
        type(printed.next());
        String ip = Awaitility.await()
                .until(
                        () -> type(
                                IN + "here kubectl get service mine -o jsonpath={.status.loadBalancer.ingress[0].ip}"),
                        text -> !text.isEmpty());
        assertThat(awaitTyped(IN + "client curl -s -m 5 http://" + ip + "/")).contains("mine-");
        assertThat(type(printed.next()))
                .as("HAProxy's configuration")
                .contains("frontend")
                .contains(ip);
        assertThat(printed).isExhausted();

        assertThat(type("src/test/lab/lab down")).isEqualTo("lab: everything is stopped");
        assertThat(lab.exitCode(Patience.USUAL)).isZero();
        assertThat(type("src/test/lab/lab down")).isEqualTo("lab: none runs");
        assertThat(processesOfTheLab()).isEmpty();
    }

    @Test
    void aLabThatIsKilled_leavesNothing_inModeIptables() {
        start(KubeProxyMode.IPTABLES);
        Iterator<String> printed = upAndPrinted();
        assertThat(lab.log()).contains("kube-proxy in mode iptables");
        printed.next();
        assertThat(type(printed.next())).as("Proxy, from outside").contains("web-");

        long jvm = processesOfTheLab().entrySet().stream()
                .filter(process -> process.getValue().matches("[^ ]*/java .*-Dberth[.]lab=.*"))
                .findFirst()
                .orElseThrow()
                .getKey();
        assertThat(ProcessHandle.of(jvm).orElseThrow().destroyForcibly()).isTrue();

        Awaitility.await().untilAsserted(() -> assertThat(processesOfTheLab()).isEmpty());
        assertThat(type("src/test/lab/lab down")).isEqualTo("lab: none runs");
    }

    /** The command lines of those that name its folder, by process ID. */
    private Map<Long, String> processesOfTheLab() {
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            Map<Long, String> found = new TreeMap<>();
            for (Path process : processes) {
                String words;
                try {
                    words = Files.readString(process.resolve("cmdline")).replace('\0', ' ');
                } catch (IOException ended) {
                    continue;
                }
                if (words.contains(folder.toString())) {
                    found.put(Long.valueOf(process.getFileName().toString()), words);
                }
            }
            return found;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
