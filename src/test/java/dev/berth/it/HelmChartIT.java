package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.HelmChart;
import dev.berth.testing.RenderedManifests;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart installs what kustomize does. */
class HelmChartIT {
    private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

    private static final String IMAGES =
            "images: [{name: berth, newTag: 0.1.0}, {name: berth-haproxy, newTag: 0.1.0}, {name: berth-gobgp, newTag: 0.1.0}]";

    @TempDir
    private Path overlay;

    /** The values of the chart, and what a kustomization has for the same. */
    record Option(String name, String values, List<String> components, String kustomization) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Option> options() {
        return Stream.of(
                new Option("the base", "", List.of(), ""),
                new Option("agents", "dataplanes: {l2: {enabled: true}}", List.of("agent"), IMAGES),
                new Option("BGP", "dataplanes: {bgp: {enabled: true}}", List.of("agent", "bgp"), IMAGES),
                new Option(
                        "ARP, NDP and BGP by another image",
                        """
                        imagePullSecrets: [registry]
                        dataplanes:
                          l2: {enabled: true}
                          bgp: {enabled: true, image: {repository: registry.example/gobgp, digest: "%s", pullPolicy: Always}}
                        """.formatted(DIGEST),
                        List.of("agent", "bgp"),
                        """
                        images: [{name: berth, newTag: 0.1.0}, {name: berth-gobgp, newName: registry.example/gobgp, digest: "%s"}]
                        patches:
                          - target: {kind: DaemonSet, name: berth-agent}
                            patch: |
                              - {op: add, path: /spec/template/spec/imagePullSecrets, value: [{name: registry}]}
                              - {op: add, path: /spec/template/spec/containers/1/imagePullPolicy, value: Always}
                          - target: {kind: Deployment, name: berth}
                            patch: |
                              - {op: add, path: /spec/template/spec/imagePullSecrets, value: [{name: registry}]}
                        """.formatted(DIGEST)),
                new Option("HAProxy", "dataplanes: {haproxy: {enabled: true}}", List.of("haproxy"), IMAGES),
                new Option(
                        "monitoring",
                        "{monitoring: {enabled: true}, dataplanes: {l2: {enabled: true, metrics: true}}}",
                        List.of("agent", "agent-metrics", "monitoring"),
                        IMAGES),
                new Option("a network policy", "networkPolicy: {enabled: true}", List.of("network-policy"), ""),
                new Option(
                        "a network policy with more ports",
                        "networkPolicy: {enabled: true, egressPorts: [16443, 8443]}",
                        List.of("network-policy"),
                        """
                        patches:
                          - target: {kind: NetworkPolicy, name: berth}
                            patch: |
                              - {op: add, path: /spec/egress/-, value: {ports: [{port: 16443, protocol: TCP}]}}
                              - {op: add, path: /spec/egress/-, value: {ports: [{port: 8443, protocol: TCP}]}}
                        """),
                new Option("strict validation", "strictValidation: true", List.of("strict-validation"), ""),
                new Option(
                        "permissions",
                        "{clusterAddresses: true, releaseNodePorts: true, tls: true}",
                        List.of("cluster-addresses", "release-node-ports", "tls"),
                        ""),
                new Option("flags", """
                        migrateFrom: [metallb, kube-vip]
                        serviceCidrController: Auto
                        extraArgs: [--resync-period=10m]
                        """, List.of("cluster-addresses"), patch("""
                                - {op: add, path: /spec/template/spec/containers/0/args/-, value: "--migrate-from=metallb,kube-vip"}
                                - {op: add, path: /spec/template/spec/containers/0/args/-, value: --service-cidr-controller=Auto}
                                - {op: add, path: /spec/template/spec/containers/0/args/-, value: --resync-period=10m}
                                """)),
                new Option(
                        "size and image", """
                        image: {repository: registry.example/berth, digest: "%s", pullPolicy: Always}
                        imagePullSecrets: [registry]
                        replicas: 1
                        memory: 1Gi
                        """.formatted(DIGEST), List.of(), """
                        images: [{name: berth, newName: registry.example/berth, digest: "%s"}]
                        replicas: [{name: berth, count: 1}]
                        """.formatted(DIGEST) + patch("""
                                        - {op: add, path: /spec/template/spec/imagePullSecrets, value: [{name: registry}]}
                                        - {op: add, path: /spec/template/spec/containers/0/imagePullPolicy, value: Always}
                                        - {op: replace, path: /spec/template/spec/containers/0/env/3/value, value: "-Xmx512m -Xms24m -XX:MinHeapFreeRatio=15 -XX:MaxHeapFreeRatio=30 -XX:-ShrinkHeapInSteps -XX:TrimNativeHeapInterval=10000"}
                                        - {op: replace, path: /spec/template/spec/containers/0/resources/requests/memory, value: 682Mi}
                                        - {op: replace, path: /spec/template/spec/containers/0/resources/limits/memory, value: 1Gi}
                                        """) + """
                                  - patch: |
                                      {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: berth, namespace: berth-system}, $patch: delete}
                                """),
                new Option("HAProxy on another interface, and no kinds", """
                        crds: {enabled: false}
                        dataplanes: {haproxy: {enabled: true, interface: eth1, image: {repository: registry.example/haproxy, tag: "2"}}}
                        """, List.of("haproxy"), """
                        images: [{name: berth, newTag: 0.1.0}, {name: berth-haproxy, newName: registry.example/haproxy, newTag: "2"}]
                        patches:
                          - target: {kind: ConfigMap, name: berth-haproxy}
                            patch: |
                              - {op: replace, path: /data/haproxy.properties, value: "directory=/var/lib/berth/haproxy\\ninterface=eth1\\natExit=Release\\n"}
                          - target: {kind: CustomResourceDefinition}
                            patch: |
                              {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: any}, $patch: delete}
                        """));
    }

