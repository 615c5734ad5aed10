package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.IpRange;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TakenNetworksTest {
    private static Caches services(Service... services) {
        Caches caches = new Caches();
        caches.services(new Cache<>() {
            @Override
            public Optional<Service> get(@Nullable String namespace, String name) {
                return Optional.empty();
            }

            @Override
            public Stream<Service> list() {
                return Stream.of(services);
            }
        });
        return caches;
    }

    @Test
    void whatAServicePublishes_isTaken_whoeverPublishesIt() {
        Service published = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withExternalIPs("192.0.2.7", "not-an-address")
                .endSpec()
                .withNewStatus()
                .withNewLoadBalancer()
                .addNewIngress()
                .withIp("192.0.2.9")
                .endIngress()
                .addNewIngress()
                .withHostname("lb.example.org")
                .endIngress()
                .endLoadBalancer()
                .endStatus()
                .build();

        assertThat(TakenNetworks.of(services(published)))
                .extracting(Object::toString)
                .containsExactly(
                        "Service \"prod/web\" (published) 192.0.2.7", "Service \"prod/web\" (published) 192.0.2.9");
    }

    @Test
    void aPod_hasWhatOfItsAddressesIsInTheNetworks_andNoneBeforeItIsScheduled() {
        List<IpRange> networks = List.of(IpRange.parse("10.244.0.0/16"), IpRange.parse("fd00::/64"));
        Pod running = new PodBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("web-1")
                .endMetadata()
                .withNewStatus()
                .withPodIPs(new PodIP("10.244.3.7"), new PodIP("fd01::7"))
                .endStatus()
                .build();
        Pod pending = new PodBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("web-2")
                .endMetadata()
                .build();

        assertThat(TakenNetworks.of(running, networks))
                .extracting(Object::toString)
                .containsExactly("Pod \"prod/web-1\" 10.244.3.7");
        assertThat(TakenNetworks.of(pending, networks)).isEmpty();
    }
}
