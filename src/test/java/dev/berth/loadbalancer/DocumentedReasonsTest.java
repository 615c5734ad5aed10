package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever sees a reason finds it on the page about troubleshooting. */
class DocumentedReasonsTest {
    private static final List<Class<? extends Enum<?>>> REASONS = List.of(
            Trouble.Reason.class,
            ServicePlan.Skip.Reason.class,
            IgnoredAnnotations.Reason.class,
            PoolWish.Reason.class,
            StrandedAddress.Reason.class);

    @Test
    void eachReason_isOnThePage() throws IOException {
        String page = Files.readString(Path.of("docs/operations.md"));

        assertThat(REASONS.stream().flatMap(kind -> Stream.of(kind.getEnumConstants())))
                .allSatisfy(reason -> assertThat(page).contains("`" + reason + "`"));
    }

    @Test
    void eachCondition_isOnAPage() throws IOException {
        StringBuilder pages = new StringBuilder();
        for (String page : List.of("operations", "load-balancer-classes", "annotations", "address-pools")) {
            pages.append(Files.readString(Path.of("docs/" + page + ".md")));
        }

        assertThat(WellKnownNames.CONDITIONS)
                .allSatisfy(type -> assertThat(pages.toString()).contains("`" + type + "`"));
    }
}
