package dev.berth.it;

import static dev.berth.testing.Installation.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.BerthCommand;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import dev.berth.testing.TypedPage;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Services that no class serves, and what is said of them. */
@ExtendWith(SharedInstallation.class)
class UnservedIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** And a little more. */
    private static final Duration OTHERS_BEGIN_WITHIN = Duration.ofSeconds(33);

    /** The mark of a cluster whose cloud has a controller of its own. */
    private static final Node NODE_OF_A_CLOUD = new NodeBuilder()
            .withNewMetadata()
            .withName("unserved-node")
            .endMetadata()
            .withNewSpec()
            .withProviderID("aws:///eu-central-1a/i-0")
            .endSpec()
            .build();

    private static void classless(Installation berth, String when) {
        berth.controlPlane()
                .kubectl(
                        "patch",
                        "loadbalancerclass",
                        "default",
                        "--type=merge",
                        "--patch={\"spec\":{\"classless\":\"" + when + "\"}}");
    }

    private static UnaryOperator<ServiceBuilder> ofClass(String value) {
        return builder -> builder.editSpec().withLoadBalancerClass(value).endSpec();
    }

    private static List<String> reasons(Installation berth, String namespace, String service) {
        return berth.events(namespace, service).stream().map(Map.Entry::getKey).toList();
    }

    @Test
    void whomNoClassServes_oneEventSays_whereNobodyElseCanBeMeant_andStatusSaysOfAll(Installation berth)
            throws IOException {
        classless(berth, "Never");
        try {
            berth.client().resource(NODE_OF_A_CLOUD).create();
            berth.operator();
            String namespace = berth.namespace("unserved");
            berth.pool(namespace, "198.18.4.0/28");
            berth.service(namespace, "web");
            berth.service(namespace, "misspelt", ofClass("berth.dev/pol"));
            berth.service(namespace, "other", ofClass("example.com/other"));
            berth.service(namespace, "served", ofClass(Installation.DEFAULT_CLASS));
            berth.service(
                    namespace,
                    "late",
                    builder -> ofClass(Installation.DEFAULT_CLASS)
                            .apply(builder)
                            .editMetadata()
                            .addToAnnotations(WellKnownNames.ADDRESS_POOL, "exmaple")
                            .endMetadata());
            berth.awaitAddress(namespace, "served");

            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(berth.events(namespace, "misspelt"))
                                    .containsExactly(
                                            Map.entry(
                                                    "ClassNotFound",
                                                    "no LoadBalancerClass serves \"berth.dev/pol\" (did you mean \"berth.dev/pool\"?); create one, or recreate the Service with another class")));
            // By the API server's clock: in this time any other controller would have begun.
            await().atMost(PATIENCE).until(() -> isOlderThan(OTHERS_BEGIN_WITHIN, berth, namespace));
            assertThat(reasons(berth, namespace, "web")).isEmpty();
            assertThat(reasons(berth, namespace, "other")).isEmpty();
            berth.await(
                    namespace,
                    "late",
                    service ->
                            condition(service, WellKnownNames.ADDRESS_ASSIGNED).isPresent());

            // The page has one Service less, and the last line of the Service that is told nothing.
            berth.deleteService(namespace, "misspelt");
            BerthCommand status = BerthCommand.run(
                    "status", "--kubeconfig=" + berth.controlPlane().adminKubeconfig());
            assertThat(status.err()).isEmpty();
            assertThat(status.out().replace(namespace, "shop").lines())
                    .containsExactlyElementsOf(TypedPage.step(
                                    Path.of("docs/operations.md"),
                                    "java -jar target/quarkus-app/quarkus-run.jar status")
                            .printed()
                            .lines()
                            .map(String::strip)
                            .toList());

            berth.client().resource(NODE_OF_A_CLOUD).delete();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(reasons(berth, namespace, "web")).containsExactly("NoDefaultClass"));
            assertThat(reasons(berth, namespace, "other")).isEmpty();
            assertThat(berth.operator().metric("berth_services_skipped", "reason", "NoDefaultClass"))
                    .isEqualTo(1);

            theDefaultIsThereAndNotAccepted(berth, namespace);
        } finally {
            classless(berth, "Auto");
        }
    }

    /** A new object tells the time of the API server. */
    private static boolean isOlderThan(Duration age, Installation berth, String namespace) {
        String now = berth.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withGenerateName("clock-")
                        .endMetadata()
                        .build())
                .dryRun()
                .create()
                .getMetadata()
                .getCreationTimestamp();
        return Instant.parse(berth.get(namespace, "web").getMetadata().getCreationTimestamp())
                .plus(age)
                .isBefore(Instant.parse(now));
    }

    private static void theDefaultIsThereAndNotAccepted(Installation berth, String namespace) {
        LoadBalancerClass faulty = new LoadBalancerClass();
        faulty.setMetadata(new ObjectMetaBuilder().withName(namespace).build());
        faulty.setSpec(new LoadBalancerClass.Spec(
                "test.dev/" + namespace, null, "nobody", null, null, null, null, null, "Auto", null, null));
        berth.client().resource(faulty).create();
        try {
            berth.await(
                    namespace,
                    "web",
                    service -> condition(service, WellKnownNames.ADDRESS_ASSIGNED)
                            .filter(said -> said.getReason().equals("ClassNotAccepted")
                                    && said.getMessage().contains("there is no provider \"nobody\""))
                            .isPresent());
            assertThat(BerthCommand.run(
                                    "status",
                                    "--kubeconfig=" + berth.controlPlane().adminKubeconfig())
                            .out())
                    .contains("\"" + namespace + "\" is the default and is not accepted")
                    .contains("not accepted\t" + namespace + "\tUnknownProvider: there is no provider \"nobody\"")
                    .contains("waiting\t" + namespace + "/web\tClassNotAccepted: ");
        } finally {
            berth.client().resource(faulty).delete();
        }
        berth.await(
                namespace,
                "web",
                service -> condition(service, WellKnownNames.ADDRESS_ASSIGNED).isEmpty());
    }
}
