package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.StartGate;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class CoalescingTaskTest {
    private final StartGate gate = new StartGate();
    private final Deque<Runnable> begun = new ArrayDeque<>();
    private int done;
    private final CoalescingTask once = new CoalescingTask(
            gate,
            (delay, what) -> {
                begun.add(what);
                return () -> begun.remove(what);
            },
            () -> done++);

    private void runAll() {
        while (!begun.isEmpty()) {
            begun.removeFirst().run();
        }
    }

    @Test
    void changesThatComeTogether_areDoneOnce_andTheNextOneAgain() {
        gate.open();
        once.changed();
        once.changed();
        runAll();
        assertThat(done).isEqualTo(1);

        once.changed();
        runAll();
        assertThat(done).isEqualTo(2);
    }

    @Test
    void changeThatComesBeforeTheGateIsOpen_isDoneOnceItIs() {
        once.changed();
        runAll();
        assertThat(done).isZero();

        gate.open();
        once.opened();
        runAll();

        assertThat(done).isEqualTo(1);
    }

    @Test
    void nothingIsDone_whereNothingChangedBeforeTheGateIsOpen() {
        gate.open();
        once.opened();
        runAll();

        assertThat(done).isZero();
    }
}
