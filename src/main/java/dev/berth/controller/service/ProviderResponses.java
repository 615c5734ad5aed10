package dev.berth.controller.service;

import dev.berth.loadbalancer.OneLine;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what providers answer and throw, whatever they are made of: without null, with texts that can be shown and delays
 * that can be kept. Run it where the call is made: lists and exceptions may be the provider's own classes, and hang.
 */
final class ProviderResponses {
    static final Duration SHORTEST_DELAY = Duration.ofSeconds(1);
    static final Duration LONGEST_DELAY = Duration.ofHours(1);

    private static final int MOST_LISTED = 100_000;
    private static final Pattern PRINTED = Pattern.compile("[\\x21-\\x7e]{1,253}");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern UID = Pattern.compile("[-A-Za-z0-9_.]{1,253}");

    private ProviderResponses() {}

    /** The same, checked and complete; throws if a part of it is missing. */
    static EnsureOutcome of(@Nullable EnsureOutcome outcome) {
        return switch (outcome) {
            case null -> throw nothing("ensureLoadBalancer");
            case EnsureOutcome.Ready ready -> {
                requireWhole("ensureLoadBalancer", ready.status());
                yield outcome;
            }
            case EnsureOutcome.Pending pending ->
                EnsureOutcome.pending(delay(pending.retryAfter()), text(pending.message()));
            case EnsureOutcome.ImplementedElsewhere elsewhere -> elsewhere;
        };
    }

    @SuppressWarnings({"OptionalAssignedToNull", "NullOptional", "NullableOptional"})
    static Optional<LoadBalancerStatus> of(@Nullable Optional<LoadBalancerStatus> found) {
        if (found == null) {
            throw nothing("getLoadBalancer");
        }
        found.ifPresent(status -> requireWhole("getLoadBalancer", status));
        return found;
    }

    static List<ListedLoadBalancer> of(@Nullable List<ListedLoadBalancer> listed) {
        if (listed == null) {
            throw nothing("listLoadBalancers");
        }
        List<ListedLoadBalancer> all = new ArrayList<>();
        for (ListedLoadBalancer one : listed) {
            if (all.size() == MOST_LISTED) {
                throw new ProviderException("it lists more than " + MOST_LISTED + " load balancers");
            }
            all.add(of(one));
        }
        return all;
    }

    private static ListedLoadBalancer of(@Nullable ListedLoadBalancer listed) {
        ServiceIdentity service = listed == null ? null : listed.service();
        if (listed == null || service == null) {
            throw nothing("listLoadBalancers");
        }
        // They become part of a path at the API server.
        if (!matches(NAME, service.namespace()) || !matches(NAME, service.name()) || !matches(UID, service.uid())) {
            throw new ProviderException(
                    "it lists a load balancer of \"" + text(String.valueOf(service)) + "\", which is not a Service");
        }
        return new ListedLoadBalancer(text(listed.name()), service);
    }

    private static boolean matches(Pattern pattern, @Nullable String text) {
        return text != null && pattern.matcher(text).matches();
    }

    /** What a load balancer is called; empty: the provider does not say it, or nothing that can be shown, or fails. */
    static Optional<String> name(Supplier<@Nullable String> call) {
        try {
            String name = call.get();
            return matches(PRINTED, name) ? Optional.ofNullable(name) : Optional.empty();
        } catch (Throwable unnamed) {
            return Optional.empty();
        }
    }

    private static void requireWhole(String call, @Nullable LoadBalancerStatus status) {
        if (status == null || status.portErrors().stream().anyMatch(error -> isNull(error.protocol()))) {
            throw nothing(call);
        }
    }

    private static boolean isNull(@Nullable Object part) {
        return part == null;
    }

    private static ProviderException nothing(String call) {
        return new ProviderException(
                "it answered null to " + call + ", or left a part of the answer null; correct the provider");
    }

    /** A failure, whatever it is. */
    static ProviderException failure(Throwable thrown) {
        if (thrown instanceof ProviderException told) {
            ProviderException read = ProviderException.of(told.kind(), text(told.getMessage()));
            return told.retryAfter()
                    .map(asked -> read.withRetryAfter(delay(asked)))
                    .orElse(read);
        }
        return new ProviderException("the provider failed: " + described(thrown));
    }

    /** In its own words, unless it fails at that, too. */
    private static String described(Throwable thrown) {
        try {
            return text(thrown.toString());
        } catch (Throwable broken) {
            return thrown.getClass().getName() + ", whose toString() fails with "
                    + broken.getClass().getName();
        }
    }

    private static String text(@Nullable String text) {
        String line = text == null ? "" : OneLine.of(text);
        return line.isEmpty() ? "no message" : line;
    }

    private static Duration delay(@Nullable Duration asked) {
        if (asked == null || asked.compareTo(SHORTEST_DELAY) < 0) {
            return SHORTEST_DELAY;
        }
        return asked.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : asked;
    }
}
