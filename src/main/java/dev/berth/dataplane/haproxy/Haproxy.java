package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.provider.ProviderException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A HAProxy process of this host, as master and worker. It outlives this process: who starts next takes it over by the
 * sockets in its directory, and its traffic goes on meanwhile.
 *
 * <p>Not thread-safe.
 */
final class Haproxy {
    private static final Logger LOG = LoggerFactory.getLogger(Haproxy.class);
    private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");
    private static final Pattern WORKER = Pattern.compile("(?m)^# workers\\R(\\d+)\\s+worker\\s");
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final Duration POLL = Duration.ofMillis(10);

    private final Path directory;
    private final String binary;

    /**
     * One that does not run yet, or that runs since an earlier process.
     *
     * @param directory absolute; for its configuration, its sockets and its log
     * @throws ProviderException if there is no HAProxy, or one before 2.6
     */
    Haproxy(Path directory, String binary) {
        this.directory = directory;
        this.binary = binary;
        requireVersion();
    }

    private void requireVersion() {
        String answer = run(List.of(binary, "-v")).output();
        Matcher version = VERSION.matcher(answer);
        if (!version.find()) {
            throw new ProviderException("\"" + binary + "\" is no HAProxy: " + firstLine(answer));
        }
        int release = Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2));
        if (release < 2006) {
            throw new ProviderException(
                    "HAProxy %s.%s is too old; install 2.6 or later".formatted(version.group(1), version.group(2)));
        }
    }

    /** Whether it runs and answers. */
    boolean isRunning() {
        try {
            return !ask(masterSocket(), "show proc").isEmpty();
        } catch (IOException notThere) {
            return false;
        }
    }

    /** The configuration that it has last been given; empty: none. */
    String configuration() {
        try {
            return Files.exists(file("haproxy.cfg")) ? Files.readString(file("haproxy.cfg")) : "";
        } catch (IOException failure) {
            throw failed("reading its configuration", failure);
        }
    }

    /**
     * Makes it work by this configuration: starts it, or reloads it. No connection is lost, and what it knew of the
     * health of its servers stays.
     *
     * @throws ProviderException if it refuses the configuration, or cannot listen; it goes on by the last one
     */
    void load(String configuration) {
        String before = configuration();
        check(configuration);
        saveServerState();
        write("haproxy.cfg", configuration);
        try {
            if (isRunning()) {
                reload();
            } else {
                start();
            }
        } catch (RuntimeException refused) {
            if (!before.isEmpty()) {
                write("haproxy.cfg", before);
            }
            throw refused;
        }
    }

    /** Writes the configuration for its next start or reload, which says what the runtime API has done already. */
    void note(String configuration) {
        write("haproxy.cfg", configuration);
    }

    /**
     * A command of the runtime API.
     *
     * @return its answer; empty: none
     */
    String runtime(String command) {
        try {
            return ask(file("stats.sock"), command).strip();
        } catch (IOException failure) {
            throw failed("asking it for \"" + command + "\"", failure);
        }
    }

    private void check(String configuration) {
        write("haproxy.cfg.new", configuration);
        Outcome outcome = run(List.of(
                binary, "-c", "-q", "-L", "berth", "-f", file("haproxy.cfg.new").toString()));
        if (outcome.code() != 0) {
            throw new ProviderException("HAProxy refuses the configuration: " + alerts(outcome.output()));
        }
    }

    private void start() {
        LOG.info("starting HAProxy in {}", directory);
        try {
            new ProcessBuilder(
                            binary,
                            "-W",
                            "-L",
                            "berth",
                            "-f",
                            file("haproxy.cfg").toString(),
                            "-S",
                            masterSocket() + ",mode,600",
                            "-p",
                            file("haproxy.pid").toString())
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(file("haproxy.log").toFile()))
                    .start();
        } catch (IOException failure) {
            throw failed("starting it", failure);
        }
        if (!comesTrue(() -> worker() != 0 && answers())) {
            throw new ProviderException("HAProxy did not start: " + lastAlert());
        }
    }

    private void reload() {
        long former = worker();
        try {
            ask(masterSocket(), "reload");
        } catch (IOException restarting) {
            LOG.debug("the master closes its socket when it reloads: {}", restarting.toString());
        }
        // A worker that cannot listen ends at once, and the former one goes on; the master shows none but "old" ones.
        boolean loaded = comesTrue(() -> {
            long now = worker();
            return now != former && (now == 0 || answers());
        });
        if (!loaded || worker() == 0) {
            throw new ProviderException("HAProxy could not be reloaded, it goes on as before: " + lastAlert());
        }
    }

    /** The process ID of the worker that has the current configuration; 0: there is none. */
    private long worker() {
        try {
            Matcher worker = WORKER.matcher(ask(masterSocket(), "show proc"));
            return worker.find() ? Long.parseLong(worker.group(1)) : 0;
        } catch (IOException notNow) {
            return -1;
        }
    }

    private boolean answers() {
        try {
            return ask(file("stats.sock"), "show info").contains("Pid: " + worker());
        } catch (IOException notYet) {
            return false;
        }
    }

    private void saveServerState() {
        if (isRunning()) {
            write("server-state", runtime("show servers state") + "\n");
        } else if (!Files.exists(file("server-state"))) {
            write("server-state", "1\n");
        }
    }

    private static boolean comesTrue(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            if (condition.getAsBoolean()) {
                return true;
            }
            try {
                Thread.sleep(POLL);
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /** A question to a process that just starts is sometimes never answered. */
    private static String ask(Path socket, String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Selector selector = Selector.open()) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(UTF_8)));
            // The master answers, and then waits for more until nothing more can come.
            channel.shutdownOutput();
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
            while (channel.read(buffer) >= 0) {
                answer.write(buffer.array(), 0, buffer.position());
                buffer.clear();
                if (selector.select(ANSWER.toMillis()) == 0) {
                    throw new IOException("no answer within " + ANSWER.toSeconds() + " s");
                }
                selector.selectedKeys().clear();
            }
            return answer.toString(UTF_8);
        }
    }

    private record Outcome(int code, String output) {}

    private static Outcome run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            return new Outcome(process.waitFor(), output);
        } catch (IOException failure) {
            throw failed("running " + command.getFirst(), failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", null, stopping);
        }
    }

    private String lastAlert() {
        try {
            String log = Files.readString(file("haproxy.log"));
            return alerts(log.substring(Math.max(0, log.length() - 4096)));
        } catch (IOException none) {
            return "it wrote no log";
        }
    }

    /** The last lines that say what is wrong, without the file and line of a configuration that is not theirs to read. */
    private static String alerts(String output) {
        List<String> lines = output.lines()
                .filter(line -> line.startsWith("[ALERT]"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .toList();
        return lines.isEmpty() ? firstLine(output) : lines.getFirst();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("it says nothing");
    }

    private Path masterSocket() {
        return file("master.sock");
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private void write(String name, String content) {
        try {
            Path part = Files.writeString(file(name + ".part"), content);
            Files.move(part, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw failed("writing " + file(name), failure);
        }
    }

    private static ProviderException failed(String what, IOException failure) {
        return new ProviderException("HAProxy: " + what + ": " + failure.getMessage(), null, failure);
    }
}
