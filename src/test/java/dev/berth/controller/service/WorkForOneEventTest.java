package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.SampleService;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one pass of a Service costs is counted in the objects that it reads and writes, for it must not grow with the cluster. */
class WorkForOneEventTest {
    private static final int FEW = 10;
    private static final int MANY = 100;

    /** An operator that serves so many Services from a pool. */
    private static final class Stage extends CloudStage {
        private int objects;
        private int endpointReads;

        Stage(int services) {
            cloud.targets = Targets.ENDPOINTS;
            takeAddressesFrom("198.18.0.0/16");
            cloud.meanwhile = this::answerAsAsked;
            served(IntStream.range(0, services)
                    .mapToObj(number -> "other-" + number)
                    .toArray(String[]::new));
            served("web");
        }

        /** With the addresses that were allocated, each time. */
        private void answerAsAsked() {
            cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(cloud.requests.getLast().addresses().stream()
                    .map(ip -> Ingress.ofIp(ip.toString(), IpMode.PROXY))
                    .toList()));
            cloud.meanwhile = this::answerAsAsked;
        }

        /** How many objects are read and written by {@code event}; and nobody else is woken by it. */
        int objectsFor(Consumer<CloudStage> event) {
            objects = 0;
            event.accept(this);
            assertThat(due).isSubsetOf(key("web"), key("new"));
            return objects;
        }

        @Override
        Cluster api() {
            return counted(super.api());
        }

        @Override
        Backends backends() {
            return counted(super.backends());
        }

        private Cluster counted(Cluster cluster) {
            return (Cluster) Proxy.newProxyInstance(
                    Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (_, method, arguments) -> {
                        try {
                            Object answer = method.invoke(cluster, arguments);
                            objects += size(answer);
                            return answer;
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }

        private Backends counted(Backends backends) {
            return new Backends(backends.nodes(), backends.kubeProxy(), () -> {
                objects++;
                endpointReads++;
                return backends.endpoints().get();
            });
        }

        private static int size(Object answer) {
            return switch (answer) {
                case CachedServices all -> all.states().size();
                case Collection<?> all -> all.size();
                default -> 1;
            };
        }
    }

    private static void assertTheSame(Consumer<CloudStage> event) {
        int amongFew = new Stage(FEW).objectsFor(event);
        int amongMany = new Stage(MANY).objectsFor(event);

        assertThat(amongMany).isEqualTo(amongFew).isPositive();
    }

    @Test
    void aServiceThatComes_costsTheSameAmongManyAsAmongFew() {
        assertTheSame(stage -> {
            stage.create("new");
            stage.reconcile("new");
            assertThat(stage.service("new").ingress()).isNotEmpty();
        });
    }

    @Test
    void aServiceThatIsServed_costsTheSameAmongManyAsAmongFew() {
        assertTheSame(stage -> stage.reconcile("web"));
    }

    @Test
    void endpointsOfOneService_costTheSameAmongManyAsAmongFew() {
        assertTheSame(stage -> {
            stage.endpointsBecome("web", "10.0.0.1");
            assertThat(stage.cloud.calls).containsExactly("update web[10.0.0.1]");
        });
    }

    @Test
    void aNodeThatComes_costsNothing_whereTheProviderTargetsEndpoints() {
        assertThat(new Stage(MANY).objectsFor(stage -> {
                    stage.nodes = CloudStage.nodes("n1", "n2");
                    stage.control.nodesChanged();
                    assertThat(stage.due).isEmpty();
                }))
                .isZero();
    }

    @Test
    void poolsThatChange_costNothing_whereNothingIsSaidOfThem() {
        assertThat(new Stage(MANY).objectsFor(stage -> {
                    stage.pool(List.of("198.18.0.0/16", "198.51.100.0/24"));
                    stage.control.poolsChanged();
                    assertThat(stage.due).isEmpty();
                }))
                .isZero();
    }

    @Test
    void aServiceThatGoes_costsTheSameAmongManyAsAmongFew() {
        assertTheSame(stage -> {
            stage.cluster.endService(CloudStage.key("web"));
            stage.reconcile("web");
        });
    }

    @Test
    void aServiceThatIsDeleted_hasItsEndpointsReadOnceForEachPlan() {
        Stage stage = new Stage(FEW);
        stage.put(SampleService.from(stage.service("web")).deleting(true));
        stage.endpointReads = 0;

        stage.reconcile("web");

        assertThat(stage.cloud.calls).containsExactly("delete web[]");
        // From the cache, and after the live read that has to come before the call.
        assertThat(stage.endpointReads).isEqualTo(2);
    }

    @Test
    void theCount_seesAnOperatorThatReadsAllServices() {
        assertThat(new Stage(MANY).objectsFor(stage -> stage.control.adopt())).isGreaterThan(MANY);
    }
}
