package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Band;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Family;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Findings;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Proposal;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Range;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Remaining;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Retiring;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Sample;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.Growth;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.Trend;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a ServiceCIDRPolicy's status says of a look at the cluster. Pure. */
record PolicyStatus(ServiceCIDRPolicy.Spec spec, Look look) {
    private static final int RANGES = 64;
    private static final int RETIRING = 16;
    private static final int FINDINGS = 20;
    private static final int NAMED = 3;
    private static final int USED_PERCENT = 80;
    private static final int DAYS_UNTIL_FULL = 14;

    /**
     * All that was found and done.
     *
     * @param history with this look in it, if it was time for another sample
     * @param reservations what is kept without a ClusterIPReservation: the address of the DNS
     */
    record Look(
            Instant at,
            Usage usage,
            List<UsageSample> history,
            List<RangeGrowth.Outcome> growth,
            List<RangeRetirement.Outcome> retirement,
            Reservations reservations,
            List<Finding> findings) {
        Forecast forecast() {
            return Forecast.of(history, usage, at);
        }
    }

    /** A condition to report; {@code bad}: a person should look at it. */
    record Report(String type, Status status, String reason, String message, boolean bad) {}

    /** The status, but for its conditions. */
    ServiceCIDRPolicy.Status of(@Nullable Long generation, List<io.fabric8.kubernetes.api.model.Condition> conditions) {
        return new ServiceCIDRPolicy.Status(
                generation,
                look.usage().ranges().stream().limit(RANGES).map(this::range).toList(),
                family(IpFamily.IPV4),
                family(IpFamily.IPV6),
                look.history().stream().map(PolicyStatus::text).toList(),
                nullIfEmpty(
                        look.growth().stream().flatMap(PolicyStatus::proposal).toList()),
                nullIfEmpty(look.retirement().stream()
                        .limit(RETIRING)
                        .map(PolicyStatus::retiring)
                        .toList()),
                findings(),
                conditions);
    }

    private static <T> @Nullable List<T> nullIfEmpty(List<T> list) {
        return list.isEmpty() ? null : list;
    }

    /** The history that a status has. */
    static List<UsageSample> history(ServiceCIDRPolicy.@Nullable Status status) {
        return status == null || status.history() == null
                ? List.of()
                : status.history().stream()
                        .flatMap(sample -> sample(sample).stream())
                        .toList();
    }

    /** Absent: somebody has edited it, and it is none. */
    private static Optional<UsageSample> sample(@Nullable Sample sample) {
        if (sample == null) {
            return Optional.empty();
        }
        Optional<Instant> at = time(sample.at());
        Map<String, Long> staticBand = sample.staticBand();
        Map<String, Long> dynamicBand = sample.dynamicBand();
        return at.isEmpty() || staticBand == null || dynamicBand == null
                ? Optional.empty()
                : Optional.of(new UsageSample(at.get(), staticBand, dynamicBand));
    }

    private static Sample text(UsageSample sample) {
        return new Sample(seconds(sample.at()), sample.staticBand(), sample.dynamicBand());
    }

