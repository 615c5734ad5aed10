package dev.berth.plugin;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What came of one call to each of several hosts, and what it means for all of them together. A value; pure.
 *
 * @param <T> what the call answers with
 * @param all one for each host, in the order of the settings
 */
record Replies<T>(List<Reply<T>> all) {
    Replies {
        all = List.copyOf(all);
    }

    /** What came of the call to one host. */
    sealed interface Reply<T> {
        String host();
    }

    /** It answered. */
    record Answered<T>(String host, T answer) implements Reply<T> {}

    /** It is not there: what it was asked is done when it is back. */
    record Away<T>(String host, ProviderException why) implements Reply<T> {}

    /** It is there, and could not do it. */
    record Failed<T>(String host, ProviderException why) implements Reply<T> {}

    /**
     * The answers of the hosts that are there.
     *
     * @return not empty
     * @throws ProviderException if one of them failed, or none is there; the message names the host
     */
    List<T> answers() {
        throwFirstFailure();
        List<T> answers = given();
        if (answers.isEmpty()) {
            throw about(all.getFirst().host(), firstAway().orElseThrow(), "");
        }
        return answers;
    }

    /**
     * Whether all have done it, for what one that is not there would still have.
     *
     * @param file where the hosts are named
     * @throws ProviderException if one has not; the message names the host
     */
    void requireAll(String file) {
        throwFirstFailure();
        all.forEach(reply -> {
            if (reply instanceof Away<T>(String host, ProviderException why)) {
                throw about(
                        host,
                        why,
                        "; it may still have it. If that host was removed permanently, remove it from " + file
                                + ", and restart Berth");
            }
        });
    }

    private List<T> given() {
        return all.stream()
                .filter(reply -> reply instanceof Answered<T>)
                .map(reply -> ((Answered<T>) reply).answer())
                .toList();
    }

    private Optional<ProviderException> firstAway() {
        return all.stream()
                .filter(reply -> reply instanceof Away<T>)
                .map(reply -> ((Away<T>) reply).why())
                .findFirst();
    }

    private void throwFirstFailure() {
        all.forEach(reply -> {
            if (reply instanceof Failed<T>(String host, ProviderException why)) {
                throw about(host, why, "");
            }
        });
    }

    private static ProviderException about(String host, ProviderException why, String advice) {
        String message = String.valueOf(why.getMessage());
        ProviderException told = ProviderException.of(
                        why.kind(), (message.contains(host) ? "" : "on " + host + ": ") + message + advice)
                .withCause(why);
        return why.retryAfter().map(told::withRetryAfter).orElse(told);
    }

    /** What exists: on all hosts that are there, or it has to be made. */
    static Optional<LoadBalancerStatus> existing(Replies<Optional<LoadBalancerStatus>> replies) {
        List<Optional<LoadBalancerStatus>> answers = replies.answers();
        return answers.stream().allMatch(Optional::isPresent) ? answers.getFirst() : Optional.empty();
    }

    /** Ready once all that are there are; what one of them waits for, all wait for, and the soonest is asked for first. */
    static EnsureOutcome ensured(Replies<EnsureOutcome> replies) {
        List<EnsureOutcome> answers = replies.answers();
        return answers.stream()
                .filter(EnsureOutcome.Pending.class::isInstance)
                .min(Comparator.comparing(Replies::retryAfter))
                .or(() -> answers.stream()
                        .filter(EnsureOutcome.Ready.class::isInstance)
                        .findFirst())
                .orElse(answers.getFirst());
    }

    private static Duration retryAfter(EnsureOutcome outcome) {
        return outcome instanceof EnsureOutcome.Pending pending ? pending.retryAfter() : Duration.ZERO;
    }
}
