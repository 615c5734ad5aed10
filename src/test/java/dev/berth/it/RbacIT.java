package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesList;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The permissions of the manifests are those that the operator needs; none is superfluous. */
@ExtendWith(SharedInstallation.class)
class RbacIT {
    /** What one life of a few Services need not come by, and why it is needed. */
    private static final Map<String, String> NEEDED_ALL_THE_SAME = new TreeMap<>(Map.of(
            "get addresses", "after a conflict or a lost answer, only a read tells whose an address is",
            "get services", "before an Address is released whose Service is in no cache",
            "update leases", "the client renews by patch or by update, as the lease is its own or is taken over",
            "patch leases", "as above"));

    /** Brings Berth to watch the IPAddresses. */
    private static final String POLICY = """
            apiVersion: berth.dev/v1alpha1
            kind: ServiceCIDRPolicy
            metadata: {name: cluster}
            spec: {}
            """;

    /** Has it a status: no node has a session. */
    private static final String PEER = """
            apiVersion: berth.dev/v1alpha1
            kind: BGPPeer
            metadata: {name: router}
            spec: {peerAddress: 192.0.2.254, peerASN: 64512, myASN: 64513}
            """;

    /** Has it a status: the component that lets Berth keep it is not there. */
    private static final String RESERVATION = """
            apiVersion: berth.dev/v1alpha1
            kind: ClusterIPReservation
            metadata: {name: dns}
            spec: {address: 10.96.0.10, service: {namespace: kube-system, name: kube-dns}}
            """;

    @Test
    void everyPermission_isUsed_orIsNeededForAReason(Installation berth) throws IOException {
        ControlPlane controlPlane = berth.controlPlane();
        String namespace = berth.namespace("rbac");
        berth.pool(namespace, "198.51.100.0/31");
        reserve(berth, namespace, "reserved", "198.51.100.1");
        reserve(berth, namespace, "absent", "198.51.100.9");
        berth.client()
                .resource(Serialization.unmarshal(POLICY, ServiceCIDRPolicy.class))
                .create();
        berth.client().resource(Serialization.unmarshal(PEER, BGPPeer.class)).create();
        berth.client()
                .resource(Serialization.unmarshal(RESERVATION, ClusterIPReservation.class))
                .create();
        berth.startOperator("--leader-elect").awaitLog("ready after");
        // The default class may have had its status from the operator of another test.
        berth.loadBalancerClass(namespace, null);
        berth.service(namespace, "reserved");
        berth.service(namespace, "first");
        berth.awaitAddress(namespace, "reserved");
        berth.awaitAddress(namespace, "first");
        berth.service(namespace, "second");
        berth.client().services().inNamespace(namespace).withName("first").delete();
        berth.awaitAddress(namespace, "second");

        Set<String> granted = granted();
        await().untilAsserted(() -> {
            Set<String> surplus = new TreeSet<>(granted);
            surplus.removeAll(used(controlPlane));
            surplus.removeAll(NEEDED_ALL_THE_SAME.keySet());
            assertThat(surplus).isEmpty();
        });
        assertThat(granted).containsAll(NEEDED_ALL_THE_SAME.keySet());
    }

    private static void reserve(Installation berth, String namespace, String service, String ip) {
        Address address = new Address();
        address.setMetadata(new ObjectMetaBuilder().withName(ip).build());
        address.setSpec(new Address.Spec(ip, null, null, List.of(new Address.Claim(null, namespace, service, null))));
        berth.client().resource(address).create();
    }

    /** Verb and resource of every rule. */
    private static Set<String> granted() throws IOException {
        Set<String> all = new TreeSet<>();
        try (FileInputStream file = new FileInputStream("src/main/kubernetes/rbac.yaml")) {
            Object content = Serialization.unmarshal(file);
            List<?> objects = content instanceof KubernetesList list ? list.getItems() : (List<?>) content;
            for (Object object : objects) {
                for (PolicyRule rule : rules((HasMetadata) object)) {
                    rule.getVerbs().forEach(verb -> rule.getResources().forEach(what -> all.add(verb + " " + what)));
                }
            }
        }
        return all;
    }

    private static List<PolicyRule> rules(HasMetadata object) {
        return switch (object) {
            case ClusterRole role -> role.getRules();
            case Role role -> role.getRules();
            default -> List.of();
        };
    }

    /** What the operator was let do; the audit log has no watches, and who lists goes on to watch. */
    private static Set<String> used(ControlPlane controlPlane) {
        Set<String> all = new TreeSet<>();
        controlPlane.auditEvents().stream()
                .filter(event -> event.user().equals("system:serviceaccount:berth-system:berth"))
                .filter(AuditEvent::succeeded)
                .flatMap(event -> {
                    String what = event.resource() + (event.subresource().isEmpty() ? "" : "/" + event.subresource());
                    return event.verb().equals("list")
                            ? Stream.of("list " + what, "watch " + what)
                            : Stream.of(event.verb() + " " + what);
                })
                .forEach(all::add);
        return all;
    }
}
