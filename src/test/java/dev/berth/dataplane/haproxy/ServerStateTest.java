package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.provider.TargetHealth;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerStateTest {
    private static final Target NODE = new Target("10.77.0.11", 30080, 10256, "/healthz");
    private static final Target POD = new Target("10.244.1.10", 8080, 8080, null);

    private static List<LoadBalancer> wanted(Target... targets) {
        return List.of(new LoadBalancer(
                "a1",
                "cluster",
                "shop",
                "web",
                "uid-1",
                List.of("192.0.2.1"),
                List.of(new ListenPort(80, List.of(targets))),
                List.of(),
                null,
                true,
                ClassParameters.of(Map.of()),
                null));
    }

    /** As HAProxy 2.6 answers. */
    private static String known(int operational, int administrative, int checkStatus) {
        return """
                1
                # be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight
                2 a1-80 1 10.77.0.11_30080 10.77.0.11 %d %d 1 1 3 %d 2 0 6 0 0 0 - 30080 - 0 10256 - - 0

                """.formatted(operational, administrative, checkStatus);
    }

    @Test
    void aNewNode_isDownUntilItsFirstCheck() {
        assertThat(ServerState.next("", wanted(NODE))).contains("\n1 a1-80 1 10.77.0.11_30080 10.77.0.11 0 0 ");
    }

    @Test
    void aNewEndpoint_isUp_becauseKubernetesSaysThatItIsReady() {
        assertThat(ServerState.next("", wanted(POD))).doesNotContain("10.244.1.10");
    }

    @Test
    void whatIsKnown_stays() {
        assertThat(ServerState.next(known(2, 0, 7), wanted(NODE)))
                .contains("\n2 a1-80 1 10.77.0.11_30080 10.77.0.11 2 0 ")
                .doesNotContain("\n1 a1-80");
    }

    @Test
    void aServerThatComesBackWhileItIsInMaintenance_isNew() {
        assertThat(ServerState.next(known(0, 1, 7), wanted(NODE)))
                .contains("\n1 a1-80 1 10.77.0.11_30080 10.77.0.11 0 0 ")
                .doesNotContain("\n2 a1-80");
    }

    @Test
    void aTarget_countsOnce_andPassesForAllOfItsPorts() {
        List<Target> second = List.of(new Target("10.77.0.11", 30081, 10256, "/healthz"));
        LoadBalancer one = wanted(NODE).getFirst();
        LoadBalancer two = new LoadBalancer(
                "a1",
                "cluster",
                "shop",
                "web",
                "uid-1",
                one.addresses(),
                List.of(one.ports().getFirst(), new ListenPort(81, second)),
                List.of(),
                null,
                true,
                one.parameters(),
                null);
        String secondUp = known(2, 0, 7).replace("_30080", "_30081");

        assertThat(ServerState.health(one, backend -> known(2, 0, 7))).isEqualTo(new TargetHealth(1, 1));
        assertThat(ServerState.health(one, backend -> known(0, 0, 7))).isEqualTo(new TargetHealth(1, 0));
        assertThat(ServerState.health(one, backend -> known(2, 1, 7))).isEqualTo(new TargetHealth(1, 0));
        assertThat(ServerState.health(two, backend -> backend.equals("a1-80") ? known(2, 0, 7) : secondUp))
                .isEqualTo(new TargetHealth(1, 1));
        assertThat(ServerState.health(two, backend -> backend.equals("a1-80") ? known(0, 0, 7) : secondUp))
                .isEqualTo(new TargetHealth(1, 0));
        assertThat(ServerState.health(wanted().getFirst(), backend -> "")).isEqualTo(new TargetHealth(0, 0));
    }

    @Test
    void firstChecks_areDecided_whenOneServerIsUp_orAllHaveBeenChecked() {
        assertThat(ServerState.isDecided(known(0, 0, 1))).isFalse();
        assertThat(ServerState.isDecided(known(0, 0, 8))).isTrue();
        assertThat(ServerState.isDecided(known(2, 0, 1))).isTrue();
    }
}
