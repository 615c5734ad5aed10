package dev.berth.plugin.grpc;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits until a channel leaves a state. One thread. */
final class ChannelWait {
    private final ManagedChannel channel;

    /** The state that {@link #leaving} is notified of. */
    private @Nullable ConnectivityState awaited;

    /** Used again until it is told: the channel forgets nobody who waits before it leaves the state, which may take years. */
    private CountDownLatch leaving = new CountDownLatch(0);

    ChannelWait(ManagedChannel channel) {
        this.channel = channel;
    }

    /** Waits until the channel leaves the state; returns whether it did. */
    boolean await(ConnectivityState state, Duration atMost) throws InterruptedException {
        CountDownLatch left = leaving;
        if (state != awaited || left.getCount() == 0) {
            left = new CountDownLatch(1);
            awaited = state;
            leaving = left;
            channel.notifyWhenStateChanged(state, left::countDown);
        }
        return left.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }
}
