package dev.berth.duration;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DurationTextTest {
    private record Row(String text, Duration duration, String shortest) {}

    private static final List<Row> ROWS = List.of(
            new Row("0s", Duration.ZERO, "0s"),
            new Row("500ms", Duration.ofMillis(500), "500ms"),
            new Row("90s", Duration.ofSeconds(90), "1m30s"),
            new Row("30m", Duration.ofMinutes(30), "30m"),
            new Row("1h30m", Duration.ofMinutes(90), "1h30m"),
            new Row("1m500ms", Duration.ofMillis(60_500), "1m500ms"),
            new Row("48h", Duration.ofDays(2), "48h"),
            new Row("99999h99999h99999h99999h", Duration.ofHours(399_996), "399996h"));

    @Test
    void formOfTheKinds_isRead_andWrittenTheShortestWay() {
        for (Row row : ROWS) {
            assertThat(DurationText.parse(row.text())).as(row.text()).contains(row.duration());
            assertThat(DurationText.of(row.duration())).as(row.text()).isEqualTo(row.shortest());
        }
    }

    @Test
    void anythingElse_isNone() {
        for (String none : List.of(
                "",
                "0",
                "5",
                "s",
                "PT30M",
                "pt30m",
                "P1D",
                "1d",
                "1.5h",
                "-1s",
                "+1s",
                "1 h",
                " 1h",
                "1h ",
                "1H",
                "100000s",
                "1s1s1s1s1s",
                "1h\n",
                "\u0661s")) {
            assertThat(DurationText.parse(none)).as(none).isEmpty();
        }
    }

    @Test
    void whatIsWritten_isReadAsTheSame_toTheMillisecond() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            Duration duration =
                    Duration.ofMillis(random.nextLong(Duration.ofHours(99_999).toMillis()));

            assertThat(DurationText.parse(DurationText.of(duration.plusNanos(random.nextInt(1_000_000)))))
                    .contains(duration);
        }
    }
}
