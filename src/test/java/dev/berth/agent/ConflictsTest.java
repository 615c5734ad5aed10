package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said of other machines. */
class ConflictsTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.1");
    private static final int INTERFACE = 2;
    private static final Logger LOG = Logger.getLogger(Conflicts.class.getName());

    private final List<LogRecord> said = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final Conflicts conflicts = new Conflicts(new AgentMetrics(), clock::get);
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
        conflicts.watch(Map.of(ADDRESS, INTERFACE));
    }

    @AfterEach
    void leave() {
        LOG.removeHandler(handler);
    }

    @Test
    void claimsOfOneAddress_areSaidOnceIn5Minutes_whoeverMakesThem() {
        for (int machine = 0; machine < 100; machine++) {
            conflicts.claimed(ADDRESS, "02:00:00:00:00:%02x".formatted(machine), INTERFACE);
        }
        assertThat(said).hasSize(1);
        assertThat(conflicts.claimant(ADDRESS)).isEqualTo("02:00:00:00:00:63");
        assertThat(conflicts.addresses()).containsExactly(Ip.of(ADDRESS));

        clock.set(TimeUnit.MINUTES.toMillis(5));
        conflicts.claimed(ADDRESS, "02:00:00:00:00:01", INTERFACE);
        assertThat(said).hasSize(2);
    }

    @Test
    void claimOnAnotherNetwork_isNone() {
        conflicts.claimed(ADDRESS, "02:00:00:00:00:01", INTERFACE + 1);
        assertThat(said).isEmpty();
        assertThat(conflicts.claimant(ADDRESS)).isNull();
        assertThat(conflicts.addresses()).isEmpty();
    }

    @Test
    void claimOfANodeWhoseAgentIsHeardAgain_isForgotten() {
        conflicts.claimed(ADDRESS, "02:00:00:00:00:01", INTERFACE);
        conflicts.known(Set.of(), Set.of("02:00:00:00:00:02"));
        assertThat(conflicts.addresses()).isNotEmpty();

        conflicts.known(Set.of(), Set.of("02:00:00:00:00:01"));
        assertThat(conflicts.addresses()).isEmpty();
    }

    @Test
    void claimOfANodeWhoseAgentIsHeard_isNoConflict_butHasNeighboursToldAgain() {
        conflicts.known(Set.of("02:00:00:00:00:01"), Set.of("02:00:00:00:00:02"));
        conflicts.claimed(ADDRESS, "02:00:00:00:00:01", INTERFACE);
        assertThat(conflicts.takeContested()).isEmpty();

        conflicts.claimed(ADDRESS, "02:00:00:00:00:02", INTERFACE);
        assertThat(conflicts.addresses()).isEmpty();
        assertThat(conflicts.takeContested()).containsExactly(ADDRESS);
        assertThat(conflicts.takeContested()).isEmpty();
    }

    /** Somebody has put the address on that node, beside its agent. */
    @Test
    void nodeThatAnswersForAnAddressEachTimeThatItIsAsked_isNamed_thoughItsAgentIsHeard() {
        Set<String> others = Set.of("02:00:00:00:00:02");
        for (int probe = 0; probe < 3; probe++) {
            assertThat(conflicts.addresses()).isEmpty();
            conflicts.known(Set.of(), others);
            conflicts.claimed(ADDRESS, "02:00:00:00:00:02", INTERFACE);
            clock.addAndGet(BoundAddresses.PROBE);
        }
        assertThat(conflicts.addresses()).isEmpty();
        conflicts.known(Set.of(), others);
        conflicts.claimed(ADDRESS, "02:00:00:00:00:02", INTERFACE);
        conflicts.known(Set.of(), others);
        assertThat(conflicts.addresses()).containsExactly(Ip.of(ADDRESS));
        assertThat(said).hasSize(1);
    }

    @Test
    void claim_isForgotten5MinutesAfterItWasHeardLast() {
        conflicts.claimed(ADDRESS, "02:00:00:00:00:01", INTERFACE);
        clock.set(TimeUnit.MINUTES.toMillis(5));
        conflicts.watch(Map.of(ADDRESS, INTERFACE));
        assertThat(conflicts.addresses()).isNotEmpty();

        clock.addAndGet(1);
        conflicts.watch(Map.of(ADDRESS, INTERFACE));
        assertThat(conflicts.addresses()).isEmpty();
    }
}
