package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often it is warned. */
class WarningsTest {
    private static final Logger LOG = Logger.getLogger(Warnings.class.getName());

    private final List<LogRecord> said = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final Warnings warnings = new Warnings(clock::get);
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            said.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOG.addHandler(handler);
    }

    @AfterEach
    void leave() {
        LOG.removeHandler(handler);
    }

    @Test
    void warning_isLoggedOnceIn5Minutes_whateverComesBetween() {
        for (int times = 0; times < 10; times++) {
            warnings.warn("one");
            warnings.warn("other");
        }
        assertThat(said).hasSize(2);
        clock.set(Warnings.PAUSE);
        warnings.warn("one");
        assertThat(said).hasSize(3);
    }

    @Test
    void warnings_areSoManyAtMost() {
        for (int number = 0; number < 10 * Warnings.MOST; number++) {
            warnings.warn("address " + number);
        }
        assertThat(said).hasSize(Warnings.MOST);
        clock.set(Warnings.PAUSE);
        warnings.warn("one more");
        assertThat(said).hasSize(Warnings.MOST + 1);
    }
}
