package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.Usage;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a ServiceCIDRPolicy's conditions say of a look at the cluster. Pure. */
record PolicyConditions(ServiceCIDRPolicy.Spec spec, PolicyStatus.Look look) {
    private static final int NAMED = 3;
    private static final int USED_PERCENT = 80;
    private static final int DAYS_UNTIL_FULL = 14;

    /** A condition to report; {@code bad}: a person should look at it. */
    record Report(String type, Status status, Reason reason, String message, boolean bad) {}

    /** What there is to say, in conditions. */
    List<Report> reports() {
        List<Report> reports = new ArrayList<>();
        reports.add(new Report(
                "Served", Status.TRUE, Reason.Served, "the API server serves ServiceCIDR and IPAddress", false));
        reports.add(capacityLow());
        grown().ifPresent(reports::add);
        retired().ifPresent(reports::add);
        reserved().ifPresent(reports::add);
        reports.add(healthy());
        return reports;
    }

    /**
     * Whether a condition keeps the policy from being ready: something that its spec asks for is not done. A dry run is
     * what the spec asks for, and how full the ranges are and what the audit finds is about the cluster.
     */
    static boolean decides(Report report) {
        return switch (report.type()) {
            case "Served", "Reserved" -> true;
            case "Growth" -> report.bad() && report.reason() != Reason.DryRun;
            default -> false;
        };
    }

    private Report capacityLow() {
        List<String> warnings = Stream.of(IpFamily.values())
                .flatMap(family -> warning(family).stream())
                .toList();
        List<String> consumed = look.usage().ranges().stream()
                .filter(Usage.OfRange::isStaticBandConsumed)
                .map(range -> range.range() + ": the dynamic band is full, and any Service may get one of the "
                        + range.staticBand().free() + " free addresses of the static band; reserve the addresses that"
                        + " you need with ClusterIPReservations")
                .toList();
        if (warnings.isEmpty() && !consumed.isEmpty()) {
            return new Report("CapacityLow", Status.TRUE, Reason.DynamicBandFull, String.join("; ", consumed), true);
        }
        if (warnings.isEmpty()) {
            return new Report("CapacityLow", Status.FALSE, Reason.Enough, "there are enough free addresses", false);
        }
        boolean full = Stream.of(IpFamily.values()).anyMatch(look.usage()::isFull);
        return new Report(
                "CapacityLow", Status.TRUE, full ? Reason.Full : Reason.NearlyFull, String.join("; ", warnings), true);
    }

    private Optional<String> warning(IpFamily family) {
        return look.usage().isFull(family)
                ? Optional.of("no " + family + " address is free: no Service that needs one can be created; "
                        + (grows(family)
                                ? "Berth creates another range, unless the condition Growth shows why not"
                                : "create another ServiceCIDR, or let Berth do it in time with spec.growth"))
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
                            Reason.InvalidSettings,
                            "spec.growth names no family: add ipv4 or ipv6",
                            true));
        }
        List<Report> each = look.growth().stream()
                .sorted(Comparator.comparingInt(PolicyConditions::urgency))
                .flatMap(outcome -> grown(outcome).stream())
                .toList();
        return Optional.of(
                each.isEmpty()
                        ? new Report("Growth", Status.TRUE, Reason.Enough, "no family needs another range yet", false)
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
                        Reason.DryRun,
                        "would create ServiceCIDR \"" + name + "\" of " + range
                                + "; to have it created, add it to firewalls and network plug-ins, and set"
                                + " spec.growth.dryRun to false",
                        true));
            case RangeGrowth.Outcome.Created(var family, String name, var range) ->
                Optional.of(new Report(
                        "Growth",
                        Status.TRUE,
                        Reason.RangeCreated,
                        "created ServiceCIDR \"" + name + "\" of " + range,
                        false));
            case RangeGrowth.Outcome.Enough enough -> Optional.empty();
        };
    }

    private Optional<Report> retired() {
        if (look.retirement().isEmpty()) {
            return Optional.empty();
        }
        List<String> refused = retirements(RangeRetirement.Outcome::objection);
        List<String> waiting = retirements(RangeRetirement.Outcome::waiting);
        List<String> draining = retirements(PolicyConditions::draining);
        String message =
                Stream.of(refused, waiting, draining).flatMap(List::stream).collect(Collectors.joining("; "));
        if (!refused.isEmpty()) {
            return Optional.of(new Report("Retired", Status.FALSE, Reason.RetirementRefused, message, true));
        }
        if (!waiting.isEmpty()) {
            return Optional.of(new Report("Retired", Status.FALSE, Reason.Waiting, message, false));
        }
        return Optional.of(new Report("Retired", Status.FALSE, Reason.RangeDraining, message, false));
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
                        ? "empty, it is removed in a moment"
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
                .flatMap(PolicyConditions::fault)
                .toList();
        return Optional.of(
                failed.isEmpty()
                        ? new Report(
                                "Reserved", Status.TRUE, Reason.Reserved, "the cluster DNS address is reserved", false)
                        : new Report("Reserved", Status.FALSE, Reason.NotKept, firstOf(failed), true));
    }

    private static Stream<String> fault(Reservations.Outcome outcome) {
        return switch (outcome.state()) {
            case Reservations.State.Taken(String by) ->
                Stream.of(outcome.reservation().address() + ": " + by + " has it");
            case Reservations.State.Refused(String message) -> Stream.of(message);
            default -> Stream.empty();
        };
    }

    private Report healthy() {
        List<Finding> findings = look.findings();
        return findings.isEmpty()
                ? new Report("Healthy", Status.TRUE, Reason.NothingFound, "the audit found nothing", false)
                : new Report(
                        "Healthy",
                        Status.FALSE,
                        findings.getFirst().fault().reason(),
                        firstOf(findings.stream().map(Finding::message).toList()),
                        true);
    }

    private static String firstOf(List<String> messages) {
        String named = messages.stream().limit(NAMED).collect(Collectors.joining("; "));
        return messages.size() > NAMED ? named + "; and " + (messages.size() - NAMED) + " more" : named;
    }
}
