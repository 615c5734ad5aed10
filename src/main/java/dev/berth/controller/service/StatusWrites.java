package dev.berth.controller.service;

import dev.berth.loadbalancer.Overwrites;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What was written to the status of one Service, and how often another controller wrote something else. */
final class StatusWrites {
    /** How often a status is written only because its provider says something else. */
    static final Duration WORDS_EVERY = Duration.ofSeconds(30);

    private @Nullable Written written;
    private Overwrites overwrites = Overwrites.none("");

    /** When other words of its provider were last written. */
    private Instant words = Instant.EPOCH;

    /** Onto which version of the Service it was published what may be there by now, or may come yet; null: none. */
    private @Nullable Version unsure;

    private record Version(String uid, String resourceVersion) {
        static Version of(ServiceState service) {
            return new Version(service.uid(), service.resourceVersion());
        }
    }

    /** The ingress that stood in the status of the Service of this uid after our last write. */
    private record Written(String uid, List<Published> ingress) {}

    /** {@code ingress} stands in the status of the Service of {@code uid}, as we want it; empty: we took it off. */
    void published(String uid, List<Published> ingress) {
        written = ingress.isEmpty() ? null : new Written(uid, ingress);
        overwrites = overwrites.putRight();
    }

    /** What was written last: whatever else stands there now is another's; null: nothing, as far as is remembered. */
    @Nullable List<Published> published(String uid) {
        Written last = written;
        return last != null && last.uid().equals(uid) ? last.ingress() : null;
    }

    /**
     * The API server did not say that what was published onto {@code before} is there. If the request was sent twice, it may
     * be, also where the second answer says that it is not.
     */
    void unsure(ServiceState before) {
        unsure = Version.of(before);
    }

    /** The Service is as it should be. */
    void settled() {
        unsure = null;
    }

    /** Whether the Service may be another already, or may become so without a further write. */
    boolean mayHaveChanged(ServiceState seen) {
        return Version.of(seen).equals(unsure);
    }

    /** How long other words of its provider, and nothing else, must wait; absent: not at all. */
    Optional<Duration> wordsMustWait(Instant now) {
        Duration passed = Duration.between(words, now).abs();
        return passed.compareTo(WORDS_EVERY) < 0 ? Optional.of(WORDS_EVERY.minus(passed)) : Optional.empty();
    }

    /** They are written now. */
    void writesWords(Instant now) {
        words = now;
    }

    /** What others wrote to the status of the Service of {@code uid}. */
    Overwrites overwrites(String uid) {
        return overwrites.uid().equals(uid) ? overwrites : Overwrites.none(uid);
    }

    void overwritten(Overwrites now) {
        overwrites = now;
    }
}
