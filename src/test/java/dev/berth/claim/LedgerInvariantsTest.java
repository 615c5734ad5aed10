package dev.berth.claim;

import static dev.berth.claim.Sample.asking;
import static dev.berth.claim.Sample.claim;
import static dev.berth.claim.Sample.key;
import static dev.berth.claim.Sample.request;
import static dev.berth.claim.Sample.sharing;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.pool.SamplePools.pool;
import static dev.berth.pool.SamplePools.poolSet;
import static dev.berth.pool.SamplePools.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.ip.Ip;
import dev.berth.ip.IpSet;
import dev.berth.pool.PoolPolicy;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Of a ledger in which there is something of everything. */
class LedgerInvariantsTest {
    private final Ledger ledger = new Ledger();

    @BeforeEach
    void somethingOfEverything() {
        ledger.usePools(poolSet(
                pool("edge", "192.0.2.0/31"),
                with(
                        pool("recent", "198.51.100.0/31"),
                        policy -> policy.withStrategy(PoolPolicy.Strategy.LEAST_RECENTLY_USED))));
        ledger.rebuild(List.of(claim("198.51.100.0", "a", 1), claim("203.0.113.0", "stranded", 2)));
        ledger.free(Ip.parse("198.51.100.0"));
        AddressRequest shares = sharing(asking(request("a", 0, IPV4), "192.0.2.0"), "dns", 53);
        ledger.observe(
                claim(shares, ((Choice.Assigned) ledger.choose(shares)).picks().getFirst(), 3));
        ledger.withhold(key("foreign"), List.of(Ip.parse("192.0.2.1")));
        ledger.await(asking(request("waits", 10, IPV4), "198.51.100.1"));
    }

    @Test
    void ledgerInWhichNothingIsBroken_isSound() {
        assertThatCode(ledger::checkInvariants).doesNotThrowAnyException();
    }

    static Stream<Arguments> indexes() {
        return Stream.of(
                Arguments.of("holdings.byService", "index by Service of prod/"),
                Arguments.of("holdings.byShare", "index by sharing key of SharedBy"),
                Arguments.of("holdings.used", "set of addresses in use is []"),
                Arguments.of("holdings.counts.byPhase", "number of addresses of ByPhase"),
                Arguments.of("holdings.counts.byNamespace", "number of addresses of ByNamespace"),
                Arguments.of("holdings.stranded.byPool", "stranded addresses of edge"),
                Arguments.of("holdings.recentlyReleased.byPool", "addresses that were ever used"),
                Arguments.of("holdings.recentlyReleased.touched", "addresses that were ever used is []"),
                Arguments.of("holdings.byIp", "index by Service of"),
                Arguments.of("waiting.queues", "queue of OfAddress"),
                Arguments.of("waiting.byTurn", "order of those who wait of QueuePosition"),
                Arguments.of("waiting.byPool", "number of those who wait of OfPool"),
                Arguments.of("waiting.setAside", "set of addresses that somebody waits for and nobody holds is []"),
                Arguments.of("withheld.byAddress", "publishers of 192.0.2.1"),
                Arguments.of("withheld.byService", "publishers of 192.0.2.1"));
    }

    @ParameterizedTest
    @MethodSource("indexes")
    void brokenIndex_isNamed(String index, String named) throws ReflectiveOperationException {
        clear(index);

        assertThatThrownBy(ledger::checkInvariants)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(named);
    }

    @Test
    void whatIsWithheldAndFree_isNamed() throws ReflectiveOperationException {
        ledger.observe(claim("192.0.2.1", "owner", 4));
        ((Holdings) part(ledger, "holdings")).remove(Ip.parse("192.0.2.1"));

        assertThatThrownBy(ledger::checkInvariants).hasMessage("192.0.2.1 is withheld, but is free");
    }

    @Test
    void whatIsHeldForNobodyAndNotWithheld_isNamed() throws ReflectiveOperationException {
        ((Withheld) part(ledger, "withheld")).clear();

        assertThatThrownBy(ledger::checkInvariants).hasMessage("192.0.2.1 is held for nobody, but is not withheld");
    }

    @Test
    void whatIsRememberedAsReleased_andHeld_isNamed() throws ReflectiveOperationException {
        Ip ip = Ip.parse("198.51.100.0");
        ledger.observe(claim("198.51.100.0", "b", 4));
        RecentlyReleased released = (RecentlyReleased) part(part(ledger, "holdings"), "recentlyReleased");
        released.released(ledger.pools().poolOf(ip).orElseThrow(), ip);

        assertThatThrownBy(ledger::checkInvariants).hasMessage(ip + " is remembered as released, but is held");
    }

    /** Of the first one SimulationRules checks the ledger after each step; the second one measures. */
    private static final List<String> CHECKED_ELSEWHERE = List.of("SimulatedOperator.java", "AddressBench.java");

    /** What a test did to a ledger may have left it broken, though the test looks at something else. */
    @Test
    void eachTestThatHasALedger_checksItsInvariants() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            List<String> unchecked = new ArrayList<>();
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                String text = Files.readString(file);
                if (text.contains("new Ledger(") && !text.contains("checkInvariants")) {
                    unchecked.add(file.getFileName().toString());
                }
            }
            assertThat(unchecked).containsExactlyInAnyOrderElementsOf(CHECKED_ELSEWHERE);
        }
    }

    /** As if nothing had been entered. */
    private void clear(String index) throws ReflectiveOperationException {
        Object part = ledger;
        for (String field : index.split("\\.", -1)) {
            part = part(part, field);
        }
        switch (part) {
            case Map<?, ?> map -> map.clear();
            case Collection<?> set -> set.clear();
            case IpSet set -> set.clear();
            default -> throw new AssertionError(index + " is " + part);
        }
    }

    private static Object part(Object whole, String name) throws ReflectiveOperationException {
        Field field = whole.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return Objects.requireNonNull(field.get(whole));
    }
}
