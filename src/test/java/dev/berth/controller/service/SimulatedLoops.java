package dev.berth.controller.service;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.controller.Next;
import dev.berth.kube.Caches;
import dev.berth.pool.ExcludedRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeMap;

/** One operator's control loops of pools and classes: what they have heard, and what they have to do. */
final class SimulatedLoops {
    private static final int AT_ONCE = 2;

    /** A pool or a class. */
    record Key(boolean isPool, String name) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int kinds = Boolean.compare(other.isPool, isPool);
            return kinds != 0 ? kinds : name.compareTo(other.name);
        }
    }

    /** What an operator hears of pools and classes. It outlives the operator if the next one begins with old lists. */
    static final class Views {
        final SimulatedKind<AddressPool, AddressPool.Spec, AddressPool.Status>.View pools;
        final SimulatedKind<LoadBalancerClass, LoadBalancerClass.Spec, LoadBalancerClass.Status>.View classes;

        Views(SimulatedPools kinds) {
            pools = kinds.pools.view();
            classes = kinds.classes.view();
        }

        void relist() {
            pools.watch.relist();
            classes.watch.relist();
        }
    }

    private final SimulatedWorld world;
    private final SimulatedParts parts;
    private final SimulatedOperator operator;
    private final Views views;
    private final SequencedSet<Key> queue = new LinkedHashSet<>();
    private final Map<Key, Instant> looks = new TreeMap<>();
    final List<SimulatedOperator.Task> tasks = new ArrayList<>();
    private List<ExcludedRange> around;
    private boolean clusterStateChanged;

    SimulatedLoops(SimulatedWorld world, SimulatedOperator operator, Views views) {
        this.world = world;
        this.operator = operator;
        this.views = views;
        parts = world.parts;
        around = world.kinds.around;
    }

    /** What they judge by. */
    ControlLoops.Judging judging() {
        Caches caches = new Caches();
        caches.pools(views.pools);
        caches.classes(views.classes);
        return new ControlLoops.Judging(
                caches,
                SimulatedWorld.CONTROLLER,
                declared -> world.kinds.providers(),
                () -> around,
                (object, status) ->
                        !parts.writesStatus(object) || world.kinds.write(world.kinds.classes, object, status),
                (pool, status) -> !parts.writesStatus(pool) || world.kinds.write(world.kinds.pools, pool, status));
    }

    // ---- what it hears

    void hearAround(List<ExcludedRange> now) {
        around = now;
        clusterStateChanged = true;
    }

    void queue(String className) {
        queue.add(new Key(false, className));
    }

    void queueEverything() {
        views.pools
                .list()
                .forEach(pool -> queue.add(new Key(true, pool.getMetadata().getName())));
        views.classes
                .list()
                .forEach(one -> queue.add(new Key(false, one.getMetadata().getName())));
    }

    private void hear() {
        if (clusterStateChanged) {
            clusterStateChanged = false;
            operator.control.clusterStateChanged();
        } else if (views.pools.watch.hasNews()
                && (world.kinds.random.nextBoolean() || !views.classes.watch.hasNews())) {
            queue.add(new Key(true, views.pools.watch.hear().key()));
        } else if (views.classes.watch.hasNews()) {
            queue.add(new Key(false, views.classes.watch.hear().key()));
        }
    }

    // ---- what it does

    boolean isIdle() {
        return queue.isEmpty()
                && tasks.isEmpty()
                && !clusterStateChanged
                && !views.pools.watch.hasNews()
                && !views.classes.watch.hasNews();
    }

    /** What is to be looked at by now. */
    void ring() {
        looks.entrySet().removeIf(look -> {
            boolean due = !look.getValue().isAfter(world.clock);
            if (due) {
                queue.add(look.getKey());
            }
            return due;
        });
    }

    /** One thing, if there is any to do. */
    void happen() {
        if (!isIdle()) {
            switch (world.kinds.random.nextInt(3)) {
                case 0 -> {
                    if (world.weather != SimulatedWorld.Weather.DEAF || !world.faults) {
                        hear();
                    }
                }
                case 1 -> startOne();
                default -> stepOne();
            }
        }
    }

    private void startOne() {
        List<Key> ready = new ArrayList<>(queue);
        tasks.forEach(task -> ready.remove(task.loop()));
        if (!ready.isEmpty() && tasks.size() < AT_ONCE) {
            Key key = ready.get(world.kinds.random.nextInt(ready.size()));
            queue.remove(key);
            looks.remove(key);
            SimulatedOperator.Task task = operator.task(key);
            tasks.add(task);
            operator.step(task, tasks);
        }
    }

    private void stepOne() {
        if (!tasks.isEmpty()) {
            SimulatedOperator.Task task = tasks.get(world.kinds.random.nextInt(tasks.size()));
            if (task.slow > 0) {
                task.slow--;
            } else {
                operator.step(task, tasks);
            }
        }
    }

    /** Called by the thread of its task. */
    void reconcile(Key key) {
        Next next = key.isPool()
                ? operator.control.pools().reconcile(key.name())
                : operator.control.classes().reconcile(key.name(), operator.control.ofClasses());
        parts.nextLook(next).delay().ifPresent(delay -> looks.put(key, world.clock.plus(delay)));
    }
}
