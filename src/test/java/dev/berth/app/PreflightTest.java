package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PreflightTest {
    @Test
    void inAPod_nobodyIsSentToAKubeconfig() {
        assertThat(Preflight.advice(false)).doesNotContain("kubeconfig").contains("the Pod's ServiceAccount");
        assertThat(Preflight.advice(true)).isEqualTo("check the kubeconfig");
    }
}
