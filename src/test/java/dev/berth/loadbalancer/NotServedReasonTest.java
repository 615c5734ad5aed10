package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NotServedReasonTest {
    private static final List<String> VALUES = List.of("berth.dev/pool", "berth.dev/l2");
    private static final Optional<Duration> OLD = Optional.of(Duration.ofHours(1));
    private static final Optional<NotServedReason> NONE = Optional.of(NotServedReason.NO_DEFAULT);
    private static final Optional<Deference> NOBODY = Optional.empty();

    @Test
    void whatAClassServes_orTheDefault_isServed() {
        assertThat(NotServedReason.of("berth.dev/l2", VALUES, NONE)).isEmpty();
        assertThat(NotServedReason.of(null, VALUES, Optional.empty())).isEmpty();
    }

    @Test
    void aClassThatDoesNotExist_isSaid_withWhatIsMeant() {
        assertThat(NotServedReason.of("berth.dev/pol", VALUES, Optional.empty()))
                .hasValueSatisfying(why -> {
                    assertThat(why.reason()).isEqualTo(Reason.ClassNotFound);
                    assertThat(why.message())
                            .isEqualTo(
                                    "no LoadBalancerClass serves \"berth.dev/pol\" (did you mean \"berth.dev/pool\"?); create one, or recreate the Service with another class");
                });
    }

    @Test
    void whereNothingIsMeant_ourClassesAreNamed_toWhoSeemsToWantOne() {
        assertThat(NotServedReason.of("berth.dev/default", List.of("berth.dev/pool", "berth.dev/l2"), NONE))
                .hasValueSatisfying(
                        why -> assertThat(why.message())
                                .isEqualTo(
                                        "no LoadBalancerClass serves \"berth.dev/default\" (there are \"berth.dev/l2\", \"berth.dev/pool\"); create one, or recreate the Service with another class"));
        assertThat(NotServedReason.of("example.com/lb", List.of("berth.dev/pool"), NONE))
                .hasValueSatisfying(
                        why -> assertThat(why.message())
                                .isEqualTo(
                                        "no LoadBalancerClass serves \"example.com/lb\"; create one, or recreate the Service with another class"));
    }

    @Test
    void aClassIsSurelyNobodyElses_byItsPrefixAlone() {
        assertThat(NotServedReason.of("berth.dev/pol", VALUES, NONE)
                        .orElseThrow()
                        .untilSure(Optional.empty(), NOBODY))
                .hasValue(Duration.ZERO);
        assertThat(NotServedReason.of("example.com/lb", VALUES, NONE)
                        .orElseThrow()
                        .untilSure(OLD, NOBODY))
                .isEmpty();
    }

    @Test
    void withoutAClass_itIsSure_onceOthersWouldHaveBegun_andThereIsNoSignOfAny() {
        NotServedReason why = NotServedReason.of(null, VALUES, NONE).orElseThrow();

        assertThat(why.reason()).isEqualTo(Reason.NoDefaultClass);
        assertThat(why.untilSure(Optional.of(Duration.ofSeconds(10)), NOBODY)).hasValue(Duration.ofSeconds(20));
        assertThat(why.untilSure(Optional.of(Duration.ofSeconds(30)), NOBODY)).hasValue(Duration.ZERO);
        assertThat(why.untilSure(OLD, NOBODY)).hasValue(Duration.ZERO);
        assertThat(why.untilSure(OLD, Optional.of(new Deference("Node \"a\" is of a cloud"))))
                .isEmpty();
        assertThat(why.untilSure(Optional.empty(), NOBODY)).isEmpty();
    }
}
