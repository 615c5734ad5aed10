package dev.berth.announce;

import dev.berth.address.Ip;
import java.util.List;
import java.util.Optional;

/**
 * An address that is to be announced.
 *
 * @param services that hold it; several share it
 */
public record Asked(Ip address, List<AskingService> services, L2Parameters parameters) {
    public Asked {
        services = List.copyOf(services);
    }

    /** Why a node cannot deliver what is sent to the address; absent: it can. */
    Optional<Reason> objection(String node) {
        if (services.isEmpty()) {
            return Optional.of(Reason.NO_SERVICE);
        }
        if (services.stream().noneMatch(AskingService::isServed)) {
            return parameters.withoutEndpoints() ? Optional.empty() : Optional.of(Reason.NO_ENDPOINTS);
        }
        return services.stream().anyMatch(service -> service.isDeliveredBy(node))
                ? Optional.empty()
                : Optional.of(Reason.NO_LOCAL_ENDPOINTS);
    }
}
