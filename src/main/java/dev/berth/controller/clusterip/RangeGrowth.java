package dev.berth.controller.clusterip;

import dev.berth.address.IpFamily;
import dev.berth.address.IpRange;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.FamilyGrowth;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.clusterip.Avoided;
import dev.berth.clusterip.Growth;
import dev.berth.clusterip.GrowthSettings;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.clusterip.ServiceRange;
import dev.berth.controller.Backoff;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Write;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the next range before the last one of a family is full, or says which it would make. */
final class RangeGrowth {
    private static final Logger LOG = LoggerFactory.getLogger(RangeGrowth.class);
    private static final int THRESHOLD = 80;
    private static final int MAXIMUM = 4;

    /** What came of a look at one family. */
    sealed interface Outcome {
        IpFamily family();

        /** There is no need. */
        record Enough(IpFamily family, int usedPercent) implements Outcome {}

        /** It would be made if this were no dry run. */
        record Proposed(IpFamily family, String name, ServiceRange range) implements Outcome {}

        /** It is there, or will be in a moment. */
        record Created(IpFamily family, String name, ServiceRange range) implements Outcome {}

        /**
         * It is needed, and not there.
         *
         * @param name of the range that could not be made; null: there is none to make
         */
        record Held(
                IpFamily family,
                String reason,
                String message,
                @Nullable String name) implements Outcome {}
    }

    private final ClusterNetwork network;
    private final Supplier<List<Avoided>> taken;
    private final Retries<String, Outcome.Held> retries;

    /**
     * Wires it.
     *
     * @param taken what no range may overlap, but ServiceCIDRs and what the policy names itself
     */
    RangeGrowth(ClusterNetwork network, Supplier<List<Avoided>> taken, Backoff backoff, InstantSource clock) {
        this.network = network;
        this.taken = taken;
        this.retries = new Retries<>(backoff, clock);
    }

    /** Looks at each family that may grow. */
    List<Outcome> grow(Spec spec, List<ServiceCidr> cidrs) {
        List<Outcome> outcomes = new ArrayList<>();
        if (spec.growth() != null) {
            Optional.ofNullable(spec.growth().ipv4())
                    .ifPresent(ipv4 -> outcomes.add(grow(spec, settings(IpFamily.IPV4, ipv4), cidrs)));
            Optional.ofNullable(spec.growth().ipv6())
                    .ifPresent(ipv6 -> outcomes.add(grow(spec, settings(IpFamily.IPV6, ipv6), cidrs)));
        }
        retries.retain(outcomes.stream().flatMap(RangeGrowth::unmade).toList());
        return outcomes;
    }

    /** When to try again what failed; absent: nothing did. */
    Optional<Instant> again() {
        return retries.again();
    }

    /** The name of the range that could not be made. */
    private static Stream<String> unmade(Outcome outcome) {
        return outcome instanceof Outcome.Held held ? Stream.ofNullable(held.name()) : Stream.empty();
    }

    private static GrowthSettings settings(IpFamily family, FamilyGrowth asked) {
        return new GrowthSettings(
                family,
                asked.supernets(),
                asked.prefixLength(),
                Objects.requireNonNullElse(asked.threshold(), THRESHOLD),
                Objects.requireNonNullElse(asked.maximum(), MAXIMUM));
    }

    private Outcome grow(Spec spec, GrowthSettings settings, List<ServiceCidr> cidrs) {
        IpFamily family = settings.family();
        return switch (decide(spec, settings, cidrs)) {
            case Growth.Enough(int usedPercent) -> new Outcome.Enough(family, usedPercent);
            case Growth.Held(Growth.Why why, String message) -> new Outcome.Held(family, why.toString(), message, null);
            case Growth.Next(String name, ServiceRange range) ->
                isDryRun(spec) ? new Outcome.Proposed(family, name, range) : create(family, name, range);
        };
    }

    private static boolean isDryRun(Spec spec) {
        return spec.growth() == null || !Boolean.FALSE.equals(spec.growth().dryRun());
    }

    private Growth decide(Spec spec, GrowthSettings settings, List<ServiceCidr> cidrs) {
        List<Avoided> named = new ArrayList<>();
        for (String text : avoid(spec)) {
            Optional<IpRange> range = IpRange.find(text);
            if (range.isEmpty()) {
                return new Growth.Held(Growth.Why.INVALID_SETTINGS, "spec.growth.avoid: " + text + " is no CIDR");
            }
            named.add(new Avoided("spec.growth.avoid", range.get()));
        }
        LinkedHashSet<String> ours = new LinkedHashSet<>(network.madeByBerth());
        LinkedHashSet<String> retiring = new LinkedHashSet<>(Objects.requireNonNullElse(spec.retire(), List.of()));
        Supplier<List<Avoided>> avoided =
                () -> Stream.concat(taken.get().stream(), named.stream()).toList();
        return network.askClusterIps(ips -> Growth.of(settings, new Growth.World(cidrs, ours, retiring, ips, avoided)));
    }

    private static List<String> avoid(Spec spec) {
        return spec.growth() == null
                ? List.of()
                : Objects.requireNonNullElse(spec.growth().avoid(), List.of());
    }

    private Outcome create(IpFamily family, String name, ServiceRange range) {
        Optional<Outcome.Held> tooEarly = retries.tooEarly(name);
        if (tooEarly.isPresent()) {
            return tooEarly.get();
        }
        return switch (network.createServiceCidr(name, range)) {
            case Write.Done<ServiceCidr> done -> {
                LOG.info("made ServiceCIDR \"{}\", {}", name, range);
                yield new Outcome.Created(family, name, range);
            }
            // Made before, and not heard of yet: the name says which range it is.
            case Write.Conflict<ServiceCidr> exists -> new Outcome.Created(family, name, range);
            case Write.Refused<ServiceCidr>(String message) -> failed(family, name, range, "Forbidden", message);
            case Write.NotFound<ServiceCidr>(String message) -> failed(family, name, range, "Forbidden", message);
            case Write.Unknown<ServiceCidr>(String message) -> failed(family, name, range, "Failed", message);
        };
    }

    private Outcome failed(IpFamily family, String name, ServiceRange range, String reason, String message) {
        Outcome.Held told = new Outcome.Held(
                family, reason, "cannot make ServiceCIDR \"" + name + "\" of " + range + ": " + message, name);
        LOG.warn("{}", told.message());
        return retries.failed(name, told);
    }
}
