package dev.berth.controller.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.servicecidr.PolicyConditions.Report;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastReportedTest {
    private final LastReported said = new LastReported();

    private static Report noSpace(String message, boolean bad) {
        return new Report("Growth", Status.FALSE, Reason.NoSpace, message, bad);
    }

    @Test
    void whatWasSaidBeforeARestart_isNotNew() {
        List<io.fabric8.kubernetes.api.model.Condition> before = List.of(new ConditionBuilder()
                .withType("Growth")
                .withStatus("False")
                .withReason("NoSpace")
                .build());

        assertThat(said.note(before, noSpace("full", true))).isFalse();
        assertThat(new LastReported().note(List.of(), noSpace("full", true))).isTrue();
        assertThat(new LastReported().note(null, noSpace("full", true))).isTrue();
    }

    @Test
    void anotherMessage_isNotNew_butAnotherReasonIs() {
        said.note(null, noSpace("80 percent", true));

        assertThat(said.note(null, noSpace("81 percent", true))).isFalse();
        assertThat(said.note(null, new Report("Growth", Status.FALSE, Reason.Forbidden, "", true)))
                .isTrue();
    }

    @Test
    void whatComesToNeedAPerson_isNew_thoughItWasSaidBefore() {
        said.note(null, noSpace("40 percent", false));

        assertThat(said.note(null, noSpace("80 percent", true))).isTrue();
        assertThat(said.note(null, noSpace("81 percent", true))).isFalse();
    }

    @Test
    void afterThePolicyIsGone_allIsNew() {
        said.note(null, noSpace("full", true));
        said.forget();

        assertThat(said.note(null, noSpace("full", true))).isTrue();
    }
}
