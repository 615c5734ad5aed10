package dev.berth.kube;

import dev.berth.address.Claim;
import dev.berth.address.Ip;
import dev.berth.address.Owner;
import dev.berth.address.ServiceKey;
import dev.berth.api.v1alpha1.Address;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Between Address objects and claims. */
public final class Claims {
    private Claims() {}

    /** What the object says; absent if its name is no address, which the API server does not let in. */
    public static Optional<Claim> of(Address address) {
        try {
            Address.Spec spec = address.getSpec();
            List<Owner> owners = spec == null || spec.claims() == null
                    ? List.of()
                    : spec.claims().stream()
                            .map(claim -> new Owner(new ServiceKey(claim.namespace(), claim.name()), claim.uid()))
                            .toList();
            return Optional.of(new Claim(
                    Ip.ofObjectName(address.getMetadata().getName()),
                    address.getMetadata().getUid(),
                    address.getMetadata().getResourceVersion(),
                    spec == null ? null : spec.pool(),
                    spec == null ? null : spec.loadBalancerClass(),
                    owners));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }

    static Address create(Ip ip, @Nullable String pool, @Nullable String loadBalancerClass, List<Owner> owners) {
        Address address = new Address();
        address.setMetadata(new ObjectMetaBuilder().withName(ip.objectName()).build());
        address.setSpec(new Address.Spec(
                ip.toString(),
                pool,
                loadBalancerClass,
                owners.stream()
                        .map(owner -> new Address.Claim(
                                null,
                                owner.service().namespace(),
                                owner.service().name(),
                                owner.uid()))
                        .toList()));
        return address;
    }
}
