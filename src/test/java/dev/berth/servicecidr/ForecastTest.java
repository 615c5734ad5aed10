package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.IpFamily;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ForecastTest {
    private static final Instant NOW = Instant.parse("2026-06-15T09:00:00Z");
    private static final LocalDate TODAY = LocalDate.parse("2026-06-15");
    private static final ServiceRange RANGE = ServiceRange.parse("10.0.0.0/24");
    private static final Trend UNKNOWN = new Trend(null, null);

    /** {@code fixed} of the static band and {@code any} of the dynamic band of 10.0.0.0/24 are taken. */
    private static Usage usage(int fixed, int any) {
        ClusterIps ips = new ClusterIps();
        IntStream.rangeClosed(1, fixed).forEach(low -> ips.put(Sample.ip("10.0.0." + low)));
        IntStream.rangeClosed(17, 16 + any).forEach(low -> ips.put(Sample.ip("10.0.0." + low)));
        return Usage.of(List.of(SampleCidrs.ready("a", RANGE.toString())), ips);
    }

    private static UsageSample before(Duration ago, int fixed, int any) {
        return UsageSample.of(usage(fixed, any), NOW.minus(ago));
    }

    private static Forecast forecast(Usage usage, UsageSample... history) {
        return Forecast.of(List.of(history), usage, NOW);
    }

    private static Trend trend(String perDay, String fullOn) {
        return new Trend(new BigDecimal(perDay), LocalDate.parse(fullOn));
    }

    @Test
    void eachBand_theRangeAndTheFamily_haveTheirOwnTrend() {
        Forecast forecast = forecast(usage(6, 58), before(Duration.ofDays(2), 4, 38));

        assertThat(forecast.staticBand(RANGE)).as("10 free at 1 a day").isEqualTo(trend("1.0", "2026-06-25"));
        assertThat(forecast.dynamicBand(RANGE)).as("180 at 10").isEqualTo(trend("10.0", "2026-07-03"));
        assertThat(forecast.range(RANGE)).as("190 at 11").isEqualTo(trend("11.0", "2026-07-02"));
        assertThat(forecast.family(IpFamily.IPV4)).isEqualTo(forecast.range(RANGE));
    }

    @Test
    void ofSeveralRanges_eachHasItsOwnTrend_andSoHasEachFamily() {
        List<ServiceCidr> cidrs = List.of(SampleCidrs.ready("b", "10.0.1.0/24"), SampleCidrs.ready("c", "fd00::/112"));
        Usage then = Usage.of(cidrs, Sample.index("10.0.1.20"));
        Usage now = Usage.of(cidrs, Sample.index("10.0.1.20", "10.0.1.21", "fd00::1", "fd00::2", "fd00::3"));

        Forecast forecast = forecast(now, UsageSample.of(then, NOW.minus(Duration.ofDays(1))));

        assertThat(forecast.dynamicBand(ServiceRange.parse("10.0.1.0/24")).growthPerDay())
                .isEqualTo("1.0");
        assertThat(forecast.staticBand(ServiceRange.parse("fd00::/112")).growthPerDay())
                .isEqualTo("3.0");
        assertThat(forecast.family(IpFamily.IPV4).growthPerDay()).isEqualTo("1.0");
        assertThat(forecast.family(IpFamily.IPV6).growthPerDay()).isEqualTo("3.0");
    }

    @Test
    void whatDoesNotGrow_isNeverFull() {
        Forecast same = forecast(usage(0, 40), before(Duration.ofDays(1), 0, 40));
        Forecast fewer = forecast(usage(0, 40), before(Duration.ofDays(1), 0, 45));

        assertThat(same.range(RANGE)).isEqualTo(new Trend(new BigDecimal("0.0"), null));
        assertThat(fewer.range(RANGE)).isEqualTo(new Trend(new BigDecimal("-5.0"), null));
    }

    @Test
    void aHistoryOfLessThanAnHour_saysNothing() {
        assertThat(forecast(usage(0, 40), before(Duration.ofMinutes(59), 0, 30)).range(RANGE))
                .isEqualTo(UNKNOWN);
        assertThat(forecast(usage(0, 40)).range(RANGE)).isEqualTo(UNKNOWN);
        assertThat(forecast(usage(0, 40), before(Duration.ofHours(1), 0, 30)).range(RANGE))
                .isEqualTo(trend("240.0", "2026-06-16"));
    }

    @Test
    void whatIsFull_isFullToday_whateverIsKnownOfThePast() {
        assertThat(forecast(usage(16, 238)).range(RANGE)).isEqualTo(new Trend(null, TODAY));
        assertThat(forecast(usage(16, 238), before(Duration.ofDays(1), 16, 238)).range(RANGE))
                .isEqualTo(new Trend(new BigDecimal("0.0"), TODAY));
    }

    @Test
    void aBandThatIsNotThere_isNeverFull() {
        ServiceRange small = ServiceRange.parse("10.0.0.0/28");
        Usage usage = Usage.of(List.of(SampleCidrs.ready("a", small.toString())), Sample.index("10.0.0.1"));

        assertThat(forecast(usage).staticBand(small)).isEqualTo(UNKNOWN);
        assertThat(forecast(usage).range(RANGE)).as("a range that is not there").isEqualTo(UNKNOWN);
        assertThat(forecast(usage).family(IpFamily.IPV6)).isEqualTo(UNKNOWN);
    }

    @Test
    void moreThanAHundredYears_isNever() {
        Usage.Count hundredYears = new Usage.Count(BigInteger.valueOf(36_525 + 1), 1);
        Usage.Count oneMore = new Usage.Count(BigInteger.valueOf(36_526 + 1), 1);
        Instant yesterday = NOW.minus(Duration.ofDays(1));

        assertThat(Trend.of(0, yesterday, 1, hundredYears, NOW)).isEqualTo(trend("1.0", "2126-06-16"));
        assertThat(Trend.of(0, yesterday, 1, oneMore, NOW)).isEqualTo(new Trend(new BigDecimal("1.0"), null));
    }

    @Test
    void aSlash64_isReckonedWithToo() {
        Usage.Count slash64 = new Usage.Count(BigInteger.TWO.pow(64).subtract(BigInteger.ONE), 50_000);

        assertThat(Trend.of(0, NOW.minus(Duration.ofDays(7)), 50_000, slash64, NOW))
                .isEqualTo(new Trend(new BigDecimal("7142.9"), null));
    }

    @Test
    void growth_isReckonedFromTheOldestSample() {
        Forecast forecast = forecast(
                usage(0, 100),
                before(Duration.ofHours(12), 0, 99),
                before(Duration.ofDays(5), 0, 50),
                before(Duration.ofDays(2), 0, 10));

        assertThat(forecast.range(RANGE).growthPerDay()).isEqualTo("10.0");
    }

    @Test
    void aRangeIsReckoned_fromTheFirstSampleThatHasIt() {
        Usage old = Usage.of(List.of(SampleCidrs.ready("b", "10.0.9.0/24")), new ClusterIps());
        Forecast forecast = forecast(
                usage(0, 100), UsageSample.of(old, NOW.minus(Duration.ofDays(5))), before(Duration.ofDays(1), 0, 60));

        assertThat(forecast.range(RANGE).growthPerDay()).isEqualTo("40.0");
    }

    @Test
    void servicesThatMovedFromARangeThatIsGone_areNoGrowthOfTheFamily() {
        ClusterIps there = Sample.index("10.0.9.1", "10.0.9.2", "10.0.9.3", "10.0.9.4");
        Usage old =
                Usage.of(List.of(SampleCidrs.ready("a", "10.0.0.0/24"), SampleCidrs.ready("b", "10.0.9.0/24")), there);

        Forecast forecast = forecast(usage(0, 6), UsageSample.of(old, NOW.minus(Duration.ofDays(1))));

        assertThat(forecast.range(RANGE).growthPerDay()).isEqualTo("6.0");
        assertThat(forecast.family(IpFamily.IPV4).growthPerDay()).isEqualTo("2.0");
    }

    @Test
    void whatTwoRangesHave_countsOnceInTheFamilysPast() {
        List<ServiceCidr> both = List.of(SampleCidrs.ready("a", "10.0.0.0/24"), SampleCidrs.ready("b", "10.0.0.0/25"));
        Usage then = Usage.of(both, Sample.index("10.0.0.20", "10.0.0.21"));
        Usage now = Usage.of(both, Sample.index("10.0.0.20", "10.0.0.21", "10.0.0.22"));

        assertThat(forecast(now, UsageSample.of(then, NOW.minus(Duration.ofDays(1))))
                        .family(IpFamily.IPV4)
                        .growthPerDay())
                .isEqualTo("1.0");
    }

    @Test
    void whatSomebodyWroteIntoTheHistory_isPassedOver() {
        UsageSample odd =
                new UsageSample(NOW.minus(Duration.ofDays(3)), Map.of("nonsense", 7L), Map.of("10.0.0.1/24", 7L));
        UsageSample future = before(Duration.ofDays(-1), 0, 0);

        assertThat(forecast(usage(0, 40), odd, future).family(IpFamily.IPV4)).isEqualTo(UNKNOWN);
    }

    @Test
    void aSampleIsDue_twelveHoursAfterTheLast() {
        assertThat(Forecast.isDue(List.of(), NOW)).isTrue();
        assertThat(Forecast.isDue(List.of(before(Duration.ofHours(12).minusSeconds(1), 0, 0)), NOW))
                .isFalse();
        assertThat(Forecast.isDue(List.of(before(Duration.ofHours(12), 0, 0)), NOW))
                .isTrue();
    }

    @Test
    void aSampleOfTheFuture_doesNotPutTheNextOneOff() {
        List<UsageSample> history = List.of(before(Duration.ofDays(-100), 0, 0));

        assertThat(Forecast.isDue(history, NOW)).isTrue();
        assertThat(Forecast.record(history, usage(0, 5), NOW)).containsExactly(UsageSample.of(usage(0, 5), NOW));
    }

    @Test
    void aHistoryThatIsNotDue_staysAsItIs() {
        List<UsageSample> history = List.of(before(Duration.ofHours(20), 0, 1), before(Duration.ofHours(8), 0, 2));

        assertThat(Forecast.record(history, usage(0, 5), NOW)).isEqualTo(history);
    }

    @Test
    void aWeekIsKept_oldestFirst() {
        List<UsageSample> history = List.of();
        for (int half = 0; half < 40; half++) {
            history = Forecast.record(history, usage(0, half), NOW.plus(Duration.ofHours(12L * half)));
        }

        assertThat(history).hasSize(Forecast.KEPT).isSortedAccordingTo((a, b) -> a.at().compareTo(b.at()));
        assertThat(history.getLast()).isEqualTo(UsageSample.of(usage(0, 39), NOW.plus(Duration.ofHours(12 * 39))));
        assertThat(Duration.between(history.getFirst().at(), history.getLast().at()))
                .isEqualTo(Duration.ofDays(7));
    }

    @Test
    void theOrderOfTheHistory_doesNotMatter() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            List<UsageSample> history = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                history.add(
                        before(Duration.ofMinutes(1 + random.nextInt(9_000)), random.nextInt(16), random.nextInt(200)));
            }
            Usage usage = usage(random.nextInt(16), random.nextInt(200));
            Forecast forecast = Forecast.of(history, usage, NOW);
            List<UsageSample> shuffled = new ArrayList<>(history);
            Collections.shuffle(shuffled, random);

            assertThat(Forecast.of(shuffled, usage, NOW).family(IpFamily.IPV4))
                    .as("seed %d", seed)
                    .isEqualTo(forecast.family(IpFamily.IPV4));
        }
    }

    @Test
    void onTheDayThatIsForecast_theSameGrowthFillsTheBand() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int perDay = 1 + random.nextInt(20);
            int taken = perDay + random.nextInt(200);
            Trend trend = forecast(usage(0, taken), before(Duration.ofDays(1), 0, taken - perDay))
                    .dynamicBand(RANGE);
            long left = TODAY.until(Objects.requireNonNull(trend.fullOn()), ChronoUnit.DAYS);

            assertThat(taken + (left + 1) * perDay)
                    .as("seed %d: one day later", seed)
                    .isGreaterThanOrEqualTo(238);
            assertThat(taken + (left - 1) * perDay)
                    .as("seed %d: one day before", seed)
                    .isLessThan(238);
        }
    }
}
