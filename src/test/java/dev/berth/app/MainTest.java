package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
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
        assertThat(said.toString()).contains("operator", "audit", "create-service", "export", "provider-host");
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
    void auditsHelp_saysWhatItsExitCodesMean() {
        assertThat(run("audit", "--help")).isZero();
        assertThat(said.toString()).contains("--kubeconfig", "0   nothing was found", "3   something was found");
    }

    @Test
    void audit_withoutACluster_saysInOneLineWhy() {
        assertThat(run("audit", "--kubeconfig=nowhere")).isEqualTo(1);
        assertThat(said.toString().lines())
                .containsExactly("berth: kubeconfig nowhere cannot be read: there is no such file, or it is not yours");
    }

    @Test
    void createService_needsAManifest() {
        assertThat(run("create-service")).isEqualTo(2);
        assertThat(said.toString().lines())
                .containsExactly("berth: Missing required option: '--filename=FILE' (see berth create-service --help)");
    }

    @Test
    void whatIsWrong_isSaidInOneLine_thatNamesWhatHelps() {
        assertThat(run("--wrong")).isEqualTo(2);
        assertThat(said.toString().lines()).containsExactly("berth: Unknown option: '--wrong' (see berth --help)");
    }
}
