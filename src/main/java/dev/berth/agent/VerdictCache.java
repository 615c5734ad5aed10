package dev.berth.agent;

import dev.berth.announce.Verdict;
import dev.berth.ip.Ip;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What was decided last, and by what: the same is not decided twice, for there may be many addresses and nodes. */
final class VerdictCache {
    private @Nullable Object basis;
    private SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();

    /**
     * Decides, if that has not been done by the same.
     *
     * @param now what it goes by, all of it: compared by equals
     */
    SequencedMap<Ip, Verdict> by(Object now, Supplier<SequencedMap<Ip, Verdict>> deciding) {
        if (!now.equals(basis)) {
            verdicts = deciding.get();
            basis = now;
        }
        return verdicts;
    }
}
