package dev.berth.lab;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Stands in for scheduler and kubelets: runs what Pods there are, whatever their image, each as a {@link LabPod} on the
 * node that has the fewest; but not those of Berth's own Deployment, which are processes here. One that is deleted serves on for a while, as with a preStop hook that sleeps.
 */
final class LabKubelet implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(5);
    private static final long LOOK_AGAIN_MILLIS = 200;

    private final Lab lab;
    private final KubernetesClient admin;
    private final SequencedMap<String, LabPod> running = new LinkedHashMap<>();
    private final Map<String, Instant> endings = new LinkedHashMap<>();
    private String failure = "";

    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("kubelet").factory());

    /** Looks after all Pods from now on. */
    LabKubelet(Lab lab) {
        this.lab = lab;
        this.admin = lab.controlPlane().adminClient();
        ScheduledFuture<?> _ = looking.scheduleWithFixedDelay(this::look, 0, LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            Map<String, Pod> pods = admin.pods().inAnyNamespace().list().getItems().stream()
                    .filter(pod -> !pod.getMetadata().getNamespace().equals("berth-system"))
                    .collect(Collectors.toMap(pod -> pod.getMetadata().getUid(), pod -> pod));
            List.copyOf(running.sequencedKeySet()).forEach(uid -> endIfDue(uid, pods));
            pods.forEach((uid, pod) -> {
                if (!running.containsKey(uid) && pod.getMetadata().getDeletionTimestamp() == null) {
                    running.put(uid, start(pod));
                }
            });
            failure = "";
        } catch (RuntimeException again) {
            // The API server may be away, or a person deletes what is being started.
            if (!failure.equals(String.valueOf(again.getMessage()))) {
                failure = String.valueOf(again.getMessage());
                System.err.println("lab: running Pods: " + failure);
            }
        }
    }

    private void endIfDue(String uid, Map<String, Pod> pods) {
        Pod pod = pods.get(uid);
        if (pod != null && pod.getMetadata().getDeletionTimestamp() == null) {
            return;
        }
        Instant end = endings.computeIfAbsent(uid, key -> Instant.now().plus(DRAIN));
        if (pod == null || Instant.now().isAfter(end)) {
            endings.remove(uid);
            Objects.requireNonNull(running.remove(uid)).close();
        }
    }

    private LabPod start(Pod pod) {
        String namespace = pod.getMetadata().getNamespace();
        String name = pod.getMetadata().getName();
        LabNode node = lab.nodes().stream()
                .filter(one -> one.name().equals(pod.getSpec().getNodeName()))
                .findFirst()
                .orElseGet(() -> bind(namespace, name));
        return node.run(namespace, name);
    }

    private LabNode bind(String namespace, String name) {
        LabNode node = lab.nodes().stream()
                .min(Comparator.comparingLong(one -> running.values().stream()
                        .filter(pod -> pod.node() == one)
                        .count()))
                .orElseThrow();
        admin.bindings()
                .inNamespace(namespace)
                .resource(new BindingBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withTarget(new ObjectReferenceBuilder()
                                .withApiVersion("v1")
                                .withKind("Node")
                                .withName(node.name())
                                .build())
                        .build())
                .create();
        return node;
    }

    /** Looks no more; the pods go with the lab. */
    @Override
    public void close() {
        looking.shutdownNow();
        try {
            boolean _ = looking.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
