package dev.berth.kube;

import dev.berth.api.v1alpha1.Address;
import dev.berth.ip.Ip;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** From Address objects of one cluster to such as another can start with. */
public final class ReservationExport {
    /** Of kubectl: it would describe the object in the other cluster. */
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private ReservationExport() {}

    /**
     * The same address, kept for Services of the same names, on the same terms. All that only the API
     * server of its cluster can know is left out.
     */
    public static Address of(Address address) {
        Address.Spec spec = Objects.requireNonNullElseGet(address.getSpec(), () -> nothing(address));
        List<Address.Claim> claims = NullSafe.list(spec.claims());
        Address reservation = new Address();
        reservation.setMetadata(new ObjectMetaBuilder()
                .withName(address.getMetadata().getName())
                .withLabels(filled(address.getMetadata().getLabels()))
                .withAnnotations(filled(address.getMetadata().getAnnotations()))
                .build());
        reservation.setSpec(new Address.Spec(
                spec.address(),
                spec.pool(),
                spec.loadBalancerClass(),
                claims.stream()
                        .filter(claim -> !isGone(claim)
                                || claims.stream().noneMatch(other -> !isGone(other) && isOfSameName(claim, other)))
                        .map(claim -> new Address.Claim(
                                claim.kind(),
                                claim.namespace(),
                                claim.name(),
                                null,
                                claim.ports(),
                                claim.releasedAt(),
                                claim.retain()))
                        .collect(Collectors.collectingAndThen(
                                Collectors.toMap(
                                        claim -> Arrays.asList(claim.kind(), claim.namespace(), claim.name()),
                                        claim -> claim,
                                        (first, same) -> first,
                                        LinkedHashMap::new),
                                named -> List.copyOf(named.values()))),
                spec.sharing(),
                spec.releasedAt(),
                spec.retain()));
        return reservation;
    }

    /** Whether the address is only kept for its return. */
    private static boolean isGone(Address.Claim claim) {
        return claim.uid() == null && claim.releasedAt() != null;
    }

    private static boolean isOfSameName(Address.Claim claim, Address.Claim other) {
        return Claims.kind(claim).equals(Claims.kind(other))
                && Objects.equals(claim.namespace(), other.namespace())
                && Objects.equals(claim.name(), other.name());
    }

    /** It is not known who has it, so it is kept from everyone. */
    private static Address.Spec nothing(Address address) {
        String name = address.getMetadata().getName();
        return new Address.Spec(Ip.ofObjectName(name).toString(), null, null, List.of());
    }

    private static @Nullable Map<String, String> filled(@Nullable Map<String, String> map) {
        Map<String, String> kept = new LinkedHashMap<>(map == null ? Map.of() : map);
        kept.remove(LAST_APPLIED);
        return kept.isEmpty() ? null : kept;
    }
}
