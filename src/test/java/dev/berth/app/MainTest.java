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
        assertThat(said.toString()).contains("operator", "provider-host");
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
    void whatIsWrong_isSaidInOneLine_thatNamesWhatHelps() {
        assertThat(run("--wrong")).isEqualTo(2);
        assertThat(said.toString().lines()).containsExactly("berth: Unknown option: '--wrong' (see berth --help)");
    }
}
