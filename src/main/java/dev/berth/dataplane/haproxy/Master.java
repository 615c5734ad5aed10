package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HAProxy's master process, which starts a worker for each configuration. It is known by its pid file, and answers at a
 * socket of its own; while it restarts itself, it answers nothing for a moment.
 */
final class Master {
    private static final Logger LOG = LoggerFactory.getLogger(Master.class);
    private static final Pattern WORKER = Pattern.compile("(?m)^# workers\\R(\\d+)\\s+worker\\s");
    private static final Pattern ANY_WORKER = Pattern.compile("(?m)^(\\d+)\\s+worker\\s");
    private static final Pattern RELOADS = Pattern.compile("(?m)^\\d+\\s+master\\s+(\\d+)(?:\\s+\\[failed: (\\d+)])?");
    private static final Pattern PID = Pattern.compile("[0-9]{1,10}");

    /** In place of a worker: none has the current configuration. */
    private static final long NONE = 0;

    /** The same: the master restarts itself, and answers nothing for a moment. */
    private static final long BUSY = -1;

    private final Path directory;
    private final String binary;
    private final Cli cli;

    /** @param directory for what HAProxy reads and writes, and for the socket */
    Master(Path directory, String binary) {
        this.directory = directory;
        this.binary = binary;
        this.cli = new Cli(file("master.sock"));
    }

    /** Where it answers. */
    Path socket() {
        return cli.socket();
    }

    /** Starts one, by what is configured. */
    Process start() throws IOException {
        return new ProcessBuilder(
                        binary,
                        "-W",
                        "-L",
                        "berth",
                        "-f",
                        file("haproxy.cfg").toString(),
                        "-S",
                        cli.socket() + ",mode,600",
                        "-p",
                        file("haproxy.pid").toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(file("haproxy.log").toFile()))
                .start();
    }

    /** Has it reload. What comes of it, it {@link #shown}. */
    void reload() {
        try {
            cli.ask("reload");
        } catch (IOException restarting) {
            LOG.debug("the master closes its socket when it reloads: {}", restarting.toString());
        }
    }

    /** False: it is there, and does not answer. */
    boolean answersOrIsGone() {
        try {
            return !cli.ask("show proc").isEmpty();
        } catch (IOException noAnswer) {
            return !hasProcess();
        }
    }

    /**
     * Whether it is there, going by its pid file. The number may be another program's by now, and the binary may
     * have any name, or have been replaced: its arguments are its own.
     */
    boolean hasProcess() {
        String pid = pid();
        if (pid.isEmpty()) {
            return false;
        }
        try {
            String arguments = Files.readString(Path.of("/proc", pid, "cmdline"), ISO_8859_1);
            return List.of(arguments.split("\0", -1))
                    .contains(file("haproxy.pid").toString());
        } catch (IOException ended) {
            return false;
        }
    }

    /** Empty: it has none yet. */
    String pid() {
        return PID.matcher(StateFile.read(file("haproxy.pid")))
                .results()
                .findFirst()
                .map(found -> found.group())
                .orElse("");
    }

    /**
     * What it shows.
     *
     * @param worker the process ID of the one that has the current configuration, {@link #NONE} or {@link #BUSY}
     * @param reloads how many there were
     * @param failed how many of them failed since the last that did not
     */
    record Shown(long worker, long reloads, long failed) {
        static final Shown NOTHING = new Shown(BUSY, 0, 0);

        static Shown of(String answer) {
            // An empty line ends it; a master that restarts itself cuts it off.
            if (!answer.endsWith("\n\n")) {
                return NOTHING;
            }
            Matcher worker = WORKER.matcher(answer);
            Matcher master = RELOADS.matcher(answer);
            boolean hasMaster = master.find();
            return new Shown(
                    worker.find() ? Long.parseLong(worker.group(1)) : NONE,
                    hasMaster ? Long.parseLong(master.group(1)) : 0,
                    hasMaster && master.group(2) != null ? Long.parseLong(master.group(2)) : 0);
        }

        boolean isBusy() {
            return worker == BUSY;
        }

        boolean isOtherThan(Shown former) {
            return worker != NONE && worker != former.worker;
        }

        /**
         * The master could not listen, and shows the former worker or, after an earlier failure, that of then; or a worker
         * ended at once, and it shows none but "old" ones.
         */
        boolean isRefusedAfter(Shown former) {
            boolean isNews = reloads != former.reloads || former.worker != NONE;
            return worker == NONE ? isNews : reloads != former.reloads && failed > former.failed;
        }
    }

    /** What it shows now; where it does not answer, it is busy. */
    Shown shown() {
        try {
            return Shown.of(cli.ask("show proc"));
        } catch (IOException notNow) {
            return Shown.NOTHING;
        }
    }

    /**
     * Asks each worker, also those that only go on with the connections that they have.
     *
     * @return the answers, by process ID; empty: it does not answer. One that has ended is not there
     */
    Map<Long, String> askWorkers(String command) throws IOException {
        Map<Long, String> answers = new HashMap<>();
        Matcher workers = ANY_WORKER.matcher(cli.ask("show proc"));
        while (workers.find()) {
            answers.put(Long.parseLong(workers.group(1)), ofWorker(workers.group(1), command));
        }
        return answers;
    }

    private String ofWorker(String worker, String command) {
        try {
            return cli.ask("@!" + worker + " " + command).strip();
        } catch (IOException ending) {
            return "";
        }
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
