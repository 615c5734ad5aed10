package dev.berth.plugin;

import dev.berth.provider.Capabilities;
import dev.berth.provider.LoadBalancerProvider;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** A provider in another process, which comes and goes. Closing it closes the connection; that process goes on. */
public interface RemoteProvider extends LoadBalancerProvider {
    /**
     * What it said last, also while it is away. When it comes back it may say something else.
     *
     * @throws dev.berth.provider.ProviderException if it has not said it yet, or there is no talking to it
     */
    @Override
    Capabilities capabilities();

    /** Whether it is called: it is there, can be talked to, and calls to it are not paused because it kept failing. */
    boolean isAvailable();

    /** Has {@code listener}, one at most, told whenever it is there again, or answers {@link #capabilities} otherwise. */
    void whenChanged(Runnable listener);

    /** The hosts that it consists of, each with a name for people; empty: it is one. */
    default SequencedMap<String, RemoteProvider> hosts() {
        return new LinkedHashMap<>();
    }

    /** Waits until it is there for the first time; returns whether it is. */
    boolean awaitConnected(Duration atMost) throws InterruptedException;

    @Override
    void close();
}
