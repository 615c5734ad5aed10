package dev.berth.kube;

import dev.berth.address.PoolDeclaration;
import dev.berth.address.PoolPolicy;
import dev.berth.address.Quota;
import dev.berth.address.Selector;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.plan.Marks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** From AddressPool objects to declarations. */
public final class Pools {
    private static final int DEFAULT_PRIORITY = 100;
    private static final Pattern PART = Pattern.compile("([0-9]+)([smhd])");

    private static final Pattern ACKNOWLEDGEMENT = Pattern.compile("[0-9]+(/[0-9]{1,6})?");

    private Pools() {}

    /** What the object declares. */
    public static PoolDeclaration declaration(AddressPool pool) {
        AddressPool.Spec spec = pool.getSpec();
        return new PoolDeclaration(
                pool.getMetadata().getName(),
                ServiceStates.time(pool.getMetadata().getCreationTimestamp()),
                spec.addresses(),
                Optional.ofNullable(spec.excluded()).orElse(List.of()),
                Boolean.TRUE.equals(spec.excludeNetworkAndBroadcast()),
                new PoolPolicy(
                        Optional.ofNullable(spec.autoAssign()).orElse(true),
                        Optional.ofNullable(spec.priority()).orElse(DEFAULT_PRIORITY),
                        selector(spec.namespaceSelector()),
                        selector(spec.serviceSelector()),
                        Boolean.TRUE.equals(spec.suspended()),
                        "LeastRecentlyUsed".equals(spec.allocation())
                                ? PoolPolicy.Strategy.LEAST_RECENTLY_USED
                                : PoolPolicy.Strategy.LOWEST_FREE,
                        duration(spec.reuseAfter()),
                        quota(spec.quota())),
                releasesStranded(pool));
    }

    /**
     * Whether what earlier edits left outside of it is to be taken back. The annotation acknowledges one edit,
     * and that once: it does nothing for another generation, nor after all was taken back.
     */
    public static boolean releasesStranded(AddressPool pool) {
        AddressPool.Status status = pool.getStatus();
        Optional<String> done = Optional.ofNullable(status).map(AddressPool.Status::releasedStranded);
        return acknowledgement(pool)
                .filter(text -> !Optional.of(text).equals(done))
                .isPresent();
    }

    /** Its annotation, if it names its generation: {@code 7}, or {@code 7/2} for the second time. */
    public static Optional<String> acknowledgement(AddressPool pool) {
        return Optional.ofNullable(pool.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Marks.RELEASE_STRANDED))
                .map(String::trim)
                .filter(text ->
                        ACKNOWLEDGEMENT.matcher(text).matches() && text.split("/", 2)[0].equals(generation(pool)));
    }

    /** What the annotation has to say to take back what is outside of the pool as it is now. */
    public static String nextAcknowledgement(AddressPool pool) {
        return generation(pool)
                + acknowledgement(pool)
                        .map(spent -> spent.split("/", 2))
                        .map(parts -> "/" + (parts.length == 1 ? 2 : Integer.parseInt(parts[1]) + 1))
                        .orElse("");
    }

    private static String generation(AddressPool pool) {
        return String.valueOf(pool.getMetadata().getGeneration());
    }

    private static Quota quota(AddressPool.@Nullable Quota quota) {
        return quota == null
                ? Quota.NONE
                : new Quota(
                        quota.perNamespace(),
                        Optional.ofNullable(quota.namespaces()).orElse(Map.of()));
    }

    /** Like Go's, with days: {@code 1h30m}. The schema lets in nothing else. */
    static Duration duration(@Nullable String text) {
        Duration sum = Duration.ZERO;
        if (text != null) {
            for (MatchResult part : PART.matcher(text).results().toList()) {
                long number = Long.parseLong(part.group(1));
                sum = sum.plus(
                        switch (part.group(2)) {
                            case "s" -> Duration.ofSeconds(number);
                            case "m" -> Duration.ofMinutes(number);
                            case "h" -> Duration.ofHours(number);
                            default -> Duration.ofDays(number);
                        });
            }
        }
        return sum;
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
