package dev.berth.it;

import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.plan.Marks;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import io.fabric8.kubernetes.api.model.LoadBalancerIngressBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Berth leaves to the other load balancer controllers of a cluster, and what it does not leave to them. */
class OtherControllersIT {
    private static final String THEIRS = "example.com/theirs";

    private ControlPlane controlPlane;
    private Installation berth;

    @BeforeEach
    void install() {
        controlPlane = ControlPlane.builder().withAuditLog().start();
        berth = new Installation(controlPlane);
    }

    @AfterEach
    void stop() {
        berth.close();
        controlPlane.close();
    }

    private static UnaryOperator<ServiceBuilder> ofClass(String value) {
        return service -> service.editSpec().withLoadBalancerClass(value).endSpec();
    }

    private static UnaryOperator<ServiceBuilder> withFinalizer(String finalizer) {
        return service -> service.editMetadata().addToFinalizers(finalizer).endMetadata();
    }

    /** As another load balancer controller does it. */
    private void publish(String namespace, String name, String ip) {
        berth.client()
                .services()
                .inNamespace(namespace)
                .withName(name)
                .editStatus(service -> new ServiceBuilder(service)
                        .editOrNewStatus()
                        .withNewLoadBalancer()
                        .withIngress(new LoadBalancerIngressBuilder().withIp(ip).build())
                        .endLoadBalancer()
                        .endStatus()
                        .build());
    }

    private static boolean isWithoutOurs(Service service) {
        return !service.getMetadata().getFinalizers().contains(Marks.FINALIZER);
    }

    @Test
    void whatAnotherControllerPublished_staysWhenOursIsTakenOff() {
        String namespace = berth.namespace("theirs");
        berth.pool(namespace, "198.51.100.0/28");
        var first = berth.startOperator();
        berth.service(namespace, "reclassed");
        berth.awaitAddress(namespace, "reclassed");
        first.stop();
        var reclassed = berth.client().services().inNamespace(namespace).withName("reclassed");
        PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
        reclassed.patch(merge, "{\"spec\":{\"type\":\"ClusterIP\"}}");
        reclassed.patch(merge, "{\"spec\":{\"type\":\"LoadBalancer\",\"loadBalancerClass\":\"" + THEIRS + "\"}}");
        publish(namespace, "reclassed", "203.0.113.1");
        berth.service(
                namespace,
                "copied",
                service -> withFinalizer(Marks.FINALIZER).apply(ofClass(THEIRS).apply(service)));
        publish(namespace, "copied", "203.0.113.2");

        berth.startOperator();

        assertThat(ips(berth.await(namespace, "reclassed", OtherControllersIT::isWithoutOurs)))
                .containsExactly("203.0.113.1");
        assertThat(ips(berth.await(namespace, "copied", OtherControllersIT::isWithoutOurs)))
                .containsExactly("203.0.113.2");
        berth.awaitReleased(namespace, "reclassed");
    }
}
