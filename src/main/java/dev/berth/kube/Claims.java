package dev.berth.kube;

import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.ClaimSpec.Departure;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.WellKnownNames;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Between Address objects and claims. */
public final class Claims {
    /** The version of an Address object that an operator confirmed before it published the address; nothing reads it. */
    public static final String CONFIRMED_VERSION = "berth.dev/confirmed-version";

    /** The kind of those claims that are Berth's; every other one is of another controller. */
    private static final String SERVICE = "Service";

    private static final List<String> LABELS =
            List.of(WellKnownNames.POOL_LABEL, WellKnownNames.NAMESPACE_LABEL, WellKnownNames.CLASS_LABEL);

    /** What Kubernetes takes for the value of a label, but for the empty one. */
    private static final Pattern LABEL_VALUE = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    private Claims() {}

    /** What the object says; absent if its name is no address, which the API server rejects. */
    public static Optional<Claim> of(Address address) {
        try {
            return Optional.of(new Claim(
                    Ip.ofObjectName(address.getMetadata().getName()),
                    address.getMetadata().getUid(),
                    address.getMetadata().getResourceVersion(),
                    spec(address.getSpec(), address.unreadable().isEmpty())));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }

    /** What of the object is left out of its claim, human-readable; absent: nothing. */
    static Optional<String> unreadable(Address address) {
        Address.Spec spec = address.getSpec();
        boolean isNameless = spec != null
                && NullSafe.list(spec.claims()).stream()
                        .anyMatch(claim -> claim.namespace() == null || claim.name() == null);
        return isNameless
                ? Optional.of("a claim of spec.claims has no namespace or no name")
                : address.unreadable().stream().findFirst();
    }

    /**
     * Whether something has the address that is no Service: a Gateway, say. Its object is of who wrote that claim, and
     * Berth never changes it, not its status or labels, either.
     */
    public static boolean isOfOtherKind(Address address) {
        return otherKind(address.getSpec()).isPresent();
    }

    private static Optional<String> otherKind(Address.@Nullable Spec spec) {
        return spec == null
                ? Optional.empty()
                : NullSafe.list(spec.claims()).stream()
                        .map(Claims::kind)
                        .filter(kind -> !kind.equals(SERVICE))
                        .findFirst();
    }

    /** An API server fills in the kind of a claim that has none. */
    static String kind(Address.Claim claim) {
        return Objects.requireNonNullElse(claim.kind(), SERVICE);
    }

    /** What each of them says, those left out whose name is no address. */
    public static List<Claim> all(Stream<Address> addresses) {
        return LenientReader.read(addresses, address -> of(address).stream());
    }

    /** What cannot be read keeps the address from everyone but those who are known to hold it: it may be another's. */
    private static ClaimSpec spec(Address.@Nullable Spec spec, boolean isRead) {
        if (spec == null) {
            return ClaimSpec.of(null, null);
        }
        Optional<String> otherKind = otherKind(spec);
        if (otherKind.isPresent()) {
            return ClaimSpec.ofOtherKind(spec.pool(), spec.loadBalancerClass(), otherKind.get());
        }
        List<Address.Claim> all = NullSafe.list(spec.claims());
        List<Address.Claim> claims = all.stream()
                .filter(claim -> claim.namespace() != null && claim.name() != null)
                .toList();
        boolean isWhole = isRead && claims.size() == all.size();
        return new ClaimSpec(
                spec.pool(),
                spec.loadBalancerClass(),
                claims.stream().map(claim -> new Owner(key(claim), claim.uid())).toList(),
                isWhole ? sharing(spec.sharing(), claims) : null,
                spec.releasedAt() == null || !isWhole ? null : ServiceStates.time(spec.releasedAt()),
                Boolean.TRUE.equals(spec.retain()),
                claims.stream()
                        .filter(claim -> Boolean.TRUE.equals(claim.retain()))
                        .map(Claims::key)
                        .toList(),
                claims.stream()
                        .filter(claim -> claim.uid() == null && claim.releasedAt() != null)
                        .map(claim -> new Departure(key(claim), ServiceStates.time(claim.releasedAt())))
                        .toList(),
                null);
    }

    private static ServiceKey key(Address.Claim claim) {
        return new ServiceKey(claim.namespace(), claim.name());
    }

    private static @Nullable Sharing sharing(Address.@Nullable Sharing sharing, List<Address.Claim> claims) {
        return sharing == null || sharing.key() == null || sharing.terms() == null
                ? null
                : new Sharing(
                        sharing.key(),
                        sharing.terms(),
                        claims.stream()
                                .flatMap(claim -> NullSafe.list(claim.ports()).stream()
                                        .filter(port -> port.protocol() != null && port.port() != null)
                                        .map(port -> new Sharing.Port(key(claim), port.protocol(), port.port())))
                                .toList());
    }

    /**
     * The labels to find its Address by: pool, namespace and class. What is too long for a label has none, nor has a
     * namespace that is not the only one.
     *
     * @param pool that it came from, or lies in; null: none
     */
    public static Map<String, String> labels(ClaimSpec spec, @Nullable String pool) {
        List<String> namespaces = spec.owners().stream()
                .map(owner -> owner.service().namespace())
                .distinct()
                .toList();
        String className = spec.loadBalancerClass();
        Map<String, @Nullable String> labels = new LinkedHashMap<>();
        labels.put(WellKnownNames.POOL_LABEL, pool);
        labels.put(WellKnownNames.NAMESPACE_LABEL, namespaces.size() == 1 ? namespaces.getFirst() : null);
        labels.put(WellKnownNames.CLASS_LABEL, className == null ? null : className.replace('/', '_'));
        Map<String, String> valid = new LinkedHashMap<>();
        labels.forEach((key, value) -> {
            if (value != null && LABEL_VALUE.matcher(value).matches()) {
                valid.put(key, value);
            }
        });
        return valid;
    }

    /** Which of our labels the object has. */
    public static Map<String, String> labelsOf(Address address) {
        Map<String, String> ours =
                new LinkedHashMap<>(NullSafe.map(address.getMetadata().getLabels()));
        ours.keySet().retainAll(LABELS);
        return ours;
    }

    /** What a merge patch writes to make labels {@code wanted}; null: the label goes. */
    public static Map<String, @Nullable String> difference(Map<String, String> labels, Map<String, String> wanted) {
        Map<String, @Nullable String> difference = new LinkedHashMap<>();
        labels.keySet().stream().filter(key -> !wanted.containsKey(key)).forEach(key -> difference.put(key, null));
        wanted.forEach((key, value) -> {
            if (!value.equals(labels.get(key))) {
                difference.put(key, value);
            }
        });
        return difference;
    }

    static Address object(Ip ip, ClaimSpec spec) {
        Address address = new Address();
        address.setMetadata(new ObjectMetaBuilder()
                .withName(ip.objectName())
                .withLabels(labels(spec, spec.pool()))
                .build());
        Sharing sharing = spec.sharing();
        address.setSpec(new Address.Spec(
                ip.toString(),
                spec.pool(),
                spec.loadBalancerClass(),
                spec.owners().stream()
                        .map(owner -> new Address.Claim(
                                SERVICE,
                                owner.service().namespace(),
                                owner.service().name(),
                                owner.uid(),
                                sharing == null ? null : ports(sharing, owner.service()),
                                departure(spec, owner),
                                spec.retaining().contains(owner.service()) ? Boolean.TRUE : null))
                        .toList(),
                sharing == null ? null : new Address.Sharing(sharing.key(), sharing.terms()),
                spec.releasedAt() == null ? null : spec.releasedAt().toString(),
                spec.retain() ? Boolean.TRUE : null));
        return address;
    }

    private static @Nullable String departure(ClaimSpec spec, Owner owner) {
        return owner.isReservation()
                ? spec.departures().stream()
                        .filter(gone -> gone.service().equals(owner.service()))
                        .map(gone -> gone.at().toString())
                        .findFirst()
                        .orElse(null)
                : null;
    }

    private static List<Address.Port> ports(Sharing sharing, ServiceKey service) {
        return sharing.ports().stream()
                .filter(port -> port.service().equals(service))
                .map(port -> new Address.Port(port.protocol(), port.port()))
                .toList();
    }
}
