package dev.berth.kube;

import dev.berth.address.PoolDeclaration;
import dev.berth.address.Selector;
import dev.berth.api.v1alpha1.AddressPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From AddressPool objects to declarations. */
public final class Pools {
    private static final int DEFAULT_PRIORITY = 100;

    private Pools() {}

    /** What the object declares. */
    public static PoolDeclaration declaration(AddressPool pool) {
        AddressPool.Spec spec = pool.getSpec();
        return new PoolDeclaration(
                pool.getMetadata().getName(),
                ServiceStates.time(pool.getMetadata().getCreationTimestamp()),
                spec.addresses(),
                Optional.ofNullable(spec.excluded()).orElse(List.of()),
                Optional.ofNullable(spec.autoAssign()).orElse(true),
                Optional.ofNullable(spec.priority()).orElse(DEFAULT_PRIORITY),
                selector(spec.namespaceSelector()),
                selector(spec.serviceSelector()),
                Optional.ofNullable(spec.suspended()).orElse(false));
    }

    /** Absent and empty select everything, as everywhere in Kubernetes' selectors of what may. */
    static Selector selector(AddressPool.@Nullable LabelSelector selector) {
        if (selector == null) {
            return Selector.EVERYTHING;
        }
        List<Selector.Requirement> requirements = new ArrayList<>();
        if (selector.matchLabels() != null) {
            selector.matchLabels()
                    .forEach((key, value) ->
                            requirements.add(new Selector.Requirement(key, Selector.Operator.IN, List.of(value))));
        }
        if (selector.matchExpressions() != null) {
            selector.matchExpressions()
                    .forEach(expression -> requirements.add(new Selector.Requirement(
                            expression.key(),
                            operator(expression.operator()),
                            Optional.ofNullable(expression.values()).orElse(List.of()))));
        }
        return new Selector(requirements);
    }

    private static Selector.Operator operator(String text) {
        return switch (text) {
            case "In" -> Selector.Operator.IN;
            case "NotIn" -> Selector.Operator.NOT_IN;
            case "Exists" -> Selector.Operator.EXISTS;
            case "DoesNotExist" -> Selector.Operator.DOES_NOT_EXIST;
            default -> throw new IllegalArgumentException("unknown operator \"" + text + "\" in a label selector");
        };
    }
}
