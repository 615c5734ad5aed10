package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** When an agent writes its entry, and how often at most. */
class EntryWritesTest {
    private static final long BEGAN = 5_000_000;
    private static final PeerEntry ESTABLISHED =
            new PeerEntry("a", PeerEntry.ESTABLISHED, "09:00", 2, "", List.of(), 3);
    private static final PeerEntry CONNECTING =
            new PeerEntry("a", PeerEntry.CONNECTING, "10:00", -1, "no answer", List.of(), 3);
    private static final PeerEntry.Seen NOTHING = new PeerEntry.Seen(Optional.empty(), 3);

    private final EntryWrites writes = new EntryWrites(new java.util.Random(1));

    private static PeerEntry.Seen seen(PeerEntry entry, int nodes) {
        return new PeerEntry.Seen(Optional.of(entry), nodes);
    }

    private Optional<EntryWrites.Write> due(PeerEntry wanted, PeerEntry.Seen seen, long now) {
        return writes.due(Optional.of(wanted), seen, now);
    }

    private boolean writesIt(PeerEntry wanted, PeerEntry.Seen seen, long now) {
        Optional<EntryWrites.Write> due = due(wanted, seen, now);
        due.ifPresent(write -> writes.wrote(write, now));
        return due.isPresent();
    }

    @Test
    void whatTheStatusSays_isNotWritten() {
        assertThat(due(ESTABLISHED, seen(ESTABLISHED, 3), BEGAN)).isEmpty();
        assertThat(due(ESTABLISHED, NOTHING, BEGAN)).contains(new EntryWrites.Write(Optional.of(ESTABLISHED)));
    }

    @Test
    void nodeThatIsNotSelected_writesNothing_butOnceThatItsEntryGoes() {
        assertThat(writes.due(Optional.empty(), NOTHING, BEGAN)).isEmpty();
        Optional<EntryWrites.Write> removal = writes.due(Optional.empty(), seen(ESTABLISHED, 3), BEGAN);
        assertThat(removal).contains(new EntryWrites.Write(Optional.empty()));
        writes.wrote(removal.orElseThrow(), BEGAN);
        assertThat(writes.due(Optional.empty(), seen(ESTABLISHED, 3), BEGAN + 1_000))
                .as("on its way")
                .isEmpty();
        assertThat(writes.due(Optional.empty(), NOTHING, BEGAN + 2_000)).isEmpty();
    }

    @Test
    void sameState_lastsSinceItBegan_alsoAfterARestartOfTheAgent_andIfAnotherHasWrittenMeanwhile() {
        PeerEntry later = new PeerEntry("a", PeerEntry.ESTABLISHED, "11:00", 2, "", List.of(), 3);
        assertThat(due(later, seen(ESTABLISHED, 3), BEGAN)).isEmpty();
        assertThat(writesIt(ESTABLISHED, NOTHING, BEGAN)).isTrue();
        assertThat(due(later, seen(CONNECTING, 3), BEGAN + EntryWrites.UNSEEN))
                .contains(new EntryWrites.Write(Optional.of(ESTABLISHED)));
    }

    @Test
    void whatIsOnItsWay_isNotWrittenAgain() {
        assertThat(writesIt(ESTABLISHED, NOTHING, BEGAN)).isTrue();
        assertThat(writesIt(ESTABLISHED, NOTHING, BEGAN + EntryWrites.UNSEEN - 1))
                .isFalse();
        assertThat(writesIt(ESTABLISHED, NOTHING, BEGAN + EntryWrites.UNSEEN)).isTrue();
    }

    @Test
    void countAlone_isWrittenTheMoreRarely_theMoreNodesThereAre() {
        assertThat(writesIt(ESTABLISHED, NOTHING, BEGAN)).isTrue();
        PeerEntry more = ESTABLISHED.withRoutes(7);
        long rare = EntryWrites.COUNT_AGAIN + 99 * EntryWrites.COUNT_AGAIN_PER_NODE;
        assertThat(due(more, seen(ESTABLISHED, 1), BEGAN + EntryWrites.COUNT_AGAIN))
                .isPresent();
        assertThat(due(more, seen(ESTABLISHED, 100), BEGAN + rare - 1)).isEmpty();
        assertThat(due(more, seen(ESTABLISHED, 100), BEGAN + rare)).isPresent();
    }

    @Test
    void sessionThatFlaps_isWrittenAFewTimes_andThenSixTimesAMinute() {
        int count = 0;
        PeerEntry.Seen seen = NOTHING;
        for (long second = 0; second < 600; second++) {
            PeerEntry now = second % 2 == 0 ? ESTABLISHED : CONNECTING;
            if (writesIt(now, seen, BEGAN + 1_000 * second)) {
                count++;
                seen = seen(now, 3);
            }
        }
        assertThat(count).isBetween(30, 600_000 / (int) EntryWrites.REFILL + EntryWrites.AT_ONCE);
    }

    @Test
    void failure_isRetriedLaterAndLater_andAtAnotherTimeByEach() {
        long now = BEGAN;
        long lastPause = 0;
        for (int tries = 0; tries < 12; tries++) {
            writes.failed(now);
            long next = now;
            while (due(ESTABLISHED, NOTHING, next).isEmpty()) {
                next += 100;
            }
            lastPause = next - now;
            now = next;
        }
        assertThat(lastPause).isBetween(EntryWrites.LONGEST_PAUSE / 2, 2 * EntryWrites.LONGEST_PAUSE);
        EntryWrites other = new EntryWrites(RandomGenerator.of("L64X128MixRandom"));
        other.failed(now);
        assertThat(other.due(Optional.of(ESTABLISHED), NOTHING, now)).isEmpty();
        assertThat(other.due(Optional.of(ESTABLISHED), NOTHING, now + 2 * EntryWrites.FIRST_PAUSE))
                .isPresent();
    }
}
