package dev.berth.dataplane.haproxy;

import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has HAProxy do what is wanted of it: by its runtime API where that can, else by a reload. What it cannot be loaded with is
 * left out, so that it carries all others.
 *
 * <p>What is wanted are all load balancers, by name. Not thread-safe.
 */
final class Rollout {
    private static final Logger LOG = LoggerFactory.getLogger(Rollout.class);

    private static final Duration TRY_LEFT_OUT = Duration.ofSeconds(10);

    private final String directory;
    private final Ports ports;
    private final Haproxy haproxy;
    private final Statistics statistics;
    private final RuntimeChanges runtime;

    private LeftOut leftOut = LeftOut.none();

    /** When they are tried again, by {@link System#nanoTime}. */
    private long tryLeftOut;

    /** HAProxy may have some of a change by the runtime API that was not made: its configuration does not say what it does. */
    private boolean isAhead;

    /** It is, and could not be asked to do anything about it yet. */
    private boolean mustGoBack;

    /** @param directory of the provider */
    Rollout(String directory, Ports ports, Haproxy haproxy, Statistics statistics, RuntimeChanges runtime) {
        this.directory = directory;
        this.ports = ports;
        this.haproxy = haproxy;
        this.statistics = statistics;
        this.runtime = runtime;
    }

    /** Those that HAProxy was loaded with. */
    SequencedMap<String, LoadBalancer> carried(SequencedMap<String, LoadBalancer> wanted) {
        return leftOut.carried(wanted);
    }

    /** Those that it could not be loaded with. */
    LeftOut leftOut() {
        return leftOut;
    }

    /** Whether HAProxy was loaded with it. */
    boolean isCarried(LoadBalancer one) {
        return !leftOut.has(one.name());
    }

    /** Whether HAProxy may do something that was not made. */
    boolean isAhead() {
        return isAhead;
    }

    /** Whether it {@link #isAhead}, and could not {@link #goBack} yet. */
    boolean mustGoBack() {
        return mustGoBack;
    }

    /** Loads HAProxy if it does not run, or does something else. */
    void takeOver(SequencedMap<String, LoadBalancer> wanted) {
        String configuration = configuration(wanted.values());
        if (!haproxy.isRunning() || !configuration.equals(haproxy.configuration())) {
            loadWhatCanBe(wanted);
        }
    }

    /** A port that another program has by now, or a certificate that HAProxy refuses, keeps no other Service from being served. */
    void loadWhatCanBe(SequencedMap<String, LoadBalancer> wanted) {
        leftOut = LeftOut.none();
        try {
            load(wanted, wanted);
        } catch (ProviderException reason) {
            LeftOut unloadable = haproxy.isUnsure() ? LeftOut.none() : unloadable(wanted.values());
            if (unloadable.isEmpty()) {
                throw reason;
            }
            loadWithout(wanted, unloadable);
        }
    }

    private void loadWithout(SequencedMap<String, LoadBalancer> wanted, LeftOut unloadable) {
        load(wanted, unloadable.carried(wanted));
        leftOut = unloadable;
        tryLeftOut = System.nanoTime() + TRY_LEFT_OUT.toNanos();
        unloadable.reasons().forEach((name, why) -> {
            LoadBalancer one = Objects.requireNonNull(wanted.get(name));
            LOG.error("Service {}/{} is not served, the others are: {}", one.namespace(), one.service(), why);
        });
    }

    private LeftOut unloadable(Collection<LoadBalancer> all) {
        String loaded = haproxy.isRunning() ? haproxy.configuration() : "";
        return new LeftOut(Unloadable.of(
                all, one -> ports.requireListenable(one, loaded), some -> haproxy.check(configuration(some))));
    }

    /** Those that can be loaded by now are. */
    private void tryLeftOut(SequencedMap<String, LoadBalancer> wanted) {
        if (leftOut.isEmpty() || System.nanoTime() < tryLeftOut) {
            return;
        }
        tryLeftOut = System.nanoTime() + TRY_LEFT_OUT.toNanos();
        List<LoadBalancer> waiting =
                wanted.values().stream().filter(one -> !isCarried(one)).toList();
        LeftOut still = leftOut.only(unloadable(waiting).reasons().keySet());
        if (!still.equals(leftOut)) {
            load(wanted, still.carried(wanted));
            leftOut = still;
        }
    }

    /** Tries those again that were left out, and deletes servers that nobody is connected to any more. */
    void lookAfter(SequencedMap<String, LoadBalancer> wanted) {
        tryLeftOut(wanted);
        runtime.deleteLeaving();
    }

    /**
     * What the runtime API has done of a change that was refused goes with the worker that has done it. Not tried again if
     * HAProxy refuses: each reload takes another worker.
     */
    void goBack(SequencedMap<String, LoadBalancer> wanted) {
        try {
            mustGoBack = true;
            boolean _ = haproxy.isRunning();
            mustGoBack = false;
            load(wanted, carried(wanted));
        } catch (RuntimeException failure) {
            LOG.warn("going back to what HAProxy did before: {}", failure.getMessage());
        }
    }

    /**
     * Has HAProxy do other than before.
     *
     * @param wanted before
     * @param all by now
     * @param changed the names of those that differ; none of them is left out
     * @throws RuntimeException if it does not; part of it may be done, and then it {@link #isAhead}
     */
    void apply(
            SequencedMap<String, LoadBalancer> wanted,
            SequencedMap<String, LoadBalancer> all,
            Collection<String> changed) {
        LeftOut next = leftOut.without(changed);
        apply(wanted, next.carried(all), !next.equals(leftOut));
        leftOut = next;
    }

    /** @param hasMore whether some of it was left out before */
    private void apply(
            SequencedMap<String, LoadBalancer> wanted, SequencedMap<String, LoadBalancer> all, boolean hasMore) {
        String configuration = configuration(all.values());
        boolean isAsItShouldBe = haproxy.isRunning() && !isAhead && !hasMore;
        if (isAsItShouldBe && configuration.equals(haproxy.configuration())) {
            return;
        }
        SequencedMap<String, LoadBalancer> before = carried(wanted);
        if (isAsItShouldBe
                && RuntimeChanges.structure(all.values()).equals(RuntimeChanges.structure(before.values()))) {
            isAhead = true;
            if (runtime.changeTargets(before, all) && runtime.changeCertificates(before, all)) {
                haproxy.note(configuration);
                isAhead = false;
                return;
            }
        }
        load(wanted, all);
    }

    private void load(SequencedMap<String, LoadBalancer> wanted, SequencedMap<String, LoadBalancer> all) {
        noteStatistics(wanted.values());
        try {
            haproxy.load(configuration(all.values()), all.values());
        } catch (ProviderException refused) {
            if (haproxy.isUnsure()) {
                isAhead = true;
                mustGoBack = true;
            }
            throw refused;
        }
        runtime.reloaded();
        isAhead = false;
    }

    private String configuration(Collection<LoadBalancer> all) {
        try {
            return Configuration.of(directory, all, ports.sharesAddresses());
        } catch (IllegalArgumentException odd) {
            throw new ProviderException(String.valueOf(odd.getMessage()), odd);
        }
    }

    /** Before a reload: a worker without connections ends with it. */
    private void noteStatistics(Collection<LoadBalancer> wanted) {
        try {
            statistics.note(haproxy.statistics(), wanted);
        } catch (ProviderException notRunning) {
            LOG.debug("what HAProxy has counted is not known: {}", notRunning.getMessage());
        }
    }
}
