package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
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
        pool.setStatus(new AddressPool.Status(generation, 0L, null, null, null, done, List.of()));
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
}
