package com.example.nginx;

import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Has nginx read its files, and returns once it serves what they say: before that, what was deleted still carries
 * traffic.
 */
final class Reload {
    private static final int SHOWN = 500;

    private final List<String> command;

    /** @param command a program and its arguments; it ends once nginx has done it. Empty: there is no nginx to tell */
    Reload(List<String> command) {
        this.command = List.copyOf(command);
    }

    /** @throws ProviderException if it fails, with what it says */
    synchronized void run() {
        if (command.isEmpty()) {
            return;
        }
        Optional<Process> started = Optional.empty();
        try {
            Path output = Files.createTempFile("reload", ".log");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                started = Optional.of(process);
                int code = process.waitFor();
                if (code != 0) {
                    throw new ProviderException(command.getFirst() + " ends with code " + code + ": " + head(output));
                }
            } finally {
                Files.delete(output);
            }
        } catch (IOException failure) {
            throw new ProviderException("running " + command.getFirst() + ": " + failure, failure);
        } catch (InterruptedException late) {
            started.ifPresent(Process::destroy);
            Thread.currentThread().interrupt();
            throw new ProviderException(command.getFirst() + " has not ended in time", late);
        }
    }

    private static String head(Path output) throws IOException {
        String text = Files.readString(output).strip();
        return text.length() > SHOWN ? text.substring(0, SHOWN) : text;
    }
}
