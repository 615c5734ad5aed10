package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.NotAnnouncedReason;
import dev.berth.announce.Verdict;
import dev.berth.announce.Verdict.Silent;
import dev.berth.ip.Ip;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When it is decided again. */
class VerdictCacheTest {
    private final VerdictCache decided = new VerdictCache();
    private int times;

    private SequencedMap<Ip, Verdict> decide() {
        times++;
        SequencedMap<Ip, Verdict> verdicts = new TreeMap<>();
        verdicts.put(Ip.parse("192.0.2." + times), new Silent(NotAnnouncedReason.NO_SERVICE, ""));
        return verdicts;
    }

    @Test
    void whatIsAsBefore_isNotDecidedAgain() {
        SequencedMap<Ip, Verdict> first = decided.by(List.of(1, "a"), this::decide);
        assertThat(decided.by(List.of(1, "a"), this::decide)).isSameAs(first);
        assertThat(decided.by(List.of(1, "b"), this::decide)).isNotEqualTo(first);
        assertThat(times).isEqualTo(2);
    }
}
