package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.Quota;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PoolsTest {
    private static AddressPool pool(long generation, @Nullable String annotation, @Nullable String done) {
        AddressPool pool = new AddressPool();
        ObjectMetaBuilder metadata = new ObjectMetaBuilder().withName("edge").withGeneration(generation);
        if (annotation != null) {
            metadata.addToAnnotations("berth.dev/release-stranded", annotation);
        }
        pool.setMetadata(metadata.build());
        pool.setStatus(new AddressPool.Status(generation, null, null, 0L, null, null, null, done, List.of()));
        return pool;
    }

    /** One rule and a pool that shows it. */
    private record Row(String rule, AddressPool pool, boolean releases, String next) {}

    private static final List<Row> ROWS = List.of(
            new Row("no annotation acknowledges nothing", pool(7, null, null), false, "7"),
            new Row("one with the generation acknowledges it", pool(7, "7", null), true, "7/2"),
            new Row("one for another generation does not", pool(7, "6", null), false, "7"),
            new Row("nor one that starts like it", pool(7, "71", null), false, "7"),
            new Row("nor a constant word", pool(7, "true", null), false, "7"),
            new Row("one that did its work is spent", pool(7, "7", "7"), false, "7/2"),
            new Row("a second time is asked for by a count", pool(7, "7/2", "7"), true, "7/3"),
            new Row("and is spent, too", pool(7, "7/2", "7/2"), false, "7/3"),
            new Row("what an earlier edit spent does not count", pool(8, "8", "7"), true, "8/2"));

    @Test
    void annotation_acknowledgesOneEdit_once() {
        for (Row row : ROWS) {
            assertThat(Pools.releasesStranded(row.pool())).as(row.rule()).isEqualTo(row.releases());
            assertThat(Pools.nextAcknowledgement(row.pool())).as(row.rule()).isEqualTo(row.next());
        }
    }

    private static PoolDeclaration declaration(String spec) {
        return Pools.declaration(new KubernetesSerialization()
                .unmarshal("{\"metadata\": {\"name\": \"edge\"}, \"spec\": " + spec + "}", AddressPool.class));
    }

    @Test
    void reuseAfter_isADurationOfGep2257() {
        assertThat(declaration("{\"reuseAfter\": \"1h30m\"}").policy().reuseAfter())
                .isEqualTo(Duration.ofMinutes(90));
        assertThat(declaration("{\"reuseAfter\": \"1m500ms\"}").policy().reuseAfter())
                .isEqualTo(Duration.ofMillis(60_500));
        for (String none : List.of("1d", "100000s", "1h1h1h1h1h", "90", "-1s", "1.5h")) {
            assertThat(declaration("{\"reuseAfter\": \"" + none + "\"}").faults())
                    .as(none)
                    .singleElement()
                    .asString()
                    .contains("\"" + none + "\", which is not a duration");
        }
    }

    @Test
    void quotaOfANamespace_isItsOwn_andOfTwoTheLowerOneCounts() {
        Quota quota = declaration(
                        "{\"quota\": {\"perNamespace\": 5, \"namespaces\": [{\"namespace\": \"a\", \"addresses\": 9},"
                                + " {\"namespace\": \"b\", \"addresses\": 3}, {\"namespace\": \"b\", \"addresses\": 2}]}}")
                .policy()
                .quota();

        assertThat(List.of(quota.of("a"), quota.of("b"), quota.of("c")))
                .containsExactly(OptionalInt.of(9), OptionalInt.of(2), OptionalInt.of(5));
    }

    @Test
    void quotaWithoutItsNamespace_mayBeALimitOfAnyone_soNothingIsAllocated() {
        PoolDeclaration odd = declaration("{\"quota\": {\"namespaces\": [{\"addresses\": 9}]}}");

        assertThat(odd.faults()).singleElement().asString().contains("spec.quota.namespaces");
        assertThat(odd.isWhole()).isFalse();
    }

    @Test
    void emptyEntryInAListOfLimits_mayBeALimitOfAnyone_soNothingIsAllocated() {
        for (String spec : List.of(
                "{\"quota\": {\"namespaces\": [null]}}",
                "{\"quota\": {\"namespaces\": [{\"namespace\": \"a\", \"addresses\": 9}, null]}}",
                "{\"namespaceSelector\": {\"matchExpressions\": [null]}}",
                "{\"serviceSelector\": {\"matchLabels\": {\"team\": null}}}",
                "{\"excluded\": [null]}")) {
            PoolDeclaration odd = declaration(spec);

            assertThat(odd.isWhole()).as(spec).isFalse();
            assertThat(odd.faults()).as(spec).singleElement().asString().startsWith("spec.");
        }
    }
}