    private static String seconds(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private Range range(Usage.OfRange range) {
        return new Range(
                range.serviceCidr(),
                range.range().toString(),
                range.state().toString(),
                band(range.staticBand(), look.forecast().staticBand(range.range())),
                band(range.dynamicBand(), look.forecast().dynamicBand(range.range())),
                Optional.ofNullable(range.largestFreeStaticBlock())
                        .map(block -> block.lower() + "-" + block.upper())
                        .orElse(null));
    }

    private static Band band(Usage.Count count, Trend trend) {
        return new Band(
                count.size().toString(),
                Long.toString(count.allocated()),
                count.free().toString(),
                growth(trend),
                fullOn(trend));
    }

    private @Nullable Family family(IpFamily family) {
        Trend trend = look.forecast().family(family);
        return look.usage()
                .family(family)
                .map(count -> new Family(
                        count.size().toString(),
                        Long.toString(count.allocated()),
                        count.free().toString(),
                        count.usedPercent(),
                        growth(trend),
                        fullOn(trend)))
                .orElse(null);
    }

    private static @Nullable String growth(Trend trend) {
        return trend.growthPerDay() == null ? null : trend.growthPerDay().toPlainString();
    }

    private static @Nullable String fullOn(Trend trend) {
        return trend.fullOn() == null ? null : trend.fullOn().toString();
    }

    private static Stream<Proposal> proposal(RangeGrowth.Outcome outcome) {
        return switch (outcome) {
            case RangeGrowth.Outcome.Proposed(var family, String name, var range) ->
                Stream.of(new Proposal(name, range.toString(), "dry run: it would be made for " + family));
            case RangeGrowth.Outcome.Created(var family, String name, var range) ->
                Stream.of(new Proposal(name, range.toString(), "made for " + family));
            case RangeGrowth.Outcome.Enough(var family, int usedPercent, Growth.Next(String name, var range)) ->
                Stream.of(new Proposal(name, range.toString(), "next for " + family + ", once it is needed"));
            case RangeGrowth.Outcome.Held held -> Stream.empty();
        };
    }

    private static Retiring retiring(RangeRetirement.Outcome outcome) {
        Retirement retirement = outcome.retirement();
        return new Retiring(
                retirement.name(),
                retirement.remaining(),
                retirement.first().stream()
                        .map(left -> new Remaining(
                                left.ip().toString(), left.owner(), left.needs().toString()))
                        .toList(),
                objection(outcome).or(() -> waiting(outcome)).orElse(null));
    }

    private static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException noTime) {
            return Optional.empty();
        }
    }

    /** Why it is not being deleted; absent: it is, or will be. */
    static Optional<String> objection(RangeRetirement.Outcome outcome) {
        return switch (outcome.retirement().verdict()) {
            case Retirement.Verdict.Refused(String message) -> Optional.of(message);
            case Retirement.Verdict.NoRoom(String message) -> Optional.of(message);
            default -> outcome.failure();
        };
    }

    private static Optional<String> waiting(RangeRetirement.Outcome outcome) {
        return outcome.retirement().verdict() instanceof Retirement.Verdict.Waiting(String message)
                ? Optional.of(message)
                : Optional.empty();
    }

    private @Nullable Findings findings() {
        return look.findings().isEmpty()
                ? null
                : new Findings(
                        look.findings().size(),
                        look.findings().stream()
                                .limit(FINDINGS)
                                .map(finding -> new ServiceCIDRPolicy.Finding(
                                        finding.reason().severity().toString(),
                                        finding.reason().toString(),
                                        finding.object(),
                                        finding.message()))
                                .toList());
    }

    /** What there is to say, in conditions. */
    List<Report> reports() {
        List<Report> reports = new ArrayList<>();
        reports.add(
                new Report("Served", Status.TRUE, "Served", "the API server serves ServiceCIDR and IPAddress", false));
        reports.add(fillingUp());
        grown().ifPresent(reports::add);
        retired().ifPresent(reports::add);
        reserved().ifPresent(reports::add);
        reports.add(sound());
        return reports;
    }

    /**
     * Whether a condition keeps the policy from being ready: something that its spec asks for is not done. A dry run is
     * what the spec asks for, and how full the ranges are and what the audit finds is about the cluster.
     */
    static boolean decides(Report report) {
        return switch (report.type()) {
            case "Served", "Reserved" -> true;
            case "Growth" -> report.bad() && !report.reason().equals("DryRun");
            default -> false;
        };
    }

    private Report fillingUp() {
        List<String> warnings = Stream.of(IpFamily.values())
                .flatMap(family -> warning(family).stream())
                .toList();
        List<String> consumed = look.usage().ranges().stream()
                .filter(Usage.OfRange::isStaticBandConsumed)
                .map(range -> range.range() + ": the dynamic band is full, and any Service may get one of the "
                        + range.staticBand().free() + " free addresses of the static band; keep those that you need by"
                        + " ClusterIPReservations")
                .toList();
        if (warnings.isEmpty() && !consumed.isEmpty()) {
            return new Report("CapacityLow", Status.TRUE, "DynamicBandFull", String.join("; ", consumed), true);
        }
        if (warnings.isEmpty()) {
            return new Report("CapacityLow", Status.FALSE, "Enough", "there are enough free addresses", false);
        }
        boolean full = Stream.of(IpFamily.values()).anyMatch(look.usage()::isFull);
        return new Report("CapacityLow", Status.TRUE, full ? "Full" : "NearlyFull", String.join("; ", warnings), true);
    }

    private Optional<String> warning(IpFamily family) {
        return look.usage().isFull(family)
                ? Optional.of("no " + family + " address is free: no Service that needs one can be created; "
                        + (grows(family)
                                ? "Berth makes another range, unless the condition Growth says why not"
                                : "make another ServiceCIDR, or have Berth do it in time by spec.growth"))
                : look.usage().family(family).flatMap(count -> warning(family, count));
    }

    private boolean grows(IpFamily family) {
        ServiceCIDRPolicy.Growth growth = spec.growth();
        return growth != null && (family == IpFamily.IPV4 ? growth.ipv4() : growth.ipv6()) != null;
    }

    private Optional<String> warning(IpFamily family, Usage.Count count) {
        ServiceCIDRPolicy.Warnings asked = spec.warnings();
        int percent = asked == null ? USED_PERCENT : Objects.requireNonNullElse(asked.usedPercent(), USED_PERCENT);
        int days = asked == null ? DAYS_UNTIL_FULL : Objects.requireNonNullElse(asked.daysUntilFull(), DAYS_UNTIL_FULL);
        LocalDate fullOn = look.forecast().family(family).fullOn();
        LocalDate horizon = LocalDate.ofInstant(look.at().plus(Duration.ofDays(days)), ZoneOffset.UTC);
        boolean much = count.usedPercent() >= percent;
        boolean soon = fullOn != null && !fullOn.isAfter(horizon);
        return (much || soon) && count.size().signum() > 0
                ? Optional.of(family + ": " + count.usedPercent() + " percent in use, " + count.free() + " free"
                        + (fullOn == null ? "" : ", full on " + fullOn))
                : Optional.empty();
    }

    /** Of two families, what is worse for either comes first. */
    private Optional<Report> grown() {
        if (look.growth().isEmpty()) {
            return Optional.ofNullable(spec.growth())
                    .map(settings -> new Report(
                            "Growth",
                            Status.FALSE,
                            "InvalidSettings",
                            "spec.growth names no family: add ipv4 or ipv6",
                            true));
        }
        List<Report> each = look.growth().stream()
                .sorted(Comparator.comparingInt(PolicyStatus::urgency))
                .flatMap(outcome -> grown(outcome).stream())
                .toList();
        return Optional.of(
                each.isEmpty()
                        ? new Report("Growth", Status.TRUE, "Enough", "no family needs another range yet", false)
                        : new Report(
                                "Growth",
                                each.getFirst().status(),
                                each.getFirst().reason(),
                                each.stream().map(Report::message).collect(Collectors.joining("; ")),
                                each.stream().anyMatch(Report::bad)));
    }

    private static int urgency(RangeGrowth.Outcome outcome) {
        return switch (outcome) {
            case RangeGrowth.Outcome.Held held -> held.due() ? 0 : 2;
            case RangeGrowth.Outcome.Proposed proposed -> 1;
            case RangeGrowth.Outcome.Created created -> 3;
            case RangeGrowth.Outcome.Enough enough -> 4;
        };
    }

    /** Absent: there is nothing to say of the family. */
    private static Optional<Report> grown(RangeGrowth.Outcome outcome) {
        return switch (outcome) {
            case RangeGrowth.Outcome.Held held ->
                Optional.of(new Report("Growth", Status.FALSE, held.reason(), held.message(), held.due()));
            case RangeGrowth.Outcome.Proposed(var family, String name, var range) ->
                Optional.of(new Report(
                        "Growth",
                        Status.FALSE,
                        "DryRun",
                        "would make ServiceCIDR \"" + name + "\" of " + range
                                + "; to have it made, tell firewalls and network plug-ins of it, and set"
                                + " spec.growth.dryRun to false",
                        true));
            case RangeGrowth.Outcome.Created(var family, String name, var range) ->
                Optional.of(new Report(
                        "Growth", Status.TRUE, "Created", "made ServiceCIDR \"" + name + "\" of " + range, false));
            case RangeGrowth.Outcome.Enough enough -> Optional.empty();
        };
    }

    private Optional<Report> retired() {
        if (look.retirement().isEmpty()) {
            return Optional.empty();
        }
        List<String> refused = retirements(PolicyStatus::objection);
        List<String> waiting = retirements(PolicyStatus::waiting);
        List<String> draining = retirements(PolicyStatus::draining);
        String message =
                Stream.of(refused, waiting, draining).flatMap(List::stream).collect(Collectors.joining("; "));
        if (!refused.isEmpty()) {
            return Optional.of(new Report("Retired", Status.FALSE, "Refused", message, true));
        }
        if (!waiting.isEmpty()) {
            return Optional.of(new Report("Retired", Status.FALSE, "Waiting", message, false));
        }
        return Optional.of(new Report("Retired", Status.FALSE, "Draining", message, false));
    }

    private List<String> retirements(Function<RangeRetirement.Outcome, Optional<String>> text) {
        return look.retirement().stream()
                .flatMap(outcome -> text.apply(outcome).stream())
                .toList();
    }

    /** Who is left in a range that is being deleted; absent: it is not. */
    private static Optional<String> draining(RangeRetirement.Outcome outcome) {
        Retirement retirement = outcome.retirement();
        return switch (retirement.verdict()) {
            case Retirement.Verdict.Draining draining -> Optional.of(left(retirement));
            case Retirement.Verdict.Delete delete when outcome.failure().isEmpty() -> Optional.of(left(retirement));
            default -> Optional.empty();
        };
    }

    private static String left(Retirement retirement) {
        return "ServiceCIDR \"" + retirement.name() + "\": "
                + (retirement.remaining() == 0
                        ? "empty, it goes in a moment"
                        : retirement.remaining() + (retirement.remaining() == 1 ? " address" : " addresses")
                                + " in use, such as "
                                + retirement.first().stream()
                                        .limit(NAMED)
                                        .map(one -> one.ip() + " of " + one.owner() + " ("
                                                + one.needs().advice() + ")")
                                        .collect(Collectors.joining(", ")));
    }

    private Optional<Report> reserved() {
        if (look.reservations().outcomes().isEmpty()) {
            return Optional.empty();
        }
        List<String> failed = look.reservations().outcomes().stream()
                .flatMap(PolicyStatus::fault)
                .toList();
        return Optional.of(
                failed.isEmpty()
                        ? new Report(
                                "Reserved", Status.TRUE, "Reserved", "the address of the cluster's DNS is kept", false)
                        : new Report("Reserved", Status.FALSE, "NotKept", firstOf(failed), true));
    }

    private static Stream<String> fault(Reservations.Outcome outcome) {
        return switch (outcome.state()) {
            case Reservations.State.Taken(String by) ->
                Stream.of(outcome.reservation().address() + ": " + by + " has it");
            case Reservations.State.Refused(String message) -> Stream.of(message);
            default -> Stream.empty();
        };
    }

    private Report sound() {
        List<Finding> findings = look.findings();
        return findings.isEmpty()
                ? new Report("Healthy", Status.TRUE, "NothingFound", "the audit found nothing", false)
                : new Report(
                        "Healthy",
                        Status.FALSE,
                        findings.getFirst().reason().toString(),
                        firstOf(findings.stream().map(Finding::message).toList()),
                        true);
    }

    private static String firstOf(List<String> messages) {
        String named = messages.stream().limit(NAMED).collect(Collectors.joining("; "));
        return messages.size() > NAMED ? named + "; and " + (messages.size() - NAMED) + " more" : named;
    }
}
