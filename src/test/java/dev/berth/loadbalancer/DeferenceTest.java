package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DeferenceTest {
    @Test
    void cloudsWhoseControllersServeLoadBalancers_areASign() {
        for (String providerId : List.of(
                "aws:///eu-central-1a/i-0abc",
                "azure:///subscriptions/x",
                "gce://project/zone/name",
                "openstack:///uuid",
                "hcloud://1234",
                "upcloud:////0084f2c2-1111-4d2c-b6cd-6c1d4ba1a3a0",
                "ocid1.instance.oc1.phx.abc",
                "k3s://node")) {
            assertThat(Deference.isCloud(providerId)).as(providerId).isTrue();
        }
    }

    @Test
    void whatOnlyNamesMachines_isNone() {
        for (String providerId : List.of(
                "",
                "vsphere://4237",
                "metal3://ns/host/machine",
                "proxmox://region/100",
                "maas:///1/abc",
                "kind://docker/kind/node",
                "unheard-of://1",
                "aws")) {
            assertThat(Deference.isCloud(providerId)).as(providerId).isFalse();
        }
    }
}
