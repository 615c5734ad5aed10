package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy.FamilyGrowth;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.controller.Backoff;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.Growth;
import dev.berth.servicecidr.GrowthSettings;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the next range before the last one of a family is full, or says which it would make. */
final class RangeGrowth {
    private static final Logger LOG = LoggerFactory.getLogger(RangeGrowth.class);
    static final int THRESHOLD = 80;
    private static final int MAXIMUM = 4;

    private static final String NOTHING_EXCLUDED =
            "spec.growth.excluded is empty: before dryRun is false, name there the"
                    + " network of the Pods, which Nodes need not say and later Nodes may get more of, and what else Services"
                    + " have to reach";

    /** For so long it is not asked again what is in the way of a range that is not needed yet. */
    private static final Duration KNOWN = Duration.ofMinutes(1);

    /** For so long a range that somebody deleted is not made again: both would go on without end. */
    private static final Duration DELETED = Duration.ofMinutes(1);

    /** What came of a look at one family. */
    sealed interface Outcome {
        IpFamily family();

        /** There is no need yet; {@code next} would be made then. */
        record Enough(IpFamily family, int usedPercent, Growth.Next next) implements Outcome {}

        /** It would be made if this were no dry run. */
        record Proposed(IpFamily family, String name, ServiceRange range) implements Outcome {}

        /** It is there, or will be in a moment. */
        record Created(IpFamily family, String name, ServiceRange range) implements Outcome {}

        /**
         * It is not there, and does not come.
         *
         * @param due whether it is needed by now
         * @param name of the range that could not be made; null: there is none to make
         */
        record Held(
                IpFamily family,
                Reason reason,
                String message,
                boolean due,
                @Nullable String name) implements Outcome {}
    }

    /** All that a plan is made of, but for what is taken. */
    private record Question(GrowthSettings settings, List<String> excluded, List<ServiceCidr> cidrs) {}

    private record Known(Question question, Growth.Plan plan, Instant until) {}

    /** A range that Berth made; {@code seen}: a look has found it since. */
    private record Made(Instant at, boolean seen) {}

    private final ClusterNetwork network;
    private final Supplier<List<ExcludedNetwork>> taken;
    private final InstantSource clock;
    private final Retries<String, Outcome.Held> retries;
    private final Map<IpFamily, Known> plans = new EnumMap<>(IpFamily.class);
    private final Map<IpFamily, BigInteger> room = new EnumMap<>(IpFamily.class);
    private final Map<String, Made> made = new TreeMap<>();

    /**
     * @param taken what no range may overlap, but ServiceCIDRs and what the policy names itself
     */
    RangeGrowth(ClusterNetwork network, Supplier<List<ExcludedNetwork>> taken, Backoff backoff, InstantSource clock) {
        this.network = network;
        this.taken = taken;
        this.clock = clock;
        this.retries = new Retries<>(backoff, clock);
    }

    /** Looks at each family that may grow. */
    List<Outcome> grow(Spec spec, List<ServiceCidr> cidrs) {
        made.values().removeIf(one -> !clock.instant().isBefore(one.at().plus(DELETED)));
        cidrs.forEach(cidr -> made.computeIfPresent(cidr.name(), (name, one) -> new Made(one.at(), true)));
        List<Outcome> outcomes = new ArrayList<>();
        if (spec.growth() != null) {
            Optional.ofNullable(spec.growth().ipv4())
                    .ifPresent(ipv4 -> outcomes.add(grow(spec, settings(IpFamily.IPV4, ipv4), cidrs)));
            Optional.ofNullable(spec.growth().ipv6())
                    .ifPresent(ipv6 -> outcomes.add(grow(spec, settings(IpFamily.IPV6, ipv6), cidrs)));
        }
        room.clear();
        if (!isDryRun(spec)) {
            outcomes.forEach(this::addRoom);
        }
        retries.retain(outcomes.stream().flatMap(RangeGrowth::unmade).toList());
        return outcomes;
    }

    private void addRoom(Outcome outcome) {
        Known known = plans.get(outcome.family());
        boolean grows = outcome instanceof Outcome.Enough || outcome instanceof Outcome.Created;
        if (grows
                && known != null
                && known.plan() instanceof Growth.Plan.Make(Growth.Next next, BigInteger addresses)) {
            room.put(outcome.family(), addresses);
        }
    }

