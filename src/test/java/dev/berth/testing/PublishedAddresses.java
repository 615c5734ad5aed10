package dev.berth.testing;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches which Services of a namespace publish which addresses, write by write: an address that two
 * publish for a moment is found as one that they publish in the end.
 */
public final class PublishedAddresses implements AutoCloseable {
    private final Map<String, List<String>> byService = new HashMap<>();
    private final Map<String, Integer> publishers = new HashMap<>();
    private final List<String> duplicates = new ArrayList<>();
    private final Watch watch;
    private boolean closing;

    /** Watches from now on; the namespace has no LoadBalancer Services yet. */
    public PublishedAddresses(KubernetesClient client, String namespace) {
        String now = client.services()
                .inNamespace(namespace)
                .list(new ListOptionsBuilder().withLimit(1L).build())
                .getMetadata()
                .getResourceVersion();
        watch = client.services()
                .inNamespace(namespace)
                .watch(new ListOptionsBuilder().withResourceVersion(now).build(), new Watcher<Service>() {
                    @Override
                    public void eventReceived(Action action, Service service) {
                        note(
                                service.getMetadata().getName(),
                                action == Action.DELETED ? List.of() : Installation.ips(service),
                                service.getMetadata().getResourceVersion());
                    }

                    @Override
                    public void onClose(@Nullable WatcherException cause) {
                        ended(cause);
                    }
                });
    }

    private synchronized void note(String service, List<String> ips, String resourceVersion) {
        for (String ip : byService.getOrDefault(service, List.of())) {
            publishers.merge(ip, -1, Integer::sum);
        }
        byService.put(service, ips);
        for (String ip : ips) {
            if (publishers.merge(ip, 1, Integer::sum) > 1) {
                List<String> both = byService.entrySet().stream()
                        .filter(entry -> entry.getValue().contains(ip))
                        .map(Map.Entry::getKey)
                        .toList();
                duplicates.add(ip + " by " + both + " at resourceVersion " + resourceVersion);
            }
        }
    }

    private synchronized void ended(@Nullable WatcherException cause) {
        if (!closing) {
            duplicates.add("the watch ended: " + cause);
        }
    }

    /** How many Services publish an address now. */
    public synchronized long services() {
        return byService.values().stream().filter(ips -> !ips.isEmpty()).count();
    }

    /** What was ever published twice, and when; empty: nothing. */
    public synchronized List<String> duplicates() {
        return List.copyOf(duplicates);
    }

    @Override
    public void close() {
        synchronized (this) {
            closing = true;
        }
        watch.close();
    }
}
