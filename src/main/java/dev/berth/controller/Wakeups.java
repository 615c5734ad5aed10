package dev.berth.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.ResourceAction;
import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import io.javaoperatorsdk.operator.processing.event.source.controller.ResourceEvent;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes objects due by name, for what is known by other means than an event on them; also when their time has come. The
 * SDK's own timer goes by the system's clock: one that is set back an hour would have everything wait for an hour.
 */
public final class Wakeups<P extends HasMetadata> extends AbstractEventSource<Void, P>
        implements ResourceEventAware<P> {
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

    private final Timer timer;

    /** What cancels the next look at each that has one. */
    private final Map<ResourceID, Runnable> looks = new ConcurrentHashMap<>();

    public Wakeups(String name, Timer timer) {
        super(Void.class, name);
        this.timer = timer;
    }

    /**
     * A {@link Next} as the answer of a reconciler. Nothing is for the SDK to write: the control loops write themselves. An
     * object that is gone cannot be woken, and is left to the SDK. That its deletion was reported is not enough for that:
     * while it waited, another of its name may have been created.
     */
    public UpdateControl<P> answer(P object, Context<P> context, Next next) {
        UpdateControl<P> answer = UpdateControl.noUpdate();
        ResourceID id = ResourceID.fromResource(object);
        if (context.isPrimaryResourceDeleted()
                && context.getPrimaryCache().get(id).isEmpty()) {
            cancel(id);
            next.delay().ifPresent(answer::rescheduleAfter);
        } else {
            looks.compute(id, (of, before) -> {
                if (before != null) {
                    before.run();
                }
                return next.delay()
                        .map(delay -> timer.after(delay, () -> wake(id)))
                        .orElse(null);
            });
        }
        return answer;
    }

    private void cancel(ResourceID id) {
        Runnable look = looks.remove(id);
        if (look != null) {
            look.run();
        }
    }

    @Override
    public void onResourceCreated(P object) {}

    @Override
    public void onResourceUpdated(P now, P before) {}

    @Override
    public void onResourceDeleted(P object) {
        cancel(ResourceID.fromResource(object));
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
