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
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.Growth;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.Trend;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a ServiceCIDRPolicy's status says of a look at the cluster, but for its {@link PolicyConditions}. Pure. */
record PolicyStatus(Look look) {
    private static final int RANGES = 64;
    private static final int RETIRING = 16;
    private static final int FINDINGS = 20;

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
                outcome.objection().or(outcome::waiting).orElse(null));
    }

    private static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException noTime) {
            return Optional.empty();
        }
    }

    private @Nullable Findings findings() {
        return look.findings().isEmpty()
                ? null
                : new Findings(
                        look.findings().size(),
                        look.findings().stream()
                                .limit(FINDINGS)
                                .map(finding -> new ServiceCIDRPolicy.Finding(
                                        finding.fault().severity().toString(),
                                        finding.fault().reason().name(),
                                        finding.object(),
                                        finding.message()))
                                .toList());
    }
}
