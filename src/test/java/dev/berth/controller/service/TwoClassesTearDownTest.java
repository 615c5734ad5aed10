package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Service whose mark was taken off, so that either of two classes may have made its load balancer. */
class TwoClassesTearDownTest extends CloudStage {
    private static final List<String> VALUES = List.of("example.com/0", "example.com/1");

    /** So many calls that have not returned stop a class. */
    private final CountDownLatch hanging = new CountDownLatch(32);

    private int created;
    private final CountDownLatch let = new CountDownLatch(1);

    @BeforeEach
    void thereAreTwoClasses() {
        classes = SampleClasses.ofParameters("cloud", cloud.capabilities(), List.of(Map.of(), Map.of()));
        control = operator();
        put(SampleService.named(key("web"), "uid-web").loadBalancerClass(VALUES.getFirst()));
        reconcile("web");
        assertThat(service("web").ingress()).isNotEmpty();
        put(SampleService.from(service("web"))
                .annotation(WellKnownNames.SERVED_BY_CLASS, null)
                .typeLoadBalancer(false)
                .loadBalancerClass(null));
        control = operator();
        due.clear();
        cloud.calls.clear();
    }

    @AfterEach
    void callsReturn() {
        let.countDown();
    }

    private void create(String name, int which) {
        put(SampleService.named(key(name), "uid-" + name).loadBalancerClass(VALUES.get(which)));
    }

    /** As many as are called at once for a class, each while the one before is being asked. */
    private void whileFull(int which, int calls, Runnable happens) {
        if (calls == 0) {
            happens.run();
            return;
        }
        String name = "full-" + created++;
        create(name, which);
        cloud.meanwhile = () -> whileFull(which, calls - 1, happens);
        reconcile(name);
    }

    private List<String> deletes() {
        return cloud.calls.stream()
                .filter(call -> call.startsWith("delete web"))
                .toList();
    }

    @Test
    void classesThatAreFullInTurn_delayTheDeletion_andDoNotPreventIt() {
        for (int which : List.of(0, 1, 0)) {
            whileFull(which, 16, () -> reconcile("web"));
        }

        assertThat(deletes()).as("once by each class").hasSize(2);
        assertThat(service("web").hasOurFinalizer()).isFalse();
    }

    private void hang() {
        cloud.meanwhile = this::hang;
        hanging.countDown();
        Uninterruptible.await(let);
    }

    @Test
    void oneClassThatIsStuck_hasTheOtherNotAskedAgain_beforeItsBackOff() {
        deadline = Duration.ofMillis(20);
        control = operator();
        cloud.meanwhile = this::hang;
        for (int call = 0; hanging.getCount() > 0 && call < 100; call++) {
            create("stuck-" + call, 1);
            reconcile("stuck-" + call);
        }
        cloud.meanwhile = () -> {};

        assertThat(reconcile("web").delay()).isPresent();
        reconcile("web");
        reconcile("web");

        assertThat(deletes()).hasSize(1);
        assertThat(service("web").hasOurFinalizer()).isTrue();
    }
}
