package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Owner;
import dev.berth.controller.Next;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Which calls a provider of node ports gets, and which events users see of them: upstream's
 * TestUpdateNodesInExternalLoadBalancer, TestNodeChangesForStableNodeSetEnabled, TestNodeChangesInExternalLoadBalancer,
 * TestNodesNotEqual, TestSlowNodeSync, TestServiceQueueDelay, TestProcessServiceDeletion, and what upstream leaves
 * untested.
 */
class ProviderCallsTest extends CloudStage {
    @Test
    void serviceIsEnsured_withTheFinalizerOnFirst_andEventsInOrder() {
        int before = cluster.writes();
        cloud.meanwhile = () -> {
            assertThat(service("web").servedByClass()).contains(CLASS);
            assertThat(service("web").isMarkedOurs()).isTrue();
        };
        create("web");

        reconcile("web");

        assertThat(cluster.writes() - before).isEqualTo(2);

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(cloud.requests.getFirst().fencingToken()).isEqualTo(7);
        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("203.0.113.1 (Proxy)");
        assertThat(recorded.events)
                .containsExactly(
                        "EnsuringLoadBalancer: Ensuring load balancer",
                        "EnsuredLoadBalancer: Ensured load balancer \"uid-web\": 203.0.113.1 (Proxy)");
    }

    @Test
    void nodesThatStayAsTheyAre_causeNoCall() {
        served("web");

        nodesBecome(nodes("n1"));

        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void nodesThatCome_go_orGetAnotherProviderId_causeOneUpdate() {
        served("web");

        nodesBecome(nodes("n1", "n2"));
        nodesBecome(nodes("n2"));
        nodesBecome(List.of(Node.named("n2").withProviderId("cloud://other")));
        nodesBecome(List.of());

        assertThat(cloud.calls)
                .containsExactly("update web[n1, n2]", "update web[n2]", "update web[n2]", "update web[]");
        assertThat(recorded.events)
                .containsOnly("UpdatedLoadBalancer: Updated load balancer with new hosts")
                .hasSize(4);
    }

    @Test
    void nodeThatGetsItsZone_causesOneUpdate() {
        served("web");

        nodesBecome(List.of(Node.named("n1")
                .withProviderId("cloud://n1")
                .withAddresses(List.of())
                .withZone("a")
                .withRegion("r")));

        assertThat(cloud.calls).containsExactly("update web[n1]");
        assertThat(cloud.requests.getLast().nodes().getFirst().zone()).isEqualTo("a");
    }

    @Test
    void changedLabelsOfTheService_causeOneEnsure() {
        served("web");

        put(SampleService.from(service("web")).labels(Map.of("app", "web")));
        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(cloud.requests.getLast().labels()).containsEntry("app", "web");
    }

    @Test
    void endpointsThatComeAndGo_causeOneUpdateEach_andNoEvent() {
        targetEndpoints();
        served("web");

        endpointsBecome("web", "10.64.0.7");
        endpointsBecome("web", "10.64.0.7");
        endpointsBecome("web");
        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls).containsExactly("update web[10.64.0.7]", "update web[]");
        assertThat(recorded.events).isEmpty();
    }

    @Test
    void endpointThatComesDuringAnUpdate_isNotLost() {
        targetEndpoints();
        served("web");
        cloud.meanwhile = () -> endpoints = List.of(new Endpoint("", "10.64.0.8", 8080, "n1"));

        endpointsBecome("web", "10.64.0.7");

        assertThat(due).contains(key("web"));
    }

