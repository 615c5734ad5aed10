package dev.berth.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Classes;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/** What an agent keeps of the Services, Addresses and LoadBalancerClasses that it reads: many are read, on each node. */
final class KeptObjects {
    private KeptObjects() {}

    /** A Service of type LoadBalancer. */
    record ServiceObject(ServiceKey key, String uid, boolean isLocal) {}

    /** Of an address, by a Service that there is. */
    record Claim(ServiceKey service, String uid) {}

    /** @param claims at least one */
    record AddressObject(Ip ip, String loadBalancerClass, List<Claim> claims) {}

    /**
     * @param value of {@code spec.loadBalancerClass}
     * @param created as Kubernetes writes it
     * @param isRejected whether the operator does not accept it, for another reason than that an older one has its value
     */
    record ClassObject(
            String name,
            String value,
            String provider,
            String created,
            Map<String, String> parameters,
            boolean isRejected) {}

    /** Absent: it is of another type. */
    static Optional<ServiceObject> service(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        JsonNode spec = object.path("spec");
        return spec.path("type").asText("").equals("LoadBalancer")
                ? Optional.of(new ServiceObject(
                        new ServiceKey(
                                metadata.path("namespace").asText(""),
                                metadata.path("name").asText("")),
                        metadata.path("uid").asText(""),
                        spec.path("externalTrafficPolicy").asText("").equals("Local")))
                : Optional.empty();
    }

    /** Absent: no Service has claimed it, or something else has, too. */
    static Optional<AddressObject> address(JsonNode object) {
        JsonNode spec = object.path("spec");
        boolean isOfServices = spec.path("claims")
                .valueStream()
                .allMatch(claim -> claim.path("kind").asText("Service").equals("Service"));
        return Ip.find(spec.path("address").asText(""))
                .filter(_ -> isOfServices)
                .map(ip -> new AddressObject(
                        ip,
                        spec.path("class").asText("").intern(),
                        spec.path("claims")
                                .valueStream()
                                .filter(claim -> claim.hasNonNull("uid"))
                                .map(claim -> new Claim(
                                        new ServiceKey(
                                                claim.path("namespace").asText(""),
                                                claim.path("name").asText("")),
                                        claim.path("uid").asText()))
                                .toList()))
                .filter(address -> !address.claims().isEmpty());
    }

    static Optional<ClassObject> loadBalancerClass(JsonNode object) {
        JsonNode spec = object.path("spec");
        SequencedMap<String, String> parameters = new TreeMap<>();
        spec.path("parameters")
                .properties()
                .forEach(one -> parameters.put(one.getKey(), one.getValue().asText("")));
        return Optional.of(new ClassObject(
                object.path("metadata").path("name").asText(""),
                spec.path("loadBalancerClass").asText(""),
                spec.path("provider").asText(""),
                object.path("metadata").path("creationTimestamp").asText(""),
                parameters,
                isRejected(object.path("status").path("conditions"))));
    }

    private static boolean isRejected(JsonNode conditions) {
        return conditions
                .valueStream()
                .anyMatch(condition -> condition.path("type").asText("").equals(Classes.ACCEPTED)
                        && condition.path("status").asText("").equals("False")
                        && !condition.path("reason").asText("").equals(Reason.ValueTaken.name()));
    }
}
