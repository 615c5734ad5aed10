package dev.berth.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.lab.Peer.Load;
import dev.berth.lab.Peer.Reply;
import dev.berth.testing.Installation;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** What the lab's tests do with Services and their clients. */
final class Traffic {
    /** Sent before the others: as long as it is not so yet, most looks end with these. */
    private static final int FIRST_FEW = 5;

    private Traffic() {}

    /**
     * Creates a Service for the pods with the label {@code app=web}, and waits for its address.
     *
     * @param loadBalancerClass after {@code test.dev/}
     * @param change of a Service whose one port is 80, named http
     */
    static Service service(
            Lab lab, String namespace, String name, String loadBalancerClass, UnaryOperator<ServiceBuilder> change) {
        Installation installation = lab.installation();
        installation.service(
                namespace,
                name,
                service -> change.apply(service.editSpec()
                        .withLoadBalancerClass("test.dev/" + loadBalancerClass)
                        .addToSelector("app", "web")
                        .editFirstPort()
                        .withName("http")
                        .withNewTargetPort(LabPod.PORT)
                        .endPort()
                        .endSpec()));
        return installation.awaitAddress(namespace, name);
    }

    static ServiceBuilder local(ServiceBuilder change) {
        return change.editSpec().withExternalTrafficPolicy("Local").endSpec();
    }

    /** Of its first address, at port 80. */
    static String url(Service service) {
        return url(Installation.ips(service).getFirst());
    }

    static String url(String ip) {
        return "http://" + (ip.contains(":") ? "[" + ip + "]" : ip) + "/";
    }

    /** The first request that is answered. */
    static Reply awaitReply(Peer client, String url) {
        return await(() -> client.get(url), Reply::ok);
    }

    /** Waits until it is answered everywhere: the kube-proxy of each node takes a second, each at its own time. */
    static void awaitReplies(Lab lab, Service service) {
        lab.nodes().forEach(node -> awaitReply(node.client(), url(service)));
        awaitReply(lab.client(), url(service));
    }

    /** Waits until each of so many requests, one after another, comes to this. */
    static void awaitEach(Peer client, String url, int requests, Predicate<Reply> wanted) {
        await(
                () -> client.get(url, FIRST_FEW).stream().allMatch(wanted)
                        && client.get(url, requests).stream().allMatch(wanted),
                Boolean::booleanValue);
    }

    /** Waits until a request comes to this. */
    static void awaitSome(Peer client, String url, Predicate<Reply> wanted) {
        await(() -> client.get(url, FIRST_FEW), replies -> replies.stream().anyMatch(wanted));
    }

    /** The next node does not know the connections that were opened through the one before, and resets them. */
    static void assertOnlyFailedWhatWasUnderWay(Load load, int clients) {
        assertThat(load.failed()).as("failed: %s", load.errors()).isLessThanOrEqualTo(clients);
        assertThat(load.errors()).allSatisfy(error -> assertThat(error).endsWith("connection reset by peer"));
    }

    /**
     * Waits until this is what people read of who announces the first address of a Service, and of all of them.
     *
     * @param by in the column of the Address
     * @param condition status, reason and message of the Service's
     */
    static void awaitAnnounced(Lab lab, Service service, String by, String condition) {
        awaitAnnounced(lab, service, () -> by, named -> condition);
    }

    /** The same, where it may be another with each look. */
    static void awaitAnnounced(Lab lab, Service service, Supplier<String> by, UnaryOperator<String> condition) {
        String address = Ip.parse(Installation.ips(service).getFirst()).objectName();
        Awaitility.await()
                // Words alone are written twice a minute.
                .atMost(Patience.LONG)
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> {
                    String expected = by.get();
                    assertThat(announcedBy(lab, address)).isEqualTo(expected);
                    assertThat(announced(lab, service)).isEqualTo(condition.apply(expected));
                });
    }

    private static String announcedBy(Lab lab, String address) {
        List<String> lines = lab.controlPlane()
                .kubectl("get", "address", address, "-o", "wide")
                .lines()
                .toList();
        String header = lines.getFirst();
        int from = header.indexOf("ANNOUNCED-BY");
        return lines.get(1).substring(from, header.indexOf("RELEASED")).strip();
    }

    private static String announced(Lab lab, Service service) {
        return lab
                .controlPlane()
                .adminClient()
                .services()
                .inNamespace(service.getMetadata().getNamespace())
                .withName(service.getMetadata().getName())
                .get()
                .getStatus()
                .getConditions()
                .stream()
                .filter(one -> one.getType().equals("berth.dev/Announced"))
                .map(one -> one.getStatus() + " " + one.getReason() + ": " + one.getMessage())
                .findFirst()
                .orElse("");
    }

    static <T> T await(Callable<T> supplier, Predicate<T> wanted) {
        return Awaitility.await()
                .atMost(Patience.LONG)
                .pollInterval(Duration.ofMillis(100))
                .until(supplier, wanted);
    }
}
