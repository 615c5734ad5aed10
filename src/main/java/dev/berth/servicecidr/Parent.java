package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import java.util.Optional;

/**
 * What an IPAddress names as the one that has the address.
 *
 * @param group of the API; empty: the core one
 * @param resource in plural, as {@code services}
 * @param namespace empty: it is in none
 */
public record Parent(String group, String resource, String namespace, String name) {
    private static final String SERVICES = "services";

    public static Parent of(ServiceKey service) {
        return new Parent("", SERVICES, service.namespace(), service.name());
    }

    /** The Service that it is; absent: it is something else. */
    Optional<ServiceKey> service() {
        return group.isEmpty() && resource.equals(SERVICES)
                ? Optional.of(new ServiceKey(namespace, name))
                : Optional.empty();
    }

    @Override
    public String toString() {
        String type = group.isEmpty() ? resource : resource + "." + group;
        return type + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
    }
}
