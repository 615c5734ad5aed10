package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Holding;
import dev.berth.claim.QueuePosition;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import dev.berth.pool.Requester;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * How a Service that another controller gave its addresses becomes Berth's, with the same addresses. Its
 * status is a request, and no more: one that the Service could have made by annotation. Pure.
 */
public final class Adoption {
    /** How many addresses of one Service are withheld from others; and how many are named. */
    private static final int WITHHELD = 64;

    private static final int NAMED = 10;

    private Adoption() {}

    /**
     * What is given to nobody else while the Service publishes it. No controller gives one Service more; who may
     * write a status could otherwise fill the memory with what he writes.
     */
    public static List<Ip> withheld(ServiceState service) {
        return withheld(service.ingress());
    }

    /** The same of a Service of which nothing else can be read. */
    public static List<Ip> withheld(List<Published> ingress) {
        List<Ip> all = Published.addresses(ingress);
        return all.subList(0, Math.min(all.size(), WITHHELD));
    }

    /** Why its addresses cannot become Berth's, whatever pools there are; absent: they can. */
    static Optional<WaitReason> hindrance(ServiceState service, ServedClass served, AddressAnnotations asked) {
        Optional<String> finalizer = service.foreignFinalizer();
        if (finalizer.isPresent()) {
            return Optional.of(left("the Service has finalizer " + finalizer.get()
                    + " set by another controller; stop that controller, then: kubectl patch service "
                    + service.key().name() + " --namespace=" + service.key().namespace()
                    + " --patch='{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"" + finalizer.get()
                    + "\"]}}'"));
        }
        if (served.capabilities().addresses() != AddressSource.POOLS) {
            return Optional.of(left("it has " + list(service) + " from another controller, and provider \""
                    + served.provider() + "\" brings its own addresses"));
        }
        if (asked.fault().isPresent()) {
            return Optional.of(new WaitReason(
                    asked.fault().get().reason(),
                    asked.fault().get().message() + "; until then it keeps " + list(service)
                            + " from another controller"));
        }
        List<Ip> ips = service.publishedAddresses();
        if (ips.size() != service.ingress().size()) {
            return Optional.of(left("it has " + list(service) + " from another controller; Berth can only take over IP"
                    + " addresses"));
        }
        for (IpFamily family : IpFamily.values()) {
            List<Ip> ofFamily = ips.stream().filter(ip -> ip.family() == family).toList();
            Optional<Ip> requested = asked.constraints().address(family);
            if (ofFamily.size() > 1) {
                return Optional.of(left("it has " + list(service) + " from another controller; Berth assigns one "
                        + family
                        + " address, so remove all but one of them from its annotations and its status"
                        + (ips.size() > WITHHELD
                                ? "; until then Berth withholds only the first " + WITHHELD + " of them from other"
                                        + " Services"
                                : "")));
            }
            if (!ofFamily.isEmpty() && !service.wantedFamilies().contains(family)) {
                return Optional.of(left("it has " + ofFamily.getFirst()
                        + " from another controller, but its ipFamilyPolicy and ipFamilies do not include " + family));
            }
            if (!ofFamily.isEmpty()
                    && requested
                            .filter(Predicate.not(ofFamily.getFirst()::equals))
                            .isPresent()) {
                return Optional.of(left("it has " + ofFamily.getFirst() + " from another controller and requests "
                        + requested.get() + "; request the address that it has, and the other one after Berth has taken"
                        + " over"));
            }
        }
        return Optional.empty();
    }

    /** What it asks for by publishing it: what is kept for its name already need not be asked for. */
    static Optional<AddressRequest> request(
            ServiceSnapshot snapshot, ServiceState service, ServedClass served, AddressAnnotations asked) {
        List<Ip> wanted = service.publishedAddresses().stream()
                .filter(ip -> snapshot.holdings().stream().noneMatch(holding -> isKeptFor(holding, service, ip)))
                .toList();
        return wanted.isEmpty()
                ? Optional.empty()
                : Optional.of(new AddressRequest(
                        service.key(),
                        service.uid(),
                        served.value(),
                        wanted.stream().map(Ip::family).toList(),
                        true,
                        new Requester(served.pools(), snapshot.namespaceLabels(), service.labels()),
                        new AddressConstraints(
                                wanted,
                                asked.constraints().pools(),
                                asked.constraints().sharing(),
                                asked.constraints().retain()),
                        List.of(),
                        QueuePosition.FIRST));
    }

    private static boolean isKeptFor(Holding holding, ServiceState service, Ip ip) {
        return holding.ip().equals(ip)
                && (holding.isReservedFor(service.key())
                        || holding.holderNamed(service.key()).isPresent());
    }

    /** Whether the Service has what it asked for, or is to share it with one that is just claiming it. */
    public static boolean canProceed(Choice answer) {
        return switch (answer) {
            case Choice.Assigned assigned -> true;
            case Choice.Refused(AddressRequest request, List<Refusal> refusals) -> isSharedSoon(refusals);
        };
    }

    /** Whether another of its sharing key is just claiming the address for both. */
    static boolean isSharedSoon(List<Refusal> refusals) {
        return refusals.stream().anyMatch(refusal -> refusal.reason() == RefusalReason.SHARED_SOON);
    }

    /** Why {@code request} was refused, and what would help. */
    static WaitReason refused(AddressRequest request, List<Refusal> refusals) {
        String has =
                request.constraints().addresses().stream().map(Ip::toString).collect(Collectors.joining(", "));
        List<Ip> inNoPool = request.constraints().addresses().stream()
                .filter(ip ->
                        refusals.isEmpty() || refusals.stream().anyMatch(refusal -> refusal.family() == ip.family()))
                .filter(ip -> refusals.stream()
                        .filter(refusal -> refusal.family() == ip.family())
                        .allMatch(refusal -> refusal.reason() == RefusalReason.NO_SUCH_FAMILY
                                || refusal.reason() == RefusalReason.NOT_ITS_ADDRESS))
                .toList();
        return left("it has " + has + " from another controller, and keeps it until Berth can assign it: "
                + (inNoPool.isEmpty()
                        ? WaitReason.of(request, refusals).message()
                        : "add " + inNoPool.stream().map(Ip::toString).collect(Collectors.joining(" and ")) + " to "
                                + poolFor(request)));
    }

    private static String poolFor(AddressRequest request) {
        List<String> named = request.constraints().pools().isEmpty()
                ? request.requester().classPools()
                : request.constraints().pools();
        return named.isEmpty() ? "an AddressPool" : "AddressPool \"" + named.getFirst() + "\"";
    }

    private static WaitReason left(String message) {
        return new WaitReason(Reason.ServedByOtherController, message);
    }

    private static String list(ServiceState service) {
        int more = service.ingress().size() - NAMED;
        return service.ingress().stream().limit(NAMED).map(Published::toString).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }
}
