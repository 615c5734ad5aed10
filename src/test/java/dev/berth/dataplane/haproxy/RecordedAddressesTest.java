package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.provider.ProviderException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedAddressesTest {
    private static final String STUCK = "192.0.2.1";
    private static final String OTHER = "192.0.2.2";
    private static final String THIRD = "192.0.2.3";

    @TempDir
    private Path directory;

    private final FakeHost host = new FakeHost();
    private Records records;
    private RecordedAddresses addresses;

    /** One that does not let go of some addresses. */
    private static final class FakeHost implements Addresses {
        final Set<String> bound = new TreeSet<>();
        final Set<String> stuck = new TreeSet<>();

        @Override
        public void add(String address) {
            bound.add(address);
        }

        @Override
        public void remove(String address) {
            if (stuck.contains(address)) {
                throw new ProviderException("ip addr del " + address + ": Operation not permitted");
            }
            bound.remove(address);
        }

        @Override
        public boolean has(String address) {
            return bound.contains(address);
        }

        @Override
        public boolean isHere(String address) {
            return bound.contains(address);
        }

        @Override
        public boolean isBound(String address) {
            return bound.contains(address);
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void begin() {
        records = new Records(directory);
        addresses = new RecordedAddresses(host, records);
        addresses.begin(List.of(STUCK, OTHER, THIRD));
        host.stuck.add(STUCK);
    }

    @Test
    void whatCannotBeTakenOff_isOfItsOwnLoadBalancerAlone_andStaysInTheRecord() {
        Map<String, RuntimeException> stay =
                addresses.remove(new TreeMap<>(Map.of(STUCK, "web", OTHER, "api", THIRD, "shop")));

        assertThat(stay).containsOnlyKeys("web");
        assertThat(stay.get("web")).hasMessageContaining("not permitted");
        assertThat(host.bound).containsExactly(STUCK);
        assertThat(records.addresses()).containsExactly(STUCK);
        assertThatCode(() -> addresses.requireNothingLeft("api", List.of())).doesNotThrowAnyException();
        assertThatThrownBy(() -> addresses.requireNothingLeft("web", List.of())).hasMessageContaining("not permitted");
    }

    @Test
    void whatCanBeTakenOffInTheEnd_is_withTheNextCall() {
        addresses.remove(new TreeMap<>(Map.of(STUCK, "web")));
        host.stuck.clear();

        addresses.requireNothingLeft("web", List.of(OTHER, THIRD));

        assertThat(host.bound).containsExactly(OTHER, THIRD);
        assertThat(records.addresses()).containsExactly(OTHER, THIRD);
    }

    @Test
    void whatAnotherHasByNow_isLeftToIt() {
        addresses.remove(new TreeMap<>(Map.of(STUCK, "web")));
        addresses.add(List.of(STUCK), List.of(STUCK));
        host.stuck.clear();

        addresses.requireNothingLeft("web", List.of(STUCK));

        assertThat(host.bound).contains(STUCK);
    }

    @Test
    void whatACrashLeft_andCannotBeTakenOff_endsNoStart_andIsTriedAtTheNext() {
        RecordedAddresses next = new RecordedAddresses(host, records);
        next.begin(List.of(OTHER));
        assertThat(host.bound).containsExactly(STUCK, OTHER);
        assertThat(records.addresses()).containsExactlyInAnyOrder(STUCK, OTHER);

        host.stuck.clear();
        new RecordedAddresses(host, records).begin(List.of(OTHER));
        assertThat(host.bound).containsExactly(OTHER);
        assertThat(records.addresses()).containsExactly(OTHER);
    }
}
