package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FieldManagersTest {
    @Test
    void nameOfAFieldManager_isOfANode_andAsLongAsItMayBe() {
        assertThat(FieldManagers.agent("worker-1")).isEqualTo("berth-agent/worker-1");
        String longName = "n".repeat(252);
        assertThat(FieldManagers.agent(longName + "1")).hasSize(128);
        assertThat(FieldManagers.agent(longName + "1")).isNotEqualTo(FieldManagers.agent(longName + "2"));
    }
}
