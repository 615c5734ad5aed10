package dev.berth.controller.service;

import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Overwrites;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

    /** The publications with an unknown result onto one version; null: there are none. */
    private @Nullable Sent sent;

    /** What was published onto a version of the Service. */
    private record Sent(String uid, String resourceVersion, List<Ip> addresses) {}

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
     * The API server did not confirm the publication of these onto {@code before}. It may be stored, or may be yet. A conflict
     * does not rule that out: the client may have sent the request twice. Nor does a later publication onto the same version.
     */
    void unsure(ServiceState before, List<Ip> addresses) {
        List<Ip> all = new ArrayList<>(mayBePublished(before));
        all.addAll(addresses);
        sent = new Sent(before.uid(), before.resourceVersion(), List.copyOf(all));
    }

    /** What the Service may publish by now, though {@code seen} does not. */
    List<Ip> mayBePublished(ServiceState seen) {
        Sent last = sent;
        return last != null
                        && last.uid().equals(seen.uid())
                        && last.resourceVersion().equals(seen.resourceVersion())
                ? last.addresses()
                : List.of();
    }

    /** The Service needs no other publication. */
    void settled() {
        sent = null;
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
