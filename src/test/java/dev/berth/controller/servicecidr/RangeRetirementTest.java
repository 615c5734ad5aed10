package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Backoff;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.testing.cluster.Line.Fault;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangeRetirementTest {
    private final NetworkInMemory network = new NetworkInMemory();
    private final ManualClock clock = new ManualClock();
    private final RangeRetirement retirement =
            new RangeRetirement(new Caches(), network, new Backoff(new Random(1)), clock, clock.steady());

    @BeforeEach
    void ranges() {
        network.put(SampleCidrs.ready("old", "10.0.0.0/24"));
        network.put(SampleCidrs.ready("new", "10.0.1.0/24"));
    }

    /** Asks for it first. */
    private RangeRetirement.Outcome retire(String name) {
        network.retire(name);
        return look().stream()
                .filter(outcome -> outcome.retirement().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<RangeRetirement.Outcome> look() {
        return retirement.retire(network.serviceCidrs(), family -> BigInteger.ZERO);
    }

    @Test
    void rangeThatIsWantedAgain_isNotDeleted_alsoIfTheCacheHasNotHeardOfIt() {
        network.put(SampleCidrs.retiring(SampleCidrs.ready("old", "10.0.0.0/24")));
        network.lag();
        network.put(SampleCidrs.ready("old", "10.0.0.0/24"));

        assertThat(look()).isEmpty();
        assertThat(network.writes).isEmpty();
    }

    @Test
    void rangeThatIsToGo_isDeletedOnce_andDrains() {
        assertThat(retire("old").failure()).isEmpty();
        assertThat(retire("old").retirement().verdict()).isEqualTo(new Retirement.Verdict.Draining());

        assertThat(network.writes).containsExactly("delete old");
    }

    @Test
    void rangeThatMustStay_isNotDeleted() {
        network.put(SampleCidrs.with(SampleCidrs.ready("old", "10.0.0.0/24"), false));

        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.Refused.class);
        assertThat(network.writes).isEmpty();
    }

    /** A Service that is recreated is away for a moment. */
    @Test
    void rangeThatThereWasNoRoomFor_retiresOnlyIfTheRoomLasts() {
        network.put(SampleCidrs.ready("small", "10.0.2.0/30"));
        network.remove("new");
        network.put(NetworkInMemory.allocated("10.0.0.100", "a"));
        network.put(NetworkInMemory.allocated("10.0.0.101", "b"));
        network.put(NetworkInMemory.allocated("10.0.2.1", "c"));

        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.NoRoom.class);
        network.remove(Ip.parse("10.0.0.100"));
        clock.passSeconds(59);
        assertThat(retire("old").failure())
                .hasValue("there was no room without ServiceCIDR \"old\"; there is now, and it retires if there still"
                        + " is at 2026-01-01T00:01:00Z");
        assertThat(retirement.again()).hasValue(NetworkInMemory.START.plusSeconds(60));
        assertThat(network.writes).isEmpty();

        clock.passSeconds(1);
        assertThat(retire("old").failure()).isEmpty();
        assertThat(network.writes).containsExactly("delete old");
        assertThat(retirement.again()).isEmpty();
    }

    @Test
    void whatTheCacheHasNotHeardOf_isSeenBeforeARangeIsDeleted() {
        network.lag();
        network.remove("new");

        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.Refused.class);
        network.put(SampleCidrs.ready("new", "10.0.1.0/30"));
        network.put(NetworkInMemory.allocated("10.0.0.9", "a"));
        network.put(NetworkInMemory.allocated("10.0.1.1", "b"));
        network.put(NetworkInMemory.allocated("10.0.1.2", "c"));
        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.NoRoom.class);

        assertThat(network.writes).isEmpty();
        assertThat(retirement.again()).hasValue(clock.instant().plusSeconds(60));
    }

    @Test
    void ofTwoThatShareAddresses_theSecondStays_alsoIfTheCacheHasNotHeardOfTheFirstOnesDeletion() {
        network.put(SampleCidrs.ready("twin", "10.0.0.0/24"));
        network.lag();

        retire("old");
        assertThat(retire("twin").retirement().verdict()).isInstanceOf(Retirement.Verdict.Waiting.class);

        assertThat(network.writes).containsExactly("delete old");
    }

    @Test
    void withoutAnAnswerOfTheApiServer_noRangeIsDeleted_andItIsTriedAgain() {
        network.silent = true;

        assertThat(retire("old").failure())
                .hasValue("ServiceCIDR \"old\" cannot be deleted: the API server cannot be asked before: no route to"
                        + " host");
        assertThat(network.writes).isEmpty();
        clock.passSeconds(5);
        network.silent = false;
        assertThat(retire("old").failure()).isEmpty();
        assertThat(network.writes).containsExactly("delete old");
    }

    @Test
    void whileAWatchIsDown_noRangeIsDeleted() {
        network.interruption = Optional.of("the watch is down");

        assertThat(retire("old").failure())
                .hasValueSatisfying(told -> assertThat(told).endsWith("the watch is down"));
        assertThat(network.writes).isEmpty();
    }

    @Test
    void failure_isForgotten_onceThereIsNoRoomAnyMore() {
        network.fault = Fault.REFUSED;
        retire("old");
        network.remove("new");
        network.put(NetworkInMemory.allocated("10.0.0.100", "a"));
        network.put(SampleCidrs.ready("small", "10.0.2.0/30"));
        network.put(NetworkInMemory.allocated("10.0.2.1", "c"));
        network.put(NetworkInMemory.allocated("10.0.2.2", "d"));

        clock.passSeconds(3_600);
        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.NoRoom.class);

        assertThat(retirement.again()).hasValue(clock.instant().plusSeconds(60));
    }

    @Test
    void rangeThatThereWasNoRoomFor_retiresAtOnce_ifAnotherRangeIsMade() {
        network.remove("new");
        network.put(SampleCidrs.ready("small", "10.0.2.0/30"));
        network.put(NetworkInMemory.allocated("10.0.2.1", "c"));
        network.put(NetworkInMemory.allocated("10.0.2.2", "d"));
        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.NoRoom.class);

        network.put(SampleCidrs.ready("new", "10.0.1.0/24"));

        assertThat(retire("old").failure()).isEmpty();
        assertThat(network.writes).containsExactly("delete old");
    }

    @Test
    void failure_saysTheSame_untilItIsTimeToTryAgain() {
        network.fault = Fault.REFUSED;

        RangeRetirement.Outcome first = retire("old");
        RangeRetirement.Outcome second = retire("old");

        assertThat(first.failure()).hasValue("ServiceCIDR \"old\" cannot be deleted: a policy denies it");
        assertThat(second).isEqualTo(first);
        assertThat(network.writes).hasSize(1);

        clock.passSeconds(5);
        network.fault = Fault.NONE;
        assertThat(retire("old").failure()).isEmpty();
        assertThat(network.live("old"))
                .hasValueSatisfying(cidr -> assertThat(cidr).matches(ServiceCidr::isTerminating));
        assertThat(retirement.again()).isEmpty();
    }

    @Test
    void rangeThatIsGoneByNow_isNoFailure() {
        network.fault = Fault.NOT_FOUND;

        assertThat(retire("old").failure()).isEmpty();
        assertThat(retirement.again()).isEmpty();
    }

    @Test
    void rangeThatIsWantedAgain_isNotTriedAgain() {
        network.fault = Fault.REFUSED;
        retire("old");
        assertThat(retirement.again()).isPresent();

        network.put(SampleCidrs.ready("old", "10.0.0.0/24"));
        look();

        assertThat(retirement.again()).isEmpty();
    }
}
