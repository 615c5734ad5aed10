package dev.berth.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import java.util.Set;

/** Makes objects due by name, for what is known by other means than an event on them. */
public final class Wakeups<P extends HasMetadata> extends AbstractEventSource<Void, P> {
    public Wakeups(String name) {
        super(Void.class, name);
    }

    /** The object of this name is to be reconciled; one that is not in the cache is not. */
    public void wake(ResourceID object) {
        if (isRunning()) {
            getEventHandler().handleEvent(new Event(object));
        }
    }

    @Override
    public Set<Void> getSecondaryResources(P primary) {
        return Set.of();
    }
}
