package dev.berth.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.Event;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WakeupsTest {
    private static final ConfigMap OBJECT = new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace("prod")
            .withName("web")
            .endMetadata()
            .build();

    private static final class Look {
        private final Duration delay;
        private final Runnable what;
        private boolean cancelled;

        Look(Duration delay, Runnable what) {
            this.delay = delay;
            this.what = what;
        }
    }

    private final List<Look> looks = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final Wakeups<ConfigMap> wakeups = new Wakeups<>("test", (delay, what) -> {
        Look look = new Look(delay, what);
        looks.add(look);
        return () -> look.cancelled = true;
    });

    @BeforeEach
    void start() {
        wakeups.setEventHandler(events::add);
        wakeups.start();
    }

    /**
     * Of a pass.
     *
     * @param deleted whether it is for the deletion of the object
     * @param there whether the cache has an object of its name
     */
    @SuppressWarnings("unchecked")
    private static Context<ConfigMap> context(boolean deleted, boolean there) {
        Object cache = proxy(IndexedResourceCache.class, there ? Optional.of(OBJECT) : Optional.empty());
        return (Context<ConfigMap>) Proxy.newProxyInstance(
                Context.class.getClassLoader(),
                new Class<?>[] {Context.class},
                (_, method, _) -> method.getName().equals("isPrimaryResourceDeleted") ? (Object) deleted : cache);
    }

    private static Object proxy(Class<?> type, Object answer) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, _, _) -> answer);
    }

    private UpdateControl<ConfigMap> answer(Next next) {
        return wakeups.answer(OBJECT, context(false, true), next);
    }

    /** Its timer goes by the system's clock: one that is set back an hour would have everything wait for an hour. */
    @Test
    void nextLook_isNotLeftToTheTimerOfTheSdk() {
        UpdateControl<ConfigMap> answer = answer(Next.after(Duration.ofSeconds(5)));

        assertThat(answer.getScheduleDelay()).isEmpty();
        assertThat(looks).extracting(look -> look.delay).containsExactly(Duration.ofSeconds(5));
        looks.getFirst().what.run();
        assertThat(events)
                .extracting(event -> event.getRelatedCustomResourceID().getName())
                .containsExactly("web");
    }

    @Test
    void laterAnswer_replacesTheLookOfTheOneBefore() {
        answer(Next.after(Duration.ofSeconds(5)));
        answer(Next.after(Duration.ofSeconds(7)));
        answer(Next.ON_EVENT);

        assertThat(looks).extracting(look -> look.cancelled).containsExactly(true, true);
    }

    @Test
    void objectThatIsDeleted_isLookedAtNoMore() {
        answer(Next.after(Duration.ofSeconds(5)));

        wakeups.onResourceDeleted(OBJECT);

        assertThat(looks).extracting(look -> look.cancelled).containsExactly(true);
    }

    @Test
    void objectThatIsGone_isLeftToTheTimerOfTheSdk_forItCannotBeWoken() {
        UpdateControl<ConfigMap> answer =
                wakeups.answer(OBJECT, context(true, false), Next.after(Duration.ofSeconds(5)));

        assertThat(answer.getScheduleDelay()).contains(5_000L);
        assertThat(looks).isEmpty();
    }

    /** Its deletion waited in a queue; the SDK schedules nothing after one. */
    @Test
    void objectThatIsThereAgainWhenItsDeletionIsLookedAt_isLookedAtAgain() {
        UpdateControl<ConfigMap> answer =
                wakeups.answer(OBJECT, context(true, true), Next.after(Duration.ofSeconds(5)));

        assertThat(answer.getScheduleDelay()).isEmpty();
        assertThat(looks).extracting(look -> look.delay).containsExactly(Duration.ofSeconds(5));
    }
}
