package dev.berth.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import java.util.Set;

/** Makes objects due by name, for what is known by other means than an event on them. */
public final class Wakeups<P extends HasMetadata> extends AbstractEventSource<Void, P> {
    /**
     * Not an event on the object, but taken for one: a plain {@code Event} is dropped by the SDK if the
     * filters let no event on the object through before, and a Service of another type may still have an
     * address to give back.
     */
    public static final class Wakeup extends ResourceEvent {
        Wakeup(ResourceID object) {
            super(ResourceAction.UPDATED, object, null);
        }
    }

    public Wakeups(String name) {
        super(Void.class, name);
    }

    /** The object of this name, which is in the cache, is to be reconciled. */
    public void wake(ResourceID object) {
        if (isRunning()) {
            getEventHandler().handleEvent(new Wakeup(object));
        }
    }

    @Override
    public Set<Void> getSecondaryResources(P primary) {
        return Set.of();
    }
}
