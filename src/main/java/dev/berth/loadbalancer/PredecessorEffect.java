package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest;
import java.util.Optional;

/** The next thing to do about what was made for another Service of the same name, complete. */
public sealed interface PredecessorEffect
        permits PredecessorEffect.TakeTurn,
                PredecessorEffect.Delete,
                PredecessorEffect.SayWhy,
                PredecessorEffect.Remember,
                PredecessorEffect.StopWaiting,
                TerminalEffect {
    /** Wait for the provider's turn, before any other work is done for it. */
    record TakeTurn(ServedClass by, LoadBalancerRequest request) implements PredecessorEffect {}

    /** Have the provider delete it. */
    record Delete(ServedClass by, LoadBalancerRequest request) implements PredecessorEffect {}

    /**
     * Say why the Service that has the name now waits. What comes of it is no matter: it is tried again in any case.
     *
     * @param patch of its status; absent: it says so, or cannot be written now
     * @param inWordsOnly whether nothing is new but the words in which it says so
     */
    record SayWhy(
            ServiceState service, ServiceFailure what, Optional<Publication.Difference> patch, boolean inWordsOnly)
            implements PredecessorEffect {}

    /** Leave the queue for addresses. */
    record StopWaiting() implements PredecessorEffect {}

    /** Remember when to try again, where no Service is there to say it of. */
    record Remember(ServiceFailure what) implements PredecessorEffect {}
}
