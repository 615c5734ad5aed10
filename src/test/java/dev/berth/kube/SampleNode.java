package dev.berth.kube;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Node as large as those of real clusters: 50 images of two names each, and who wrote which field. */
public final class SampleNode {
    private SampleNode() {}

    /** The JSON of the {@code number}th. */
    public static String json(int number) {
        String images = IntStream.range(0, 50)
                .mapToObj(image -> """
                        {"names": ["registry.example.com/some-team/component-%1$d@sha256:%2$064x",
                          "registry.example.com/some-team/component-%1$d:v1.%1$d.%3$d"], "sizeBytes": 123456789}\
                        """.formatted(image, image * 7_919L + number, number))
                .collect(Collectors.joining(",\n"));
        String conditions = IntStream.range(0, 5)
                .mapToObj(condition -> """
                        {"type": "Condition%d", "status": "False", "reason": "KubeletHasSufficientResources",
                          "message": "kubelet has sufficient resources available", "lastHeartbeatTime":
                          "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}\
                        """.formatted(condition))
                .collect(Collectors.joining(",\n"));
        String fields = IntStream.range(0, 40)
                .mapToObj(field -> "\"f:field-%d\": {\".\": {}, \"f:type\": {}, \"f:status\": {}}".formatted(field))
                .collect(Collectors.joining(",\n"));
        return """
                {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": "node-%1$05d.example.com", "uid": "00000000-0000-0000-0000-%1$012d",
                  "resourceVersion": "%1$d", "creationTimestamp": "2026-01-01T00:00:00Z",
                  "labels": {"kubernetes.io/hostname": "node-%1$05d", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                    "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r",
                    "node.kubernetes.io/instance-type": "large"},
                  "annotations": {"csi.volume.kubernetes.io/nodeid": "{\\"csi.example.com\\":\\"node-%1$05d\\"}",
                    "node.alpha.kubernetes.io/ttl": "0"},
                  "managedFields": [{"manager": "kubelet", "operation": "Update", "apiVersion": "v1",
                    "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {%4$s}}]},
                "spec": {"podCIDR": "10.%2$d.0.0/24", "podCIDRs": ["10.%2$d.0.0/24"], "providerID": "kind://docker/x/%1$d",
                  "taints": [{"key": "a", "effect": "NoSchedule"}]},
                "status": {"addresses": [{"type": "InternalIP", "address": "172.16.%2$d.1"},
                    {"type": "Hostname", "address": "node-%1$05d"}],
                  "capacity": {"cpu": "64", "memory": "262144Mi", "pods": "250", "ephemeral-storage": "1Ti"},
                  "allocatable": {"cpu": "63", "memory": "260000Mi", "pods": "250", "ephemeral-storage": "900Gi"},
                  "nodeInfo": {"kernelVersion": "6.1", "osImage": "Linux", "containerRuntimeVersion": "containerd://2.0",
                    "kubeletVersion": "v1.36.3", "architecture": "amd64", "machineID": "%3$032x"},
                  "conditions": [%5$s], "images": [%6$s]}}
                """.formatted(number, number % 250, number, fields, conditions, images);
    }

    public static Node of(KubernetesSerialization serialization, int number) {
        return serialization.unmarshal(json(number), Node.class);
    }
}
