package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {
    private final StringWriter said = new StringWriter();

    private int run(String... args) {
        CommandLine berth = Main.commandLine();
        berth.setOut(new PrintWriter(said, true)).setErr(new PrintWriter(said, true));
        return berth.execute(args);
    }

    @Test
    void help_namesTheCommands() {
        assertThat(run("--help")).isZero();
        assertThat(said.toString()).contains("operator", "address", "audit", "export", "provider-host", "status");
    }

    @Test
    void version_isThatOfTheProject_forEachCommand() throws IOException {
        String project;
        try (Stream<String> pom = Files.lines(Path.of("pom.xml"))) {
            project = pom.filter(line -> line.startsWith("  <version>"))
                    .map(line -> line.replaceAll("</?version>", "").strip())
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(run("--version")).isZero();
        assertThat(run("operator", "--version")).isZero();
        assertThat(said.toString().lines()).containsExactly("berth " + project, "berth " + project);
    }

    @Test
    void aPluginFolder_isRefused_forAProviderThatIsBuiltIn_andWhereThereIsNone() {
        assertThat(run("provider-host", "--provider=pool", "--plugin-dir=nowhere", "--listen=unix:///nowhere/lb.sock"))
                .isEqualTo(1);
        assertThat(run("provider-host", "--provider=lb", "--plugin-dir=nowhere", "--listen=unix:///nowhere/lb.sock"))
                .isEqualTo(1);
        assertThat(said.toString().lines())
                .containsExactly(
                        "berth: provider \"pool\" is built in; leave --plugin-dir out",
                        "berth: plug-in folder nowhere: there is no such folder; see --plugin-dir");
    }

    @Test
    void nameOfAnAddress_isFoundByAnySpelling() {
        for (String spelling : List.of("2001:db8::1", "2001:DB8:0:0::1", "2001:0db8:0000:0000:0000:0000:0000:0001")) {
            assertThat(run("address", spelling)).isZero();
        }
        assertThat(run("address", "192.0.2.7")).isZero();
        assertThat(said.toString().lines().distinct())
                .containsExactly("2001-0db8-0000-0000-0000-0000-0000-0001", "192.0.2.7");
    }

    @Test
    void nameOfWhatIsNoAddress_isAUsageError() {
        assertThat(run("address", "2001:db8::zz")).isEqualTo(2);
        assertThat(said.toString()).contains("2001:db8::zz").contains("see berth address --help");
    }

    @Test
    void auditsHelp_saysWhatItsExitCodesMean() {
        assertThat(run("audit", "--help")).isZero();
        assertThat(said.toString()).contains("--kubeconfig", "0   nothing was found", "3   something was found");
    }

    @Test
    void audit_withoutACluster_saysInOneLineWhy() {
        assertThat(run("audit", "--kubeconfig=nowhere")).isEqualTo(1);
        assertThat(said.toString().lines())
                .containsExactly("berth: kubeconfig nowhere cannot be read: it does not exist, or you have no"
                        + " permission to read it");
    }

    @Test
    void kubeconfigThatIsNone_isSaidToBe(@TempDir Path folder) throws IOException {
        String before = System.getProperty("kubeconfig");
        Path garbage = Files.writeString(folder.resolve("garbage"), "garbage");
        Path broken = Files.writeString(folder.resolve("broken"), "clusters: [");
        Path empty = Files.writeString(folder.resolve("empty"), "kind: Config");
        try {
            for (Path file : List.of(garbage, broken, empty)) {
                assertThat(run("audit", "--kubeconfig=" + file)).isEqualTo(1);
            }
        } finally {
            if (before == null) {
                System.clearProperty("kubeconfig");
            } else {
                System.setProperty("kubeconfig", before);
            }
        }
        assertThat(said.toString().lines())
                .containsExactly(
                        "berth: kubeconfig " + garbage + " is not a kubeconfig",
                        "berth: kubeconfig " + broken + " is not a kubeconfig: line 1, column 12: expected the node"
                                + " content, but found '<stream end>'",
                        "berth: kubeconfig " + empty + " is not a kubeconfig, or has no current-context");
    }

    @Test
    void whatIsWrong_isSaidInOneLine_thatNamesWhatHelps() {
        assertThat(run("--wrong")).isEqualTo(2);
        assertThat(said.toString().lines()).containsExactly("berth: Unknown option: '--wrong' (see berth --help)");
    }
}
