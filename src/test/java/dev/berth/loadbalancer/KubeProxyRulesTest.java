package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.KubeProxyRules.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

class KubeProxyRulesTest {
    @Test
    void onlyIfAllNodesAskedRefuse_thereIsNone() {
        assertThat(KubeProxyRules.isThere(List.of(Answer.REFUSED, Answer.REFUSED)))
                .isFalse();
        assertThat(KubeProxyRules.isThere(List.of(Answer.REFUSED, Answer.LISTENS)))
                .isTrue();
        assertThat(KubeProxyRules.isThere(List.of(Answer.REFUSED, Answer.NONE))).isTrue();
        assertThat(KubeProxyRules.isThere(List.of())).isTrue();
    }
}
