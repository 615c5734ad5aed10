package dev.berth.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long what a test sees may take. */
final class Limit {
    private static final Pattern WAITED = Pattern.compile("some avg10=([0-9.]+)");
    private static final int OF_A_BUSY_MACHINE = 3;

    private Limit() {}

    /**
     * The same, or more where tasks wait for a processor most of the time: that adds to each time that is measured.
     *
     * @param calm what it may take on a machine that has a processor for whoever wants one
     */
    static Duration of(Duration calm) {
        return isMachineBusy() ? calm.multipliedBy(OF_A_BUSY_MACHINE) : calm;
    }

    /** Whether tasks have waited for a processor in more than half of the last 10 s, as the kernel tells. */
    static boolean isMachineBusy() {
        try {
            Matcher waited = WAITED.matcher(Files.readString(Path.of("/proc/pressure/cpu")));
            return waited.find() && Double.parseDouble(waited.group(1)) > 50;
        } catch (IOException unknown) {
            return false;
        }
    }
}
