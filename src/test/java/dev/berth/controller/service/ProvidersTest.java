package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.provider.LoadBalancerProvider;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProvidersTest {
    @Test
    void pluginThatCallsItselfImmediate_isGuardedAllTheSame_andBerthsOwnIsNot() {
        PoolProvider own = new PoolProvider();
        PoolProvider plugin = new PoolProvider();
        SequencedMap<String, LoadBalancerProvider> byName = new LinkedHashMap<>();
        byName.put("pool", own);
        byName.put("theirs", plugin);

        Providers providers = new Providers(byName, Set.of("theirs"));

        assertThat(providers.needsNoGuard(own)).isTrue();
        assertThat(providers.needsNoGuard(plugin)).isFalse();
    }
}
