package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.controller.service.ProviderGuard.Visit;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Orphaned load balancers at a provider that has no place for one more call: that is no failure, and is done later. */
class BusyOrphansTest extends CloudStage {
    private static final ServiceIdentity GONE = new ServiceIdentity("prod", "gone", "uid-gone");

    private final ProviderGuard guard =
            new ProviderGuard(none -> false, 1, Duration.ofMillis(1), Duration.ofMinutes(1), none -> {});

    @AfterEach
    void stop() {
        guard.close();
    }

    /** Takes the one place of {@code line}. */
    private Visit occupied(CallLine line) {
        Visit visit = guard.visit(key("other"), () -> {});
        assertThat(visit.enter(line, cloud, new ServiceIdentity("prod", "other", "uid-other")))
                .isEqualTo(new Entry.In());
        return visit;
    }

    private Duration runNext() {
        Later next = later.removeFirst();
        next.what().run();
        return next.delay();
    }

    @Test
    void listingIsDoneAgain_onceItsTurnDidNotCome() {
        cloud.listed = List.of(new ListedLoadBalancer("lb", GONE));
        deleteOrphaned = true;
        OrphanedLoadBalancers orphans = orphans(guard);
        try (Visit other = occupied(CallLine.ofProvider("cloud", cloud.capabilities()))) {
            orphans.look();
            assertThat(runNext()).isZero();
            assertThat(cloud.calls).isEmpty();
        }

        assertThat(runNext()).isPositive();

        assertThat(cloud.calls).containsExactly("delete gone[]");
        assertThat(later).isEmpty();
    }

    @Test
    void whatIsListed_isDeletedLater_ifItsServiceHasACallUnderWay() {
        cloud.listed = List.of(new ListedLoadBalancer("lb", GONE));
        deleteOrphaned = true;
        OrphanedLoadBalancers orphans = orphans(guard);
        try (Visit other = guard.visit(key("gone"), () -> {})) {
            assertThat(other.enter(CallLine.ofClass("another"), cloud, GONE)).isEqualTo(new Entry.In());
            orphans.look();
            runNext();
            assertThat(cloud.calls).isEmpty();
        }

        runNext();

        assertThat(cloud.calls).containsExactly("delete gone[]");
        assertThat(later).isEmpty();
    }

    @Test
    void whatHasToBeDeleted_isTriedAgainWithoutBackingOff() {
        ServedClass served = classes.byValue(CLASS).orElseThrow();
        OrphanedLoadBalancers orphans = orphans(guard);
        try (Visit other = occupied(CallLine.of(served))) {
            orphans.deleteUntilDone(served, GONE);
            Duration first = runNext();
            for (int i = 0; i < 5; i++) {
                assertThat(runNext()).isEqualTo(first);
            }
            assertThat(orphans.delete(served, GONE)).isFalse();
            assertThat(cloud.calls).isEmpty();
        }

        runNext();

        assertThat(cloud.calls).containsExactly("delete gone[]");
        assertThat(later).isEmpty();
    }
}