    /** How many addresses the ranges have that may still be made, and the one that was just made. */
    BigInteger room(IpFamily family) {
        return room.getOrDefault(family, BigInteger.ZERO);
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
                Objects.requireNonNullElse(asked.usedPercent(), THRESHOLD),
                Objects.requireNonNullElse(asked.maxRanges(), MAXIMUM));
    }

    private Outcome grow(Spec spec, GrowthSettings settings, List<ServiceCidr> cidrs) {
        Question question = new Question(settings, excluded(spec), cidrs);
        boolean dryRun = isDryRun(spec);
        if (!dryRun && excluded(spec).isEmpty()) {
            return new Outcome.Held(settings.family(), Reason.InvalidSettings, NOTHING_EXCLUDED, true, null);
        }
        Growth growth = network.askClusterIps(ips -> decide(question, ips, List.of(), this::known));
        if (dryRun || !(growth instanceof Growth.Next(String name, ServiceRange range))) {
            return outcome(settings.family(), growth);
        }
        Optional<Outcome.Held> tooEarly = retries.tooEarly(name);
        return tooEarly.isPresent()
                ? tooEarly.get()
                : makeByLive(spec, settings)
                        .orElse(message -> failed(
                                settings.family(),
                                name,
                                range,
                                Reason.RangeCreationFailed,
                                "the API server cannot be asked before: " + message));
    }

    private Read<Outcome> makeByLive(Spec spec, GrowthSettings settings) {
        List<IpRange> supernets = settings.supernets().stream()
                .flatMap(text -> IpRange.find(text).stream())
                .toList();
        return LiveRanges.read(network)
                .then(live -> network.readTaken(supernets)
                        .then(others -> network.readPods(supernets)
                                .then(pods -> new Read.Found<>(make(
                                        new Question(settings, excluded(spec), live.cidrs()),
                                        live.ips(),
                                        Stream.concat(others.stream(), pods.stream())
                                                .toList())))));
    }

    /** What was not in the way when the plan was made may be now. */
    private Outcome make(Question question, ClusterIps live, List<ExcludedNetwork> found) {
        IpFamily family = question.settings().family();
        Growth growth = decide(question, live, found, this::plan);
        if (!(growth instanceof Growth.Next(String name, ServiceRange range))) {
            return outcome(family, growth);
        }
        Made before = made.get(name);
        return before != null && before.seen() ? deleted(family, name) : create(family, name, range);
    }

    private static Outcome deleted(IpFamily family, String name) {
        return new Outcome.Held(
                family,
                Reason.RangeDeleted,
                "somebody has deleted ServiceCIDR \"" + name + "\", which was created less than " + DELETED.toSeconds()
                        + " s ago; after that it is recreated, if it is still needed",
                true,
                null);
    }

    private static Outcome outcome(IpFamily family, Growth growth) {
        return switch (growth) {
            case Growth.Enough(int usedPercent, Growth.Next next) -> new Outcome.Enough(family, usedPercent, next);
            case Growth.Next(String name, ServiceRange range) -> new Outcome.Proposed(family, name, range);
            case Growth.Held(Growth.Why why, String message, boolean due) ->
                new Outcome.Held(family, why.reason(), message, due, null);
        };
    }

    static boolean isDryRun(Spec spec) {
        return spec.growth() == null || !Boolean.FALSE.equals(spec.growth().dryRun());
    }

    private Growth decide(
            Question question,
            ClusterIps ips,
            List<ExcludedNetwork> found,
            BiFunction<Question, Growth.World, Growth.Plan> plan) {
        Growth.World world = new Growth.World(question.cidrs(), ips, () -> excluded(question, found));
        return Growth.of(question.settings(), world, plan.apply(question, world));
    }

    /** Nodes and AddressPools may be many, and a look is taken whenever a Service comes or goes. */
    private Growth.Plan known(Question question, Growth.World world) {
        Known known = plans.get(question.settings().family());
        return known != null
                        && known.question().equals(question)
                        && clock.instant().isBefore(known.until())
                ? known.plan()
                : plan(question, world);
    }

    private Growth.Plan plan(Question question, Growth.World world) {
        Growth.Plan plan = question.excluded().stream()
                .filter(text -> IpRange.find(text).isEmpty())
                .findFirst()
                .<Growth.Plan>map(text -> new Growth.Plan.Nothing(
                        Growth.Why.INVALID_SETTINGS,
                        "spec.growth.excluded: " + text + " is not a CIDR; no bits may be set beyond its prefix"))
                .orElseGet(() -> Growth.plan(question.settings(), world));
        plans.put(
                question.settings().family(),
                new Known(question, plan, clock.instant().plus(KNOWN)));
        return plan;
    }

    private List<ExcludedNetwork> excluded(Question question, List<ExcludedNetwork> found) {
        return Stream.of(
                        taken.get().stream(),
                        question.excluded().stream()
                                .map(text -> new ExcludedNetwork("spec.growth.excluded", IpRange.parse(text))),
                        found.stream())
                .flatMap(all -> all)
                .toList();
    }

    private static List<String> excluded(Spec spec) {
        return spec.growth() == null
                ? List.of()
                : Objects.requireNonNullElse(spec.growth().excluded(), List.of());
    }

    private Outcome create(IpFamily family, String name, ServiceRange range) {
        return switch (network.createServiceCidr(name, range)) {
            case Write.Done<ServiceCidr> done -> {
                LOG.info("created ServiceCIDR \"{}\", {}", name, range);
                made.put(name, new Made(clock.instant(), false));
                yield new Outcome.Created(family, name, range);
            }
            // Made before, and not seen yet: the name says which range it is.
            case Write.Conflict<ServiceCidr> exists -> new Outcome.Created(family, name, range);
            case Write.Refused<ServiceCidr>(String message) -> failed(family, name, range, Reason.Forbidden, message);
            case Write.NotFound<ServiceCidr>(String message) -> failed(family, name, range, Reason.Forbidden, message);
            case Write.Unknown<ServiceCidr>(String message) ->
                failed(family, name, range, Reason.RangeCreationFailed, message);
        };
    }

    private Outcome failed(IpFamily family, String name, ServiceRange range, Reason reason, String message) {
        Outcome.Held failure = new Outcome.Held(
                family, reason, "cannot make ServiceCIDR \"" + name + "\" of " + range + ": " + message, true, name);
        LOG.warn("{}", failure.message());
        return retries.failed(name, failure);
    }
}
