package dev.berth.it;

import static dev.berth.testing.Installation.condition;
import static dev.berth.testing.Installation.ips;

import dev.berth.api.v1alpha1.Address;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Installation;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** What an administrator types, and is told. */
record Administrator(Installation berth) {

    String kubectl(String... arguments) {
        return berth.controlPlane().kubectl(arguments);
    }

    /** Writes {@code name=value}, and takes off {@code name-}. */
    void annotate(String namespace, String service, String... annotations) {
        kubectl(Stream.concat(
                        Stream.of("annotate", "service", service, "--namespace=" + namespace, "--overwrite"),
                        Stream.of(annotations))
                .toArray(String[]::new));
    }

    /** The same, until Berth has looked at the Service as it is then: by a word of that beside it, which goes again. */
    void annotateAndHaveItSeen(String namespace, String service, String... annotations) {
        String mark = "berth.dev/looked-at";
        annotate(
                namespace,
                service,
                Stream.concat(Stream.of(annotations), Stream.of(mark + "=")).toArray(String[]::new));
        awaitSaid(namespace, service, WellKnownNames.ANNOTATIONS_IGNORED, "UnknownAnnotation");
        annotate(namespace, service, mark + "-");
        awaitNotSaid(namespace, service, WellKnownNames.ANNOTATIONS_IGNORED);
    }

    /** Keeps an address for a Service to come, and waits until Berth has seen that. */
    void reserve(String ip, String namespace, String service) {
        Address reservation = new Address();
        reservation.setMetadata(new ObjectMetaBuilder().withName(ip).build());
        reservation.setSpec(
                new Address.Spec(ip, null, null, List.of(new Address.Claim(null, namespace, service, null))));
        berth.client().resource(reservation).create();
        kubectl("wait", "--for=condition=Reserved", "--timeout=50s", "address/" + ip);
    }

    void await(ThrowingRunnable isSo) {
        Awaitility.await().atMost(Patience.USUAL).untilAsserted(isSo);
    }

    void awaitIps(String namespace, String service, String... ips) {
        berth.await(namespace, service, found -> ips(found).equals(List.of(ips)));
    }

    List<String> ipsOf(String namespace, String service) {
        return ips(berth.get(namespace, service));
    }

    /** The message of a condition, once it has this reason. */
    String awaitSaid(String namespace, String service, String type, String reason) {
        return condition(
                        berth.await(
                                namespace,
                                service,
                                found -> condition(found, type)
                                        .filter(said -> said.getReason().equals(reason))
                                        .isPresent()),
                        type)
                .map(Condition::getMessage)
                .orElseThrow();
    }

    /** What is said of its addresses, once it has this reason. */
    String awaitSaid(String namespace, String service, String reason) {
        return awaitSaid(namespace, service, WellKnownNames.ADDRESS_ASSIGNED, reason);
    }

    void awaitNotSaid(String namespace, String service, String type) {
        berth.await(namespace, service, found -> condition(found, type).isEmpty());
    }

    /** What a new Service says once it waits for this reason. */
    String waits(String namespace, String service, UnaryOperator<ServiceBuilder> change, String reason) {
        berth.service(namespace, service, change);
        return awaitSaid(namespace, service, reason);
    }
}