    @Test
    void endpointsOfWhoTargetsNodes_causeNoCall() {
        served("web");

        endpointsBecome("web", "10.64.0.7");

        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void thatNodesHaveNoKubeProxy_hasLoadBalancersAskOtherwise() {
        served("web");

        kubeProxy = false;
        control.kubeProxiesChanged();
        reconcileDue();

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(cloud.requests.getLast().healthCheck()).isEqualTo(new HealthCheck(30080, null));
    }

    @Test
    void everyServiceIsUpdated_andNoneThatIsNoLoadBalancer() {
        served("s0", "s1", "s2", "s3");
        put(SampleService.named(key("internal"), "uid-internal").typeLoadBalancer(false));
        reconcile("internal");

        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls)
                .containsExactlyInAnyOrder(
                        "update s0[n1, n2]", "update s1[n1, n2]", "update s2[n1, n2]", "update s3[n1, n2]");
    }

    @Test
    void onlyServicesWhoseNodesChanged_areUpdated() {
        served("s0", "s1");
        nodes = nodes("n1", "n2");
        reconcile("s0");
        cloud.calls.clear();

        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls).containsExactly("update s1[n1, n2]");
    }

    @Test
    void failedUpdate_isToldWithTheNodes_andTheLoadBalancerIsEnsuredAgain() {
        served("web");
        cloud.updateFails = new ProviderException("the rack is on fire");

        nodesBecome(nodes("n1", "n2"));

        assertThat(cloud.calls).containsExactly("update web[n1, n2]", "ensure web[n1, n2]");
        assertThat(recorded.events)
                .startsWith(
                        "Warning UpdateLoadBalancerFailed: Error updating load balancer with new hosts [n1 n2], error:"
                                + " the rack is on fire");
    }

    @Test
    void failedUpdateOfManyNodes_namesTwenty_andTheTotal() {
        served("web");
        cloud.updateFails = new ProviderException("no");

        nodesBecome(nodes(IntStream.range(100, 125).mapToObj(i -> "n" + i).toArray(String[]::new)));

        assertThat(recorded.events.getFirst())
                .contains(" n119 ...] (25 in all)")
                .doesNotContain("n120");
    }

    @Test
    void nodeThatComesWhileAProviderIsBusy_isNotLost() {
        create("web");
        cloud.meanwhile = () -> {
            nodes = nodes("n1", "n2");
            control.nodesChanged();
        };
        reconcile("web");
        assertThat(due).contains(key("web"));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]", "update web[n1, n2]");
    }

    @Test
    void withoutNodes_itIsSaid_andTheProviderIsCalledAllTheSame() {
        nodes = List.of();
        create("web");

        reconcile("web");

        assertThat(recorded.events)
                .contains("Warning UnAvailableLoadBalancer: There are no available nodes for LoadBalancer");
        assertThat(cloud.calls).containsExactly("ensure web[]");
    }

    @Test
    void implementedElsewhere_endsWithoutStatusAndEvent() {
        cloud.answer = EnsureOutcome.implementedElsewhere();
        create("web");

        Next next = reconcile("web");
        reconcile("web");

        assertThat(next).isEqualTo(Next.ON_EVENT);
        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(service("web").ingress()).isEmpty();
        assertThat(recorded.events).containsExactly("EnsuringLoadBalancer: Ensuring load balancer");
    }

    @Test
    void failure_isToldWithItsCause_andTriedAgainLater_notBefore() {
        cloud.ensureFails = new ProviderException("quota exceeded");
        create("web");

        Next next = reconcile("web");
        reconcile("web");

        assertThat(recorded.events)
                .contains(
                        "Warning SyncLoadBalancerFailed: Error syncing load balancer: ensuring load balancer \"uid-web\""
                                + " for prod/web: quota exceeded");
        assertThat(next.delay().orElseThrow()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(5));
        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        clock = clock.plus(next.delay().orElseThrow());
        cloud.ensureFails = null;
        assertThat(reconcile("web")).isEqualTo(Next.ON_EVENT);
        assertThat(service("web").condition(WellKnownNames.PROGRAMMED)).isEmpty();
    }

    @Test
    void failureThatSaysWhenToTryAgain_isTriedExactlyThen() {
        cloud.ensureFails = new ProviderException("busy").withRetryAfter(Duration.ofSeconds(42));
        create("web");

        assertThat(reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(42)));
    }

    @Test
    void pending_isNoFailure_andIsShown() {
        cloud.answer = EnsureOutcome.pending(Duration.ofSeconds(9), "waiting for an address");
        create("web");

        assertThat(reconcile("web")).isEqualTo(Next.after(Duration.ofSeconds(9)));
        assertThat(service("web")
                        .condition(WellKnownNames.PROGRAMMED)
                        .orElseThrow()
                        .message())
                .isEqualTo("waiting for an address");
        assertThat(recorded.events).containsExactly("EnsuringLoadBalancer: Ensuring load balancer");
    }

    @Test
    void deletion_callsTheProvider_beforeTheFinalizerGoes_andSaysSo() {
        served("web");
        put(SampleService.from(service("web")).deleting(true));
        cloud.meanwhile = () -> assertThat(service("web").hasOurFinalizer()).isTrue();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
        assertThat(cluster.services.get(key("web")))
                .satisfies(left ->
                        assertThat(left == null || !left.hasOurFinalizer()).isTrue());
        assertThat(recorded.events)
                .containsExactly(
                        "DeletingLoadBalancer: Deleting load balancer \"uid-web\"",
                        "DeletedLoadBalancer: Deleted load balancer \"uid-web\"");
    }

    @Test
    void failedDeletion_keepsTheFinalizer_andIsTriedAgain() {
        served("web");
        put(SampleService.from(service("web")).deleting(true));
        cloud.deleteFails = new ProviderException("cannot");

        Next next = reconcile("web");

        assertThat(next.delay()).isPresent();
        assertThat(service("web").hasOurFinalizer()).isTrue();
        assertThat(recorded.events)
                .contains(
                        "Warning SyncLoadBalancerFailed: Error syncing load balancer: deleting load balancer \"uid-web\""
                                + " for prod/web: cannot");
    }

    @Test
    void deletionThatFailedRightAfterARestart_isTriedAtOnce_whenItsProviderReturns() {
        served("web");
        control = operator();
        put(SampleService.from(service("web")).deleting(true));
        cloud.deleteFails = new ProviderException("away");
        reconcile("web");
        cloud.deleteFails = null;
        cloud.calls.clear();

        reconcile("web");
        assertThat(cloud.calls).as("before its time").isEmpty();
        control.providerReturned("another");
        reconcileDue();
        reconcile("web");
        assertThat(cloud.calls).as("another one is back").isEmpty();
        control.providerReturned("cloud");
        reconcileDue();

        assertThat(cloud.calls).containsExactly("delete web[n1]");
    }

    @Test
    void afterARestart_theProviderIsAskedAgain_forWhatItHasIsNotKnown() {
        served("web");
        control = operator();

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
    }

    /** Deletes what the provider has of one that is gone. */
    private boolean deleteOrphaned() {
        try (ProviderGuard guard =
                new ProviderGuard(none -> false, 1, Duration.ZERO, Duration.ofMinutes(1), none -> {})) {
            return orphans(guard).delete(new Owner(key("old"), "uid-before"), CLASS);
        }
    }

    @Test
    void whatIsLeftOfAServiceThatIsGone_isDeletedByItsUid() {
        boolean deleted = deleteOrphaned();

        assertThat(deleted).isTrue();
        assertThat(cloud.calls).containsExactly("delete old[]");
        assertThat(cloud.requests.getFirst().service()).isEqualTo(new ServiceIdentity("prod", "old", "uid-before"));
        cloud.deleteFails = new ProviderException("cannot");
        assertThat(deleteOrphaned()).isFalse();
    }

    @Test
    void addressOfAServiceThatIsGone_isNotReleased_whileItsProviderIsNotThereToBeTold() {
        classes = SampleClasses.awaited(CLASS, "cloud");

        assertThat(deleteOrphaned()).isFalse();
        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void resync_looksOnce_andLeavesWhatIsAsItShouldBe() {
        served("web");

        resync();
        reconcile("web");

        assertThat(cloud.calls).containsExactly("get web[n1]");
        assertThat(recorded.events).isEmpty();
    }

    @Test
    void loadBalancerThatSomebodyDeletedOrChanged_isReported_andEnsuredAgain() {
        served("web");
        cloud.has = null;

        resync();
        cloud.has = LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.66", IpMode.PROXY)));
        resync();

        assertThat(cloud.calls).containsExactly("get web[n1]", "ensure web[n1]", "get web[n1]", "ensure web[n1]");
        assertThat(recorded.events)
                .contains(
                        "Warning LoadBalancerDrifted: The load balancer \"uid-web\" is gone; ensuring it again",
                        "Warning LoadBalancerDrifted: The load balancer \"uid-web\" has 203.0.113.66 (Proxy) instead"
                                + " of 203.0.113.1 (Proxy); ensuring it again");
    }

    @Test
    void whatAProviderHasForServicesThatAreGone_isDeletedOnlyIfThatIsWanted() {
        served("web");
        cloud.listed = List.of(
                new ListedLoadBalancer("a", new ServiceIdentity("prod", "web", "uid-web")),
                new ListedLoadBalancer("b", new ServiceIdentity("prod", "web", "uid-before")),
                new ListedLoadBalancer("c", new ServiceIdentity("prod", "gone", "uid-gone")));

        lookForOrphans();
        assertThat(cloud.calls).isEmpty();
        deleteOrphaned = true;
        control = operator();
        lookForOrphans();

        assertThat(cloud.calls).containsExactly("delete web[]", "delete gone[]");
        assertThat(cloud.requests.getLast().service().uid()).isEqualTo("uid-gone");
    }

    @Test
    void serviceThatCannotBeRead_isNotGone_andKeepsNoOtherFromBeingLookedAt() {
        unreadable.add(key("odd"));
        cloud.listed = List.of(
                new ListedLoadBalancer("a", new ServiceIdentity("prod", "odd", "uid-odd")),
                new ListedLoadBalancer("b", new ServiceIdentity("prod", "gone", "uid-gone")));
        deleteOrphaned = true;
        control = operator();

        lookForOrphans();

        assertThat(cloud.calls).containsExactly("delete gone[]");
    }

    @Test
    void orphanedLoadBalancer_isDeletedWithTheParametersOfEachClassOfItsProvider() {
        cloud.listed = List.of(new ListedLoadBalancer("c", new ServiceIdentity("prod", "gone", "uid-gone")));
        classes = SampleClasses.ofParameters(
                "cloud", cloud.capabilities(), List.of(Map.of("zone", "a"), Map.of("zone", "b"), Map.of("zone", "a")));
        deleteOrphaned = true;
        control = operator();

        lookForOrphans();

        assertThat(cloud.calls).containsExactly("delete gone[]", "delete gone[]");
        assertThat(cloud.requests)
                .extracting(LoadBalancerRequest::parameters)
                .containsExactly(Map.of("zone", "a"), Map.of("zone", "b"));
    }

    private void lookForOrphans() {
        control.resync(Duration.ofSeconds(1));
        takeLater().what().run();
    }

    @Test
    void lookingForOrphans_asksTheApiServerForNothing_isNotWaitedFor_andIsDoneOnceAtATime() {
        served("web");
        cloud.listed = IntStream.range(0, 10_000)
                .mapToObj(i -> new ListedLoadBalancer("lb-" + i, new ServiceIdentity("prod", "none-" + i, "uid-" + i)))
                .toList();
        reads.clear();

        control.resync(Duration.ofSeconds(1));
        control.resync(Duration.ofSeconds(1));
        takeLater().what().run();

        assertThat(reads).isEmpty();
    }

    @Test
    void editThatIsTakenBack_whileTheProviderHasNotDoneIt_isAskedForAgain() {
        served("web");
        cloud.ensureFails = new ProviderException("done, but the answer was lost");
        put(SampleService.from(service("web")).loadBalancerIp("203.0.113.9"));
        reconcile("web");
        cloud.ensureFails = null;
        put(SampleService.from(service("web")).loadBalancerIp(null));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]", "ensure web[n1]");
        assertThat(cloud.requests.getLast().wantedAddresses()).isEmpty();
    }

    @Test
    void serviceThatIsGoneWithoutItsFinalizer_isDeletedUntilItsProviderHasDoneIt_withGrowingDelays() {
        served("web");
        cloud.deleteFails = new ProviderException("cannot");
        cluster.endService(key("web"));

        reconcile("web");
        List<Duration> delays = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Later next = takeLater();
            delays.add(next.delay());
            next.what().run();
        }
        cloud.deleteFails = null;
        cloud.calls.clear();
        takeLater().what().run();

        assertThat(cloud.calls).containsExactly("delete web[]");
        assertThat(cloud.requests.getLast().service()).isEqualTo(new ServiceIdentity("prod", "web", "uid-web"));
        assertThat(later).isEmpty();
        assertThat(delays.getFirst()).isLessThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(delays.getLast()).isGreaterThan(Duration.ofSeconds(5));
    }

    @Test
    void serviceThatIsThereAfterAll_keepsItsLoadBalancer() {
        served("web");
        cloud.deleteFails = new ProviderException("cannot");
        ServiceState before = service("web");
        cluster.endService(key("web"));
        reconcile("web");
        cloud.deleteFails = null;
        cloud.calls.clear();
        put(SampleService.from(before));

        takeLater().what().run();

        assertThat(cloud.calls).isEmpty();
        assertThat(later).isEmpty();
    }

    @Test
    void serviceOfWhichNoPortCanBeCarried_saysWhy_andNotThatItWaits() {
        put(SampleService.named(key("web"), "uid-web").ports(new Port("", Protocol.SCTP, 7777, 30777)));

        reconcile("web");

        assertThat(service("web").condition(WellKnownNames.ADDRESS_ASSIGNED)).hasValueSatisfying(why -> {
            assertThat(why.reason()).isEqualTo("ProtocolNotSupported");
            assertThat(why.message()).startsWith("provider \"cloud\" cannot carry SCTP");
        });
    }

    @Test
    void answerInAnotherOrder_orWithAModeThatMeansTheSame_isNoDrift() {
        LoadBalancerStatus made = LoadBalancerStatus.of(
                List.of(Ingress.ofIp("203.0.113.1", IpMode.PROXY), Ingress.ofHostname("lb.test.dev")));
        cloud.answer = EnsureOutcome.ready(made);
        served("web");
        cloud.has = LoadBalancerStatus.of(made.ingress().reversed());

        resync();

        assertThat(cloud.calls).containsExactly("get web[n1]");
        assertThat(recorded.events).isEmpty();
        LoadBalancerStatus silent = LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.1", null)));
        LoadBalancerStatus said = LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.1", IpMode.VIP)));
        assertThat(silent.canonical()).isEqualTo(said.canonical()).isNotEqualTo(PUBLIC.canonical());
    }

    @Test
    void resync_isSpreadOverItsPeriod() {
        served("s0", "s1", "s2", "s3");

        control.resync(Duration.ofSeconds(2));

        assertThat(due).containsExactly(key("s0"), key("s1"));
        assertThat(later).extracting(Later::delay).containsExactly(Duration.ofSeconds(1), Duration.ZERO);
        later.getFirst().what().run();
        assertThat(due).containsExactly(key("s0"), key("s1"), key("s2"), key("s3"));
    }

    @Test
    void whoMeetsAFullClass_waitsInLine_withoutARead_anEventOrAWrite_andIsDueInItsTurn() {
        create("web");
        List<Object> seen = new ArrayList<>();
        whileTheClassIsFull(() -> {
            // The finalizer may be written before it has to wait.
            reconcile("web");
            recorded.events.clear();
            reads.clear();
            due.clear();
            int writes = cluster.writes();
            seen.add(reconcile("web"));
            seen.addAll(recorded.events);
            seen.addAll(reads);
            seen.addAll(due);
            seen.add(cluster.writes() - writes);
        });

        assertThat(seen).containsExactly(Next.after(Duration.ofMinutes(1)), 0);
        assertThat(cloud.calls).doesNotContain("ensure web[n1]");
        assertThat(due).contains(key("web"));
        reconcile("web");
        assertThat(service("web").ingress()).isNotEmpty();
    }

    @Test
    void whoseNodesChange_andMeetsAFullClass_waitsInLine_withoutARead_anEventOrAWrite_andIsUpdatedInItsTurn() {
        served("web");
        reads.clear();
        List<Object> seen = new ArrayList<>();
        whileTheClassIsFull(() -> {
            recorded.events.clear();
            reads.clear();
            int writes = cluster.writes();
            nodes = nodes("n1", "n2");
            control.nodesChanged();
            seen.add(reconcile("web"));
            seen.addAll(recorded.events);
            seen.addAll(reads);
            seen.add(cluster.writes() - writes);
        });

        assertThat(seen).containsExactly(Next.after(Duration.ofMinutes(1)), 0);
        assertThat(cloud.calls).doesNotContain("update web[n1, n2]");
        assertThat(service("web").ingress()).isNotEmpty();
        cloud.calls.clear();
        reconcileDue();

        assertThat(cloud.calls).containsOnlyOnce("update web[n1, n2]").doesNotContain("ensure web[n1, n2]");
    }

    @Test
    void whoIsToBeLookedAt_andMeetsAFullClass_isLookedAtInItsTurn() {
        served("web");

        whileTheClassIsFull(this::resync);

        assertThat(cloud.calls).doesNotContain("get web[n1]");
        cloud.calls.clear();
        reconcileDue();

        assertThat(cloud.calls).containsOnlyOnce("get web[n1]");
    }

    @Test
    void wordsOfAProvider_thatChangeWithEachCall_areWrittenTwiceAMinute() {
        create("web");
        int percent = 0;
        cloud.answer = EnsureOutcome.pending(Duration.ofSeconds(1), "done to 0 %");
        reconcile("web");
        int before = cluster.writes();

        for (int seconds = 0; seconds < 60; seconds++) {
            percent++;
            cloud.answer = EnsureOutcome.pending(Duration.ofSeconds(1), "done to " + percent + " %");
            clock = clock.plusSeconds(1);
            reconcile("web");
        }

        assertThat(cluster.writes() - before).isBetween(2, 3);
        assertThat(cloud.calls).hasSize(61);
    }

    @Test
    void serviceThatOnlyWaits_isNotDeletedAtItsProvider_alsoWhenItGoes() {
        takeAddressesFrom("192.0.2.0/32");
        create("holder");
        reconcile("holder");
        create("web");
        cloud.calls.clear();

        reconcile("web");
        put(SampleService.from(service("web")).deleting(true));
        reconcile("web");

        assertThat(cloud.calls).isEmpty();
    }

    @Test
    void readsPastTheCacheThatFail_areTriedLaterEachTime_untilOneGetsThrough() {
        create("web");
        readsFail = true;
        Duration first = reconcile("web").delay().orElseThrow();
        clock = clock.plus(first);
        Duration second = reconcile("web").delay().orElseThrow();
        clock = clock.plus(second);
        Duration third = reconcile("web").delay().orElseThrow();

        assertThat(first).isLessThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(second).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
        assertThat(third).isBetween(Duration.ofSeconds(18), Duration.ofSeconds(20));

        readsFail = false;
        reconcile("web");
        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        put(SampleService.from(service("web")).annotation("cloud.test.dev/size", "7"));
        readsFail = true;
        assertThat(reconcile("web").delay().orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    private Later takeLater() {
        assertThat(later).hasSize(1);
        return later.removeFirst();
    }
}
