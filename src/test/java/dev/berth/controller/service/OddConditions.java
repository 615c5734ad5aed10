package dev.berth.controller.service;

import dev.berth.kube.ServiceStates;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Conditions that strangers write into the statuses of Services. The API server checks none of them: a null becomes one
 * without a type, and no word has to be one that anybody knows. They are read as Berth reads them.
 */
final class OddConditions {
    private static final String KEPT = "example.org/Odd";

    /** Of nobody: they are there in the end as they were. */
    private static final List<List<Condition>> OTHERS = List.of(read("""
                    null, {"type": "example.org/Odd", "status": "Perhaps", "reason": null, "message": null}"""), read("""
                    {"type": "example.org/Odd", "status": "", "lastTransitionTime": null,
                    "reason": "no reason at all", "message": "\\u0000\\u001b[31m\\n"}, {"type": "", "status": "True"}"""), read("""
                    {"type": "example.org/Odd", "status": "True", "lastTransitionTime": "0001-01-01T00:00:00Z",
                    "observedGeneration": -1}, {}, {"type": "berth.dev/NoSuchThing", "status": "False"}"""));

    /** In the name of Berth. */
    private static final List<List<Condition>> OURS = List.of(read("""
                    {"type": "berth.dev/AddressAssigned", "status": "Perhaps", "reason": "", "message": null}"""), read("""
                    {"type": "berth.dev/AddressAssigned", "status": "True", "reason": "NoSuchReason",
                    "message": "holds 8.8.8.8", "lastTransitionTime": "9999-12-31T23:59:59Z"}"""), read("""
                    {"type": "berth.dev/AddressAssigned", "status": "False", "reason": "ClassMissing",
                    "lastTransitionTime": "1970-01-01T00:00:00Z"}"""));

    private final SimulatedWorld world;
    private final Random random;

    /** The uids of the Services that have some. */
    private final Set<String> written = new HashSet<>();

    OddConditions(SimulatedWorld world) {
        this.world = world;
        random = world.aside;
    }

    private static List<Condition> read(String conditions) {
        Service service = new KubernetesSerialization()
                .unmarshal(
                        "{\"metadata\": {\"namespace\": \"n\", \"name\": \"s\"}, \"status\": {\"conditions\": ["
                                + conditions + "]}}",
                        Service.class);
        return ServiceStates.of(service).conditions();
    }

    /**
     * A stranger writes some.
     *
     * @param forges whether also in the name of Berth
     */
    void write(boolean forges) {
        List<ServiceState> all = new ArrayList<>(world.cluster.services.values());
        if (all.isEmpty()) {
            return;
        }
        ServiceState now = all.get(random.nextInt(all.size()));
        boolean isForged = forges && random.nextBoolean();
        List<List<Condition>> which = isForged ? OURS : OTHERS;
        List<Condition> odd = which.get(random.nextInt(which.size()));
        world.trace("a stranger writes conditions of ", now.key(), ": ", odd);
        if (!isForged) {
            written.add(now.uid());
        }
        world.cluster.put(
                now.key(),
                SampleService.from(now)
                        .conditions(Stream.concat(
                                        now.conditions().stream()
                                                .filter(condition -> odd.stream()
                                                        .noneMatch(other ->
                                                                other.type().equals(condition.type()))),
                                        odd.stream())
                                .toList()));
    }

    /** Whether those that are none of Berth's business are as they were, and those in its name are not. */
    boolean areUnchanged(ServiceState service) {
        return (!written.contains(service.uid()) || service.condition(KEPT).isPresent())
                && service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                        .filter(condition -> OURS.stream()
                                .flatMap(List::stream)
                                .anyMatch(odd -> odd.sameContent(condition)
                                        && !odd.reason().equals("ClassMissing")))
                        .isEmpty();
    }
}