    private static String patch(String operations) {
        return """
                patches:
                  - target: {kind: Deployment, name: berth}
                    patch: |
                """ + operations.indent(6);
    }

    @ParameterizedTest
    @MethodSource("options")
    void chart_hasTheObjectsOfKustomize_butForWhatBelongsToTheTool(Option option) {
        Map<String, String> expected =
                objects(RenderedManifests.withKustomization(overlay, option.components(), option.kustomization()));
        // That of the release: Helm makes it, or whoever runs it.
        assertThat(expected.remove("Namespace berth-system")).isNotNull();

        Map<String, String> rendered = objects(HelmChart.render(option.values()));

        assertThat(rendered.keySet()).isEqualTo(expected.keySet());
        expected.forEach(
                (name, object) -> assertThat(rendered.get(name)).as(name).isEqualTo(object));
    }

    @Test
    void kinds_outliveTheRelease_unlessTheyAreNotKept() {
        String keep = "helm.sh/resource-policy: \"keep\"";
        assertThat(kinds("")).hasSize(7).allSatisfy(kind -> assertThat(kind).contains(keep));
        assertThat(kinds("crds: {keep: false}"))
                .hasSize(7)
                .allSatisfy(kind -> assertThat(kind).doesNotContain(keep));
    }

    private static List<String> kinds(String values) {
        return HelmChart.render(values)
                .all()
                .filter(object -> object.getKind().equals("CustomResourceDefinition"))
                .map(Serialization::asYaml)
                .toList();
    }

    record Refusal(String name, String values, List<String> words) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refusal> refusals() {
        return Stream.of(
                new Refusal(
                        "wrong types",
                        "{replicas: two, dataplanes: {l2: {enabled: sometimes}}}",
                        List.of(
                                "'/replicas': got string, want integer",
                                "'/dataplanes/l2/enabled': got string, want boolean")),
                new Refusal(
                        "unknown values",
                        "{replica: 2, image: {name: berth}}",
                        List.of(
                                "additional properties 'replica' not allowed",
                                "'/image': additional properties 'name' not allowed")),
                new Refusal(
                        "values that are none of those",
                        "{migrateFrom: [openelb], memory: 500MB}",
                        List.of(
                                "'/migrateFrom/0': value must be one of 'metallb', 'cilium', 'kube-vip', 'purelb'",
                                "'/memory': '500MB' does not match pattern")),
                new Refusal(
                        "too little memory",
                        "memory: 200Mi",
                        List.of(
                                "memory: 200Mi is too little; 144Mi of it are for the JVM beside its heap, so set 208Mi or more")));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void wrongValues_areRefused_withWhatIsWrong(Refusal refusal) {
        assertThat(HelmChart.refusal(refusal.values())).contains(refusal.words());
    }

    @Test
    void strictValidation_isRefused_whereTheApiServerIsTooOld() {
        assertThat(HelmChart.refusal("strictValidation: true", "--kube-version=1.29.6"))
                .contains("strictValidation: needs Kubernetes 1.30 or later, and this is v1.29.6; set it to false");
    }

    /** By kind, namespace and name: each as YAML that is the same where the object is. */
    private static Map<String, String> objects(RenderedManifests manifests) {
        return manifests
                .all()
                .collect(Collectors.toMap(
                        HelmChartIT::name, HelmChartIT::withoutTool, (one, other) -> one + other, TreeMap::new));
    }

    private static String name(GenericKubernetesResource object) {
        String namespace = object.getMetadata().getNamespace();
        return withoutHash("%s %s%s"
                .formatted(
                        object.getKind(),
                        namespace == null ? "" : namespace + "/",
                        object.getMetadata().getName()));
    }

    private static String withoutTool(GenericKubernetesResource object) {
        object.getMetadata().getLabels().remove("app.kubernetes.io/managed-by");
        object.getMetadata().getLabels().remove("helm.sh/chart");
        object.getMetadata().getAnnotations().remove("helm.sh/resource-policy");
        return withoutHash(
                Serialization.asYaml(sorted(Serialization.unmarshal(Serialization.asYaml(object), Map.class)))
                        .replaceAll("(?m)^ *(annotations:\n *)?checksum/.*\n", ""));
    }

    /** kustomize's suffix of the names of ConfigMaps. */
    private static String withoutHash(String text) {
        return text.replaceAll("\\b(berth-plugins|berth-haproxy)-[a-z0-9]{10}\\b", "$1");
    }

    /** Fields in the order of their names, and what is the same written in one way. */
    private static Object sorted(Object value) {
        return switch (value) {
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .collect(Collectors.toMap(
                                entry -> (String) entry.getKey(),
                                entry -> sorted(entry.getValue()),
                                (one, other) -> one,
                                TreeMap::new));
            case List<?> list -> list.stream().map(HelmChartIT::sorted).toList();
            // kustomize writes 9.0 as 9, and folds a text with an empty line before one that is indented.
            case Double number when number == number.longValue() -> number.longValue();
            case Integer number -> number.longValue();
            case String text -> text.replace("\n\n", "\n");
            default -> value;
        };
    }
}
