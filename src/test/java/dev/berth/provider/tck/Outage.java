package dev.berth.provider.tck;

/** A time in which a provider cannot reach its world. It begins when this is made. */
@FunctionalInterface
public interface Outage extends AutoCloseable {
    @Override
    void close();
}
