package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of the answers of a master that restarts itself, which is busy for a moment. */
class HaproxyReloadTest {
    private static final String FORMER = proc("# workers\n100 worker 0\n");
    private static final String NEXT = proc("# workers\n101 worker 0\n# old workers\n100 worker 1\n");
    private static final String FAILED = proc("# workers\n# old workers\n100 worker 1\n");

    /** It is cut off before the workers. */
    private static final String CUT_OFF = "#<PID> <type> <reloads> <uptime> <version>\n1 master 0\n# workers\n";

    /** It closes the connection. */
    private static final String NOTHING = "";

    @TempDir
    private Path directory;

    private final Deque<String> procs = new ArrayDeque<>();
    private final List<ServerSocketChannel> servers = new ArrayList<>();
    private int asked;
    private Process process;
    private Haproxy haproxy;

    private static String proc(String workers) {
        return proc("0 [failed: 0]", workers);
    }

    private static String proc(String reloads, String workers) {
        return "#<PID> <type> <reloads> <uptime> <version>\n1 master " + reloads + " 0d00h00m01s 2.6.12\n" + workers
                + "# programs\n\n";
    }

    /** After so many reloads that failed: a worker ended at once. */
    private static String failed(int times) {
        return proc(times + " [failed: " + times + "]", "# workers\n# old workers\n100 worker " + times + "\n");
    }

    /** The same: the master could not listen. */
    private static String failedInMaster(int times) {
        return proc(times + " [failed: " + times + "]", "# workers\n100 worker " + times + "\n");
    }

    @BeforeEach
    void start() throws IOException {
        Path binary = binary("");
        // A process with its arguments, by which it is known that it runs. It ends with its standard input.
        Path pid = directory.resolve("haproxy.pid");
        process = new ProcessBuilder("sh", "-c", "read never", "haproxy", "-p", pid.toString()).start();
        Files.writeString(pid, process.pid() + "\n");
        Files.writeString(directory.resolve("haproxy.cfg"), "old");
        serve("master.sock", this::master);
        serve("stats.sock", this::worker);
        haproxy = new Haproxy(directory, binary.toString());
    }

    /** One of a version that is new enough, which does this. */
    private Path binary(String line) throws IOException {
        Path binary = Files.writeString(
                directory.resolve("binary"), "#!/bin/sh\n" + line + "\necho 'HAProxy version 2.9.0'\n");
        Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwx------"));
        return binary;
    }

    @AfterEach
    void stop() throws IOException {
        process.destroyForcibly();
        for (ServerSocketChannel server : servers) {
            server.close();
        }
    }

    private synchronized String master(String command) {
        asked += command.startsWith("show proc") ? 1 : 0;
        return command.startsWith("reload") ? NOTHING : procs.size() > 1 ? procs.removeFirst() : procs.getFirst();
    }

    /** The one that is there. */
    private synchronized String worker(String command) {
        return command.startsWith("show info") ? "Pid: " + (procs.getFirst().equals(NEXT) ? 101 : 100) + "\n" : "1\n";
    }

    private void serve(String name, Function<String, String> answers) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(directory.resolve(name)));
        servers.add(server);
        Thread.ofPlatform().daemon().start(() -> {
            while (server.isOpen()) {
                try (SocketChannel client = server.accept()) {
                    ByteBuffer asked = ByteBuffer.allocate(4096);
                    while (client.read(asked) >= 0) {
                        // Until it has asked all.
                    }
                    client.write(ByteBuffer.wrap(answers.apply(new String(asked.array(), 0, asked.position(), UTF_8))
                            .getBytes(UTF_8)));
                } catch (IOException gone) {
                    // The test has ended, or who asked has.
                }
            }
        });
    }

    private void answers(String... all) {
        procs.addAll(List.of(all));
    }

    @Test
    void masterThatAnswersNothingForAMoment_andHasNotReloaded_isAFailure() {
        answers(FORMER, FORMER, NOTHING, FORMER, FORMER, NOTHING, FAILED);

        assertThatThrownBy(() -> haproxy.load("new", List.of()))
                .hasMessageStartingWith("HAProxy could not be reloaded; it continues as before: ");
        assertThat(haproxy.configuration()).isEqualTo("old");
    }

    @Test
    void masterThatAnswersNothingForAMoment_andHasReloaded_isASuccess() {
        answers(FORMER, NOTHING, FORMER, FORMER, NOTHING, NOTHING, NEXT);

        assertThatCode(() -> haproxy.load("new", List.of())).doesNotThrowAnyException();
        assertThat(haproxy.configuration()).isEqualTo("new");
        assertThat(procs).hasSize(1);
    }

    /** It may still reload. */
    @Test
    void masterThatAnswersNoMore_leavesItOpenWhetherItHasReloaded() {
        answers(FORMER, FORMER, NOTHING);
        Haproxy impatient = new Haproxy(directory, directory.resolve("binary").toString(), Duration.ofMillis(300));

        assertThatThrownBy(() -> impatient.load("new", List.of())).hasMessageContaining("has not said within");
        assertThat(impatient.isUnsure()).isTrue();
    }

    /** It reads the same configuration, and where no processor is free one takes as long as the other. */
    @Test
    void check_mayTakeAsLongAsAReload() throws IOException {
        Path binary = binary("[ \"$1\" != -c ] || exec sleep 60");
        Haproxy impatient = new Haproxy(directory, binary.toString(), Duration.ofSeconds(1));

        assertThatThrownBy(() -> impatient.check("new")).hasMessageEndingWith("has not ended within 1 s");
    }

    @Test
    void answerThatIsCutOff_isNone() {
        answers(FORMER, FORMER, CUT_OFF, FORMER, CUT_OFF, NEXT);

        assertThatCode(() -> haproxy.load("new", List.of())).doesNotThrowAnyException();
    }

    @Test
    void refusalsInARow_areEachFoundAtOnce() {
        assertRefused(FORMER, FORMER, NOTHING, failed(1));
        assertRefused(failed(1), failed(1), NOTHING, failed(1), failed(2));
        assertRefused(failed(2), failed(2), failed(2), NOTHING, failed(3));
        answers(failed(3), failed(3), failed(3), NOTHING, NEXT);
        assertThatCode(() -> haproxy.load("new", List.of())).doesNotThrowAnyException();
    }

    @Test
    void refusalsInARow_byTheMaster_areEachFoundAtOnce() {
        assertRefused(FORMER, FORMER, NOTHING, failedInMaster(1));
        assertRefused(failedInMaster(1), failedInMaster(1), NOTHING, failedInMaster(2));
        assertRefused(failedInMaster(2), failedInMaster(2), NOTHING, failedInMaster(3));
        answers(failedInMaster(3), failedInMaster(3), NOTHING, NEXT);
        assertThatCode(() -> haproxy.load("new", List.of())).doesNotThrowAnyException();
    }

    /** By the last of these answers, and none is asked for after it. */
    private void assertRefused(String... all) {
        procs.clear();
        answers(all);
        asked = 0;
        assertThatThrownBy(() -> haproxy.load("new", List.of()))
                .hasMessageStartingWith("HAProxy could not be reloaded; it continues as before: ");
        assertThat(asked).isEqualTo(all.length);
        procs.clear();
    }
}
