package dev.berth.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a running process has used so far; Linux only.
 *
 * @param cpuSeconds user and system time; NaN where there is no /proc
 * @param mebibytes what is resident; NaN where there is no /proc
 * @param peakMebibytes the most memory that was resident; NaN where there is no /proc
 */
record ProcessUse(double cpuSeconds, double mebibytes, double peakMebibytes) {
    /** Of /proc/pid/stat; the same on every Linux that Kubernetes runs on. */
    private static final double TICKS_PER_SECOND = 100;

    /** @throws UncheckedIOException if there is no such process */
    static ProcessUse of(long pid) {
        Path proc = Path.of("/proc", Long.toString(pid));
        if (!Files.isDirectory(Path.of("/proc"))) {
            return new ProcessUse(Double.NaN, Double.NaN, Double.NaN);
        }
        try {
            String stat = Files.readString(proc.resolve("stat"));
            // Fields 14 and 15; the second one, in parentheses, may have blanks.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            double ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
            List<String> status =
                    Files.readString(proc.resolve("status")).lines().toList();
            return new ProcessUse(ticks / TICKS_PER_SECOND, mebibytes(status, "VmRSS:"), mebibytes(status, "VmHWM:"));
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + proc, e);
        }
    }

    private static double mebibytes(List<String> status, String field) {
        return status.stream()
                        .filter(line -> line.startsWith(field))
                        .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElse(Double.NaN)
                / 1024;
    }
}
