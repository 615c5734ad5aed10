package dev.berth.controller.service;

/** A line on which nothing goes wrong. */
class ReliableConnection implements SimulatedCluster.Line {
    @Override
    public SimulatedCluster.Fault sending(String call, Runnable effect) {
        return SimulatedCluster.Fault.NONE;
    }

    @Override
    public void answered(String call) {}

    @Override
    public boolean readFails(String call) {
        return false;
    }

    @Override
    public void late(String call, Runnable effect) {}
}
