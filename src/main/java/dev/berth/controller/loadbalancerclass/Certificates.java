package dev.berth.controller.loadbalancerclass;

import dev.berth.controller.Timer;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.TlsSecret;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The certificates of classes, by the names of their Secrets; the last good one of each is remembered. Not more than
 * that: what a provider was given before a restart it has still.
 */
public final class Certificates {
    /** Timers go by the time that passes, and certificates by the clock, which may be set. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private final Source secrets;
    private final InstantSource clock;
    private final Timer later;
    private final Consumer<String> changed;
    private final Map<String, ClassCertificate> known = new ConcurrentHashMap<>();

    /** Where they come from. */
    public interface Source {
        /** The full name of the Secret of this name: NAMESPACE/NAME. */
        String fullName(String secret);

        /** What is in it. The first time it may take a while. */
        TlsSecret read(String secret);
    }

    /**
     * None is known yet.
     *
     * @param changed notified of the Secret whose certificate is used no longer, or has to be judged again
     */
    public Certificates(Source secrets, InstantSource clock, Timer later, Consumer<String> changed) {
        this.secrets = secrets;
        this.clock = clock;
        this.later = later;
        this.changed = changed;
    }

    /** That of the Secret of this name, as it is now. */
    public ClassCertificate of(String secret) {
        TlsSecret read = secrets.read(secret);
        Instant now = clock.instant();
        Optional<ClassCertificate> before;
        ClassCertificate judged;
        synchronized (this) {
            before = Optional.ofNullable(known.get(secret));
            judged = ClassCertificate.of(secrets.fullName(secret), read, before.flatMap(ClassCertificate::used), now);
            known.put(secret, judged);
        }
        if (!Optional.of(judged).equals(before)) {
            judged.changes().ifPresent(at -> lookAgain(secret, at, now));
            before.filter(other -> !other.used().equals(judged.used())).ifPresent(other -> changed.accept(secret));
        }
        return judged;
    }

    /** A day before, if it is far off: nobody is notified for nothing more often. */
    private void lookAgain(String secret, Instant at, Instant now) {
        Duration until = Duration.between(now, at);
        if (until.compareTo(LONGEST) > 0) {
            later.after(LONGEST, () -> {
                if (known.containsKey(secret)) {
                    lookAgain(secret, at, clock.instant());
                }
            });
        } else {
            later.after(until.isPositive() ? until : Duration.ZERO, () -> {
                Instant then = clock.instant();
                if (!known.containsKey(secret)) {
                    return;
                }
                // The clock may have been set back meanwhile.
                if (then.isBefore(at)) {
                    lookAgain(secret, at, then);
                } else {
                    changed.accept(secret);
                }
            });
        }
    }

    /** Forgets those that no class names any more. */
    public void retain(Collection<String> secrets) {
        known.keySet().retainAll(secrets);
    }
}
