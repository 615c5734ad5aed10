package dev.berth.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.Replacement;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Conditions;
import dev.berth.kube.Pools;
import dev.berth.pool.PoolSet;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PoolStatusTest {
    private final Ledger ledger = new Ledger();
    private final List<Replacement> foretold = new ArrayList<>();
    private final PoolStatus status =
            new PoolStatus(ledger, Clock.systemUTC(), Clock.systemUTC(), (pool, most) -> foretold);
    private int generation;

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    private AddressPool.Status shown(String spec) {
        generation++;
        AddressPool edge = new KubernetesSerialization()
                .unmarshal(
                        "metadata: {name: edge, uid: u1, generation: " + generation + "}\nspec: " + spec,
                        AddressPool.class);
        ledger.usePools(PoolSet.of(List.of(Pools.declaration(edge)), List.of()));
        return status.of(edge);
    }

    @Test
    void pool_showsItsAddressesInOneLine_threeOfThemAtMost() {
        assertThat(shown("{addresses: [192.0.2.0/28, '2001:db8::/112']}").addresses())
                .isEqualTo("192.0.2.0/28,2001:db8::/112");
        assertThat(shown("{addresses: [192.0.2.0/28, 192.0.2.20, 192.0.2.30-192.0.2.40, 192.0.2.50, 192.0.2.60]}")
                        .addresses())
                .isEqualTo("192.0.2.0/28,192.0.2.20,192.0.2.30-192.0.2.40 + 2 more...");
        assertThat(shown("{}").addresses()).isNull();
    }

    /** A pool, and what it shows. */
    private record StateRow(
            String rule, String spec, @Nullable String state) {}

    private static final List<StateRow> STATES = List.of(
            new StateRow("nothing is odd", "{addresses: [192.0.2.0/28]}", null),
            new StateRow("it is suspended", "{addresses: [192.0.2.0/28], suspended: true}", "Suspended"),
            new StateRow(
                    "it is for those who name it", "{addresses: [192.0.2.0/28], autoAssign: false}", "NoAutoAssign"),
            new StateRow(
                    "all of its addresses are excluded",
                    "{addresses: [192.0.2.8/31], excluded: [192.0.2.0/28]}",
                    "NoAllocatableAddresses"),
            new StateRow("a range is wrong", "{addresses: [192.0.2.9-192.0.2.1]}", "InvalidAddresses"),
            new StateRow("a field cannot be read", "{addresses: [192.0.2.0/28], reuseAfter: soon}", "Unreadable"),
            new StateRow(
                    "all of that",
                    "{addresses: [192.0.2.9-192.0.2.1], autoAssign: false, suspended: true}",
                    "Suspended,NoAutoAssign,InvalidAddresses"));

    @TestFactory
    Stream<DynamicTest> pool_showsWhatIsOddAboutIt() {
        return STATES.stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.rule(), () -> assertThat(shown(row.spec()).state()).isEqualTo(row.state())));
    }

    @Test
    void suspendedPool_doesNotSay_thatItsAddressesCanBeAllocated() {
        assertThat(message(shown("{addresses: [192.0.2.0/28]}"), "Valid")).isEqualTo("all of its addresses are valid");
        assertThat(message(shown("{addresses: [192.0.2.0/28], suspended: true}"), "Valid"))
                .isEqualTo("all of its addresses are valid; it is suspended, and nothing new is allocated from it");
    }

    private static String message(AddressPool.Status status, String type) {
        return Conditions.find(status.conditions(), type).orElseThrow().getMessage();
    }

    @Test
    void allocatedAndStranded_areTogetherWhatServicesHaveOfThePool() {
        shown("{addresses: [192.0.2.0/28]}");
        holds("192.0.2.1", "web");
        holds("192.0.2.2", "api");
        holds("192.0.2.9", "dns");

        AddressPool.Status shrunk = shown("{addresses: [192.0.2.0/29]}");

        assertThat(shrunk.allocated()).isEqualTo(2);
        assertThat(shrunk.stranded()).extracting(AddressPool.Stranded::total).isEqualTo(1);
    }

    private void holds(String address, String service) {
        ledger.observe(new Claim(
                Ip.parse(address),
                "of-" + service,
                "1",
                ClaimSpec.of("edge", "berth.dev/pool", new Owner(new ServiceKey("prod", service), "u-" + service))));
    }

    @Test
    void whoGetsWhich_isSaidBesideWhatIsStranded_thoseWhoGetNoneFirst_andTenOfEach() {
        holds("192.0.2.99", "web");
        foretold.add(new Replacement(new ServiceKey("prod", "web"), Ip.parse("192.0.2.99"), Ip.find("192.0.2.0"), ""));
        for (int i = 0; i < 12; i++) {
            foretold.add(new Replacement(
                    new ServiceKey("prod", "n" + i), Ip.parse("192.0.2.99"), Optional.empty(), "PoolExhausted"));
        }

        assertThat(message(shown("{addresses: [192.0.2.0/28]}"), "Stranded"))
                .contains("; currently, prod/n0 would get no address (PoolExhausted), prod/n1 would get no address")
                .contains("prod/n9 would get no address (PoolExhausted) and 2 more, prod/web would get 192.0.2.0");
    }
}
