package dev.berth.controller.clusterip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.clusterip.Retirement;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.controller.Backoff;
import dev.berth.controller.clusterip.NetworkInMemory.Fault;
import dev.berth.kube.Caches;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangeRetirementTest {
    private final NetworkInMemory network = new NetworkInMemory();
    private final Hands clock = new Hands();
    private final RangeRetirement retirement =
            new RangeRetirement(new Caches(), network, new Backoff(new Random(1)), clock);

    @BeforeEach
    void ranges() {
        network.put(NetworkInMemory.ready("old", "10.0.0.0/24"));
        network.put(NetworkInMemory.ready("new", "10.0.1.0/24"));
    }

    private RangeRetirement.Outcome retire(String... names) {
        return retirement.retire(List.of(names), network.serviceCidrs()).getFirst();
    }

    @Test
    void rangeThatIsToGo_isDeletedOnce_andDrains() {
        assertThat(retire("old").failure()).isEmpty();
        assertThat(retire("old").retirement().verdict()).isEqualTo(new Retirement.Verdict.Draining());

        assertThat(network.writes).containsExactly("delete old");
    }

    @Test
    void rangeThatMustStay_isNotDeleted() {
        network.put(NetworkInMemory.with(NetworkInMemory.ready("old", "10.0.0.0/24"), false));

        assertThat(retire("old").retirement().verdict()).isInstanceOf(Retirement.Verdict.Refused.class);
        assertThat(network.writes).isEmpty();
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
        network.fault = null;
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

        retirement.retire(List.of(), network.serviceCidrs());

        assertThat(retirement.again()).isEmpty();
    }
}
