package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.kube.Cluster;
import org.junit.jupiter.api.Test;

class HistoryTest {
    @Test
    void historyThatAnyErrorEnds_isNoneThatPasses() {
        SimulatedParts endless = new SimulatedParts() {
            @Override
            Cluster cluster(SimulatedWorld world, SimulatedCluster.Client client) {
                throw new StackOverflowError("endless");
            }
        };

        assertThat(History.of(0, 1, 10).with(endless).live(false))
                .map(History.Broken::message)
                .hasValue("java.lang.StackOverflowError: endless");
    }
}
