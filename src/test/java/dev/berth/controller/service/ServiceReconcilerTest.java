package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class ServiceReconcilerTest extends CloudStage {
    private final ServiceReconciler reconciler =
            new ServiceReconciler(new Caches(), control, new Wakeups<>("wakeups", (delay, what) -> () -> {}), recorded);

    /** Of an object that is there. */
    @SuppressWarnings("unchecked")
    private static Context<Service> context() {
        return (Context<Service>) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> false);
    }

    private static Service clusterIp(String protocol) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("odd")
                .withUid("u1")
                .withResourceVersion("5")
                .endMetadata()
                .withNewSpec()
                .withType("ClusterIP")
                .addNewPort()
                .withPort(80)
                .withProtocol(protocol)
                .endPort()
                .endSpec()
                .build();
    }

    @Test
    void serviceThatCanBeReadAgain_isLookedAt_whateverItIsByNow() {
        assertThat(reconciler.takeUpdate(clusterIp("TCP"), clusterIp("QUIC"))).isTrue();
        assertThat(reconciler.takeUpdate(clusterIp("TCP"), clusterIp("UDP"))).isFalse();
    }

    @Test
    void serviceThatCannotBeRead_hasAnEventThatSaysWhy_andIsLeftAsItIs() {
        create("odd");
        unreadable.add(key("odd"));
        Service odd = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("odd")
                .endMetadata()
                .build();

        assertThat(reconciler.reconcile(odd, context()).isNoUpdate()).isTrue();

        assertThat(recorded.events).containsExactly("Warning Unreadable: spec.type is \"Odd\"; it is left as it is");
        assertThat(cloud.calls).isEmpty();
        assertThat(sent).isZero();
    }
}
