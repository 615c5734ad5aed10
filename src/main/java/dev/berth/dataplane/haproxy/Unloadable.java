package dev.berth.dataplane.haproxy;

import dev.berth.provider.ProviderException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds those load balancers that keep HAProxy from carrying the others. */
final class Unloadable {
    private final Consumer<LoadBalancer> requireListenable;
    private final Consumer<List<LoadBalancer>> requireAccepted;
    private final SequencedMap<String, String> reasons = new TreeMap<>();

    private Unloadable(Consumer<LoadBalancer> requireListenable, Consumer<List<LoadBalancer>> requireAccepted) {
        this.requireListenable = requireListenable;
        this.requireAccepted = requireAccepted;
    }

    /**
     * The names of those that cannot be loaded, each with the reason. Empty also where HAProxy accepts nothing at all.
     *
     * @param requireListenable throws ProviderException if an address or port of it cannot be listened on
     * @param requireAccepted throws ProviderException if HAProxy refuses to be configured with these
     */
    static SequencedMap<String, String> of(
            Collection<LoadBalancer> all,
            Consumer<LoadBalancer> requireListenable,
            Consumer<List<LoadBalancer>> requireAccepted) {
        Unloadable search = new Unloadable(requireListenable, requireAccepted);
        List<LoadBalancer> left = search.leaveOutUnlistenable(all);
        if (search.refusal(List.of()) != null) {
            return new TreeMap<>();
        }
        search.find(left);
        return search.reasons;
    }

    private List<LoadBalancer> leaveOutUnlistenable(Collection<LoadBalancer> all) {
        List<LoadBalancer> left = new ArrayList<>();
        for (LoadBalancer one : all) {
            try {
                requireListenable.accept(one);
                left.add(one);
            } catch (ProviderException refused) {
                reasons.put(one.name(), String.valueOf(refused.getMessage()));
            }
        }
        return left;
    }

    /** By halves: few are refused, and each question starts a process. */
    private void find(List<LoadBalancer> some) {
        String refusal = some.isEmpty() ? null : refusal(some);
        if (refusal == null) {
            return;
        }
        if (some.size() == 1) {
            reasons.put(some.getFirst().name(), refusal);
            return;
        }
        find(some.subList(0, some.size() / 2));
        find(some.subList(some.size() / 2, some.size()));
    }

    private @Nullable String refusal(List<LoadBalancer> some) {
        try {
            requireAccepted.accept(some);
            return null;
        } catch (ProviderException refused) {
            return String.valueOf(refused.getMessage());
        }
    }
}
