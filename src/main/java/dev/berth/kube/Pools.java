package dev.berth.kube;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.duration.DurationText;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.Quota;
import dev.berth.pool.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** From AddressPool objects to declarations. */
public final class Pools {
    private static final int DEFAULT_PRIORITY = 100;

    private static final AddressPool.Spec NOTHING =
            new AddressPool.Spec(List.of(), null, null, null, null, null, null, null, null, null, null);

    private static final Pattern ACKNOWLEDGEMENT = Pattern.compile("[0-9]+(/[0-9]{1,6})?");

    private Pools() {}

    /** What each of them declares. */
    public static List<PoolDeclaration> declarations(Stream<AddressPool> pools) {
        return LenientReader.read(pools, pool -> Stream.of(declaration(pool)));
    }

    /** What the object declares. Its schema may be another than ours: any content is understood, or said to be none. */
    public static PoolDeclaration declaration(AddressPool pool) {
        AddressPool.Spec spec = Objects.requireNonNullElse(pool.getSpec(), NOTHING);
        List<String> faults = new ArrayList<>(pool.adjusted());
        // A range that cannot be read takes nothing from the others; anything else may be a limit.
        List<String> unreadable = new ArrayList<>();
        pool.unreadable()
                .forEach(sentence -> (sentence.startsWith("spec.addresses[") ? faults : unreadable).add(sentence));
        PoolPolicy policy = policy(spec, faults, unreadable);
        List<String> addresses = entries("addresses", spec.addresses(), faults);
        List<String> excluded = entries("excluded", spec.excluded(), unreadable);
        boolean isWhole = unreadable.isEmpty();
        faults.addAll(unreadable);
        return new PoolDeclaration(
                pool.getMetadata().getName(),
                ServiceStates.time(pool.getMetadata().getCreationTimestamp()),
                addresses,
                excluded,
                Boolean.TRUE.equals(spec.excludeNetworkAndBroadcast()),
                policy,
                releasesStranded(pool),
                faults,
                isWhole);
    }

    private static PoolPolicy policy(AddressPool.Spec spec, List<String> faults, List<String> unreadable) {
        return new PoolPolicy(
                Optional.ofNullable(spec.autoAssign()).orElse(true),
                Optional.ofNullable(spec.priority()).orElse(DEFAULT_PRIORITY),
                selector("namespaceSelector", spec.namespaceSelector(), unreadable),
                selector("serviceSelector", spec.serviceSelector(), unreadable),
                Boolean.TRUE.equals(spec.suspended()),
                "LeastRecentlyUsed".equals(spec.allocation())
                        ? PoolPolicy.Strategy.LEAST_RECENTLY_USED
                        : PoolPolicy.Strategy.LOWEST_FREE,
                duration(spec.reuseAfter(), unreadable),
                quota(spec.quota(), faults, unreadable));
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
                .map(annotations -> annotations.get(WellKnownNames.RELEASE_STRANDED))
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

    private static Quota quota(AddressPool.@Nullable Quota quota, List<String> faults, List<String> unreadable) {
        if (quota == null) {
            return Quota.NONE;
        }
        Integer each = quota.perNamespace();
        Map<String, Integer> limits = new LinkedHashMap<>();
        List<AddressPool.NamespaceQuota> named = entries("quota.namespaces", quota.namespaces(), unreadable);
        for (int i = 0; i < named.size(); i++) {
            String namespace = named.get(i).namespace();
            Integer addresses = named.get(i).addresses();
            if (namespace == null || addresses == null) {
                unreadable.add("spec.quota.namespaces: an entry has no namespace, or no number of addresses");
            } else {
                limits.merge(namespace, limit("quota.namespaces[" + i + "].addresses", addresses, faults), Math::min);
            }
        }
        return new Quota(each == null ? null : limit("quota.perNamespace", each, faults), limits);
    }

    private static int limit(String field, int limit, List<String> faults) {
        if (limit < 0) {
            faults.add("spec." + field + " is " + limit + ", and counts as 0");
        }
        return Math.max(0, limit);
    }

    private static Duration duration(@Nullable String text, List<String> unreadable) {
        if (text == null) {
            return Duration.ZERO;
        }
        return DurationText.parse(text).orElseGet(() -> {
            unreadable.add("spec.reuseAfter is \"" + NullSafe.shortened(text)
                    + "\", which is not a duration; write it as 90s, 10m or 1h30m");
            return Duration.ZERO;
        });
    }

    /** Absent and empty select everything, as everywhere in Kubernetes' selectors of what may. */
    private static Selector selector(
            String field, AddressPool.@Nullable LabelSelector selector, List<String> unreadable) {
        if (selector == null) {
            return Selector.EVERYTHING;
        }
        List<Selector.Requirement> requirements = new ArrayList<>();
        if (selector.matchLabels() != null && selector.matchLabels().containsValue(null)) {
            unreadable.add("spec." + field + ".matchLabels: a label has no value");
        }
        NullSafe.map(selector.matchLabels())
                .forEach((key, value) ->
                        requirements.add(new Selector.Requirement(key, Selector.Operator.IN, List.of(value))));
        for (AddressPool.Requirement expression :
                entries(field + ".matchExpressions", selector.matchExpressions(), unreadable)) {
            Optional<Selector.Operator> operator = operator(NullSafe.text(expression.operator()));
            if (operator.isEmpty() || expression.key() == null) {
                unreadable.add("spec." + field + ".matchExpressions: an entry has no key, or its operator is not one of"
                        + " In, NotIn, Exists and DoesNotExist");
            } else {
                requirements.add(new Selector.Requirement(
                        expression.key(),
                        operator.get(),
                        entries(field + ".matchExpressions.values", expression.values(), unreadable)));
            }
        }
        return new Selector(requirements);
    }

    /** Those that are given; of one that is null, {@code found} has a sentence. */
    private static <T> List<T> entries(String field, @Nullable List<T> entries, List<String> found) {
        List<T> given = NullSafe.list(entries);
        if (entries != null && given.size() < entries.size()) {
            found.add("spec." + field + ": an entry is null; remove it");
        }
        return given;
    }

    private static Optional<Selector.Operator> operator(String text) {
        return switch (text) {
            case "In" -> Optional.of(Selector.Operator.IN);
            case "NotIn" -> Optional.of(Selector.Operator.NOT_IN);
            case "Exists" -> Optional.of(Selector.Operator.EXISTS);
            case "DoesNotExist" -> Optional.of(Selector.Operator.DOES_NOT_EXIST);
            default -> Optional.empty();
        };
    }
}
