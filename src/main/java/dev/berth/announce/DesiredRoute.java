package dev.berth.announce;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;

/**
 * An address that is to be announced by BGP.
 *
 * @param services that hold it; several share it
 * @param isOfNode whether it is the own address of a Node, which is cut off if traffic for it goes elsewhere
 */
public record DesiredRoute(Ip address, List<AddressHolder> services, BgpParameters parameters, boolean isOfNode) {
    public DesiredRoute {
        services = List.copyOf(services);
    }

    /** Why a node cannot deliver what is sent to the address; absent: it can. */
    Optional<NotAnnouncedReason> objection(String node) {
        return DesiredAddress.objection(node, services, isOfNode, parameters.withoutEndpoints());
    }
}
