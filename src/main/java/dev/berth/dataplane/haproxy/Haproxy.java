package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.Command.Outcome;
import dev.berth.dataplane.haproxy.Master.Shown;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A HAProxy process of this host, as master and worker. It outlives this process: who starts next takes it over by the
 * sockets in its directory, and its traffic goes on meanwhile.
 *
 * <p>Not thread-safe, but for {@link #isRunning}, {@link #awaitAnswer} and {@link #look}.
 */
final class Haproxy {
    private static final Logger LOG = LoggerFactory.getLogger(Haproxy.class);
    private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");
    private static final long LOG_BYTES = 10_000_000;
    /** Of its runtime API: tune.bufsize, less a bit for the words around it. */
    private static final int LONGEST_PAYLOAD = 15_000;

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(10);

    private final Path directory;
    private final String binary;
    private final Duration patience;
    private final Master master;

    /** Of its worker: the runtime API. */
    private final Cli cli;

    /** It did not answer when it was asked last; null: it did. */
    private volatile @Nullable ProviderException hangs;

    /** Being started or reloaded, it takes no questions for a while. */
    private volatile boolean isLoading;

    private boolean isUnsure;

    /**
     * One that does not run yet, or that runs since an earlier process.
     *
     * @param directory absolute; for its configuration, its sockets and its log
     * @throws ProviderException if there is no HAProxy, or one before 2.6
     */
    Haproxy(Path directory, String binary) {
        this(directory, binary, PATIENCE);
    }

    /** The same, with how long it may take to read a configuration: to check it, to start, or to reload. */
    Haproxy(Path directory, String binary, Duration patience) {
        this.directory = directory;
        this.binary = binary;
        this.patience = patience;
        this.master = new Master(directory, binary);
        this.cli = new Cli(file("stats.sock"));
        requireVersion();
    }

    private void requireVersion() {
        String answer;
        try {
            answer = Command.run(List.of(binary, "-v")).output();
        } catch (ProviderException missing) {
            throw new ProviderException(
                    missing.getMessage() + "; install HAProxy 2.6 or later, or set \"binary\" to its path", missing);
        }
        Matcher version = VERSION.matcher(answer);
        if (!version.find()) {
            throw new ProviderException("\"" + binary + "\" is not HAProxy: " + firstLine(answer));
        }
        int release = Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2));
        if (release < 2006) {
            throw new ProviderException(
                    "HAProxy %s.%s is too old; install 2.6 or later".formatted(version.group(1), version.group(2)));
        }
    }

    /**
     * Whether it runs.
     *
     * @throws ProviderException if it does, and does not answer: a second one beside it would take half of its connections.
     *     At once, if it was found so before
     */
    boolean isRunning() {
        ProviderException known = hangs;
        if (known != null) {
            throw new ProviderException(String.valueOf(known.getMessage()), known);
        }
        return findOut();
    }

    /**
     * If it was found not to answer, asks it again. For who is about to wait for his turn with it, so that none who waits
     * with him asks in vain as long as he does.
     *
     * @throws ProviderException if it still does not answer
     */
    void awaitAnswer() {
        if (hangs != null) {
            boolean _ = findOut();
        }
    }

    /** Asks it whether it runs, whatever was found before. Of one that is being started or reloaded, who does that finds out. */
    boolean look() {
        try {
            return isLoading || findOut() || isLoading;
        } catch (ProviderException noAnswer) {
            if (isLoading) {
                return true;
            }
            throw noAnswer;
        }
    }

    private boolean findOut() {
        // A master that reloads takes no questions for a moment.
        if (comesTrue(master::answersOrIsGone, Cli.ANSWER)) {
            hangs = null;
            return master.hasProcess();
        }
        ProviderException noAnswer = new ProviderException(
                "HAProxy, process %s, runs but does not respond at %s; Berth starts another one when it has ended"
                        .formatted(master.pid(), master.socket()));
        if (!isLoading && !Thread.currentThread().isInterrupted()) {
            hangs = noAnswer;
        }
        throw noAnswer;
    }

    /** The configuration that it has last been given; empty: none. */
    String configuration() {
        return StateFile.read(file("haproxy.cfg"));
    }

    /**
     * Makes it work by this configuration: starts it, or reloads it. No connection is lost, and what it knew of the
     * health of its servers stays.
     *
     * @throws ProviderException if it refuses the configuration, or cannot listen, and goes on by the last one; or if it
     *     {@link #isUnsure}
     */
    void load(String configuration, Collection<LoadBalancer> wanted) {
        isUnsure = false;
        String before = configuration();
        check(configuration);
        boolean running = isRunning();
        write(
                "server-state",
                ServerState.next(
                        running ? runtime("show servers state") : StateFile.read(file("server-state")), wanted));
        write("haproxy.cfg", configuration);
        isLoading = true;
        try {
            if (running) {
                reload();
            } else {
                start();
            }
        } catch (RuntimeException refused) {
            if (!before.isEmpty()) {
                write("haproxy.cfg", before);
            }
            throw refused;
        } finally {
            isLoading = false;
        }
    }

    /** Whether the last {@link #load} may still come about. */
    boolean isUnsure() {
        return isUnsure;
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
            return cli.ask(command).strip();
        } catch (IOException failure) {
            throw failed("asking it for \"" + command + "\"", failure);
        }
    }

    /** Whether it was built with TLS. */
    boolean hasTls() {
        return Command.run(List.of(binary, "-vv")).output().contains("+OPENSSL");
    }

    /**
     * Has new connections see another certificate. Those that are open go on, and nothing is reloaded.
     *
     * @param file as the configuration names it
     * @param pem what is in it by now
     * @return whether it has; if not, it has to be reloaded
     */
    boolean showCertificate(Path file, String pem) {
        if (pem.length() > LONGEST_PAYLOAD) {
            return false;
        }
        try {
            // An empty line ends it. No message may have it in it: it is the key.
            String answer = cli.ask("set ssl cert " + file + " <<\n" + pem);
            if (answer.contains("Transaction")
                    && runtime("commit ssl cert " + file).contains("Success")) {
                return true;
            }
        } catch (IOException failure) {
            throw failed("setting certificate " + file, failure);
        }
        runtime("abort ssl cert " + file);
        return false;
    }

    /**
     * What each worker says of frontends and backends, by its process ID; empty: it does not answer. One that has ended is
     * not there.
     */
    Map<Long, String> statistics() {
        try {
            return master.askWorkers("show stat -1 3 -1");
        } catch (IOException failure) {
            throw failed("asking for its workers", failure);
        }
    }

    /** Empties its log when it has grown large: HAProxy appends, so it goes on from there. */
    void limitLog() {
        if (!Files.exists(file("haproxy.log"))) {
            return;
        }
        try (FileChannel log = FileChannel.open(file("haproxy.log"), StandardOpenOption.WRITE)) {
            if (log.size() > LOG_BYTES) {
                log.truncate(0);
            }
        } catch (IOException failure) {
            throw failed("looking after its log", failure);
        }
    }

    /**
     * Has HAProxy read a configuration, and changes nothing.
     *
     * @throws ProviderException if it refuses it
     */
    void check(String configuration) {
        write("haproxy.cfg.new", configuration);
        Outcome outcome = Command.run(
                List.of(
                        binary,
                        "-c",
                        "-q",
                        "-L",
                        "berth",
                        "-f",
                        file("haproxy.cfg.new").toString()),
                patience);
        if (outcome.code() != 0) {
            throw new ProviderException("HAProxy rejected the configuration: " + alerts(outcome.output()));
        }
    }

    private void start() {
        LOG.info("starting HAProxy in {}", directory);
        Process process;
        try {
            process = master.start();
        } catch (IOException failure) {
            throw failed("starting it", failure);
        }
        // It stays in the foreground.
        if (!comesTrue(() -> !process.isAlive() || answers(master.shown().worker()), patience) || !process.isAlive()) {
            process.destroyForcibly();
            throw new ProviderException("HAProxy did not start: " + lastAlert());
        }
    }

    private void reload() {
        Shown former = shown(_ -> true);
        if (former.isBusy()) {
            throw new ProviderException(
                    "HAProxy could not be reloaded, because it does not respond; it continues as before");
        }
        master.reload();
        Shown now = shown(next -> next.isRefusedAfter(former) || (next.isOtherThan(former) && answers(next.worker())));
        if (now.isBusy()) {
            isUnsure = true;
            throw new ProviderException("HAProxy has not said within %d s whether it was reloaded: %s"
                    .formatted(patience.toSeconds(), lastAlert()));
        }
        if (now.isRefusedAfter(former)) {
            throw new ProviderException("HAProxy could not be reloaded; it continues as before: " + lastAlert());
        }
    }

    /** What the master shows once it is this; it {@link Shown#isBusy}: never within its patience. */
    private Shown shown(Predicate<Shown> wanted) {
        AtomicReference<Shown> last = new AtomicReference<>(Shown.NOTHING);
        return comesTrue(
                        () -> {
                            Shown next = master.shown();
                            last.set(next);
                            return !next.isBusy() && wanted.test(next);
                        },
                        patience)
                ? last.get()
                : Shown.NOTHING;
    }

    private boolean answers(long worker) {
        try {
            return cli.ask("show info").contains("Pid: " + worker + "\n");
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Whether it becomes true within {@code patience}; not when the thread is interrupted. */
    static boolean comesTrue(BooleanSupplier condition, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
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
        return text.lines().findFirst().orElse("it printed nothing");
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private void write(String name, String content) {
        StateFile.write(file(name), content);
    }

    private static ProviderException failed(String what, IOException failure) {
        return new ProviderException("HAProxy: " + what + ": " + failure.getMessage(), failure);
    }
}
