package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;

/**
 * An address that is to be announced.
 *
 * @param services that hold it; several share it
 * @param isOfNode whether it is the own address of a Node, which is cut off if another node answers for it
 */
public record DesiredAddress(Ip address, List<AddressHolder> services, L2Parameters parameters, boolean isOfNode) {
    public DesiredAddress {
        services = List.copyOf(services);
    }

    /** One that is no Node's. */
    public DesiredAddress(Ip address, List<AddressHolder> services, L2Parameters parameters) {
        this(address, services, parameters, false);
    }

    /** Why a node cannot deliver what is sent to the address; absent: it can. */
    Optional<NotAnnouncedReason> objection(String node) {
        return objection(node, services, isOfNode, parameters.withoutEndpoints());
    }

    /** The same of an address, however it is announced. */
    static Optional<NotAnnouncedReason> objection(
            String node, List<AddressHolder> services, boolean isOfNode, boolean withoutEndpoints) {
        if (isOfNode) {
            return Optional.of(NotAnnouncedReason.ADDRESS_OF_NODE);
        }
        if (services.isEmpty()) {
            return Optional.of(NotAnnouncedReason.NO_SERVICE);
        }
        if (services.stream().noneMatch(AddressHolder::isServed)) {
            return withoutEndpoints ? Optional.empty() : Optional.of(NotAnnouncedReason.NO_ENDPOINTS);
        }
        return services.stream().anyMatch(service -> service.isDeliveredBy(node))
                ? Optional.empty()
                : Optional.of(NotAnnouncedReason.NO_LOCAL_ENDPOINTS);
    }
}
