package dev.berth.plugin.grpc.wire;

import dev.berth.plugin.grpc.v1.WatchChangesResponse;
import dev.berth.provider.ServiceIdentity;
import java.util.Collection;
import java.util.List;

/** Whose load balancers have changed, both ways. */
public final class ChangesMapping {
    /** In one message. */
    public static final int MOST_SERVICES = 1_000;

    private ChangesMapping() {}

    /**
     * One message.
     *
     * @param services {@link #MOST_SERVICES} at most
     */
    public static WatchChangesResponse write(Collection<ServiceIdentity> services) {
        WatchChangesResponse.Builder wire = WatchChangesResponse.newBuilder();
        services.forEach(service -> wire.addServices(RequestMapping.write(service)));
        return wire.build();
    }

    /**
     * Whose they are.
     *
     * @throws ProtocolViolation if there are too many, or one lacks a part
     */
    public static List<ServiceIdentity> read(WatchChangesResponse wire) {
        ProtocolViolation.refuseMoreThan(MOST_SERVICES, wire.getServicesCount(), "Services");
        return wire.getServicesList().stream().map(RequestMapping::read).toList();
    }
}
