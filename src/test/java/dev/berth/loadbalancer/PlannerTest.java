package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.SampleClaims;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.testing.Answers;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PlannerTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final String OURS = "berth.dev/pool";
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static SampleService web() {
        return SampleService.named(WEB, "u1");
    }

    private static Holding held(String ip, @Nullable String uid, @Nullable String loadBalancerClass) {
        List<Owner> owners = List.of(new Owner(WEB, uid));
        ClaimSpec spec = new ClaimSpec("edge", loadBalancerClass, owners, null, null, false);
        Claim claim = new Claim(Ip.parse(ip), "c-" + ip, "5", spec);
        return new Holding(claim.ip(), Holding.State.CLAIMED, spec, claim);
    }

    private static Holding heldAlsoByPredecessor(String ip, String loadBalancerClass) {
        ClaimSpec spec = ClaimSpec.of("edge", loadBalancerClass, new Owner(WEB, "u1"), new Owner(WEB, "predecessor"));
        return Holding.of(new Claim(Ip.parse(ip), "c-" + ip, "5", spec));
    }

    private static Holding sharedWithReservation(String ip, Owner owner, ServiceKey reservedFor) {
        ClaimSpec spec = ClaimSpec.of("edge", OURS, owner, new Owner(reservedFor, null));
        return Holding.of(new Claim(Ip.parse(ip), "c-" + ip, "5", spec));
    }

    private static Holding reservedByHand(String ip) {
        return Holding.of(new Claim(Ip.parse(ip), "c-" + ip, "5", ClaimSpec.of(null, null, new Owner(WEB, null))));
    }

    private static Holding unclaimed(String ip, Holding.State state, String loadBalancerClass) {
        ClaimSpec spec = ClaimSpec.of("edge", loadBalancerClass, new Owner(WEB, "u1"));
        return new Holding(Ip.parse(ip), state, spec, null);
    }

    private static ServicePlan plan(
            @Nullable SampleService service, List<Holding> holdings, ClassSet classes, boolean deference) {
        return Planner.plan(new ServiceSnapshot(
                WEB,
                Optional.ofNullable(service).map(SampleService::build),
                holdings,
                PoolSet.empty(),
                classes,
                deference ? Optional.of(new Deference("Node \"a\"")) : Optional.empty(),
                Map.of(),
                new QueuePosition(NOW, NOW, "u1"),
                List.of()));
    }

    private static SampleService served() {
        return web().finalizer(WellKnownNames.FINALIZER)
                .conditions(List.of(
                        new Condition(WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.TRUE, "Assigned", "", NOW)));
    }

    private static Condition waits() {
        return new Condition(WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.FALSE, "PoolExhausted", "full", NOW);
    }

    private record Row(
            String rule,
            @Nullable SampleService service,
            List<Holding> holdings,
            ClassSet classes,
            boolean deference,
            String plan) {}

    private static ClassDeclaration declared(
            String name, String value, String controllerName, boolean isDefault, int age) {
        return declared(name, value, controllerName, "pool", isDefault, age);
    }

    private static ClassDeclaration declared(
            String name, String value, String controllerName, String provider, boolean isDefault, int age) {
        return new ClassDeclaration(
                name,
                NOW.minusSeconds(age),
                value,
                controllerName,
                provider,
                Map.of(),
                List.of(),
                null,
                HealthCheckPolicy.AUTO,
                false,
                isDefault ? Classless.AUTO : Classless.NEVER);
    }

    /** Ours has one class, another Berth has the default. */
    private static final ClassSet TWO_BERTHS = ClassSet.of(
            List.of(declared("ours", OURS, "me", false, 1), declared("theirs", "theirs/pool", "you", true, 2)),
            "me",
            new KnownProviders(Map.of("pool", Capabilities.fromPools(IpMode.VIP).withImmediate(true)), Map.of()));

    private static final ClassSet NOT_ACCEPTED =
            ClassSet.of(List.of(declared("bad", "x/bad", "me", false, 1)), "me", KnownProviders.NONE);

    private static final ClassSet AUTO = SampleClasses.one(Classless.AUTO);
    private static final List<Row> ROWS = List.of(
            new Row(
                    "one that names our class is ours",
                    web().loadBalancerClass(OURS),
                    List.of(),
                    AUTO,
                    true,
                    "Serve Acquire"),
            new Row(
                    "one that names a class of ours that is not accepted is told so",
                    web().loadBalancerClass("x/bad"),
                    List.of(),
                    NOT_ACCEPTED,
                    false,
                    "Skip ClassNotAccepted Explain"),
            new Row(
                    "but not if another controller serves it",
                    web().loadBalancerClass("x/bad").ingress("203.0.113.1"),
                    List.of(),
                    NOT_ACCEPTED,
                    false,
                    "NotOurs"),
            new Row("one of another class is not", web().loadBalancerClass("x"), List.of(), AUTO, false, "NotOurs"),
            new Row("without a class: Auto serves it", web(), List.of(), AUTO, false, "Serve Acquire"),
            new Row("without a class: Auto defers", web(), List.of(), AUTO, true, "Skip DeferredToOther"),
            new Row(
                    "without a class: Always serves it",
                    web(),
                    List.of(),
                    SampleClasses.one(Classless.ALWAYS),
                    false,
                    "Serve Acquire"),
            new Row("without a class: Never", web(), List.of(), SampleClasses.one(Classless.NEVER), false, "NotOurs"),
            new Row("there is no class at all", web(), List.of(), ClassSet.empty(), false, "NotOurs"),
            new Row(
                    "when it defers, what we said of the wait goes",
                    web().conditions(List.of(waits())),
                    List.of(),
                    AUTO,
                    true,
                    "Skip DeferredToOther RemoveConditions"),
            new Row(
                    "no class any more, what we said of the wait goes",
                    web().conditions(List.of(waits())),
                    List.of(),
                    ClassSet.empty(),
                    false,
                    "NotOurs RemoveConditions"),
            new Row(
                    "a foreign finalizer: skipped",
                    web().finalizer("service.kubernetes.io/load-balancer-cleanup"),
                    List.of(),
                    AUTO,
                    false,
                    "Skip ServedByOtherController"),
            new Row(
                    "a foreign ingress: skipped",
                    web().ingress("203.0.113.1"),
                    List.of(),
                    AUTO,
                    false,
                    "Skip ServedByOtherController"),
            new Row(
                    "of two claims it keeps the one that is published, whichever came first",
                    web().finalizer(WellKnownNames.FINALIZER).ingress("192.0.2.2"),
                    List.of(held("192.0.2.1", "u1", OURS), held("192.0.2.2", "u1", OURS)),
                    AUTO,
                    false,
                    "Serve"),
            new Row(
                    "with our finalizer, what a stranger wrote is ours to put right",
                    web().finalizer(WellKnownNames.FINALIZER).ingress("203.0.113.1"),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "Serve"),
            new Row(
                    "once it is ours, deferring to others does not concern it",
                    web(),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    true,
                    "Serve"),
            new Row(
                    "its class changed: all of it is taken back",
                    web().loadBalancerClass("x").finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear Release[192.0.2.1]"),
            new Row(
                    "its class changed, and another published already: that stays",
                    web().loadBalancerClass("x")
                            .finalizer(WellKnownNames.FINALIZER)
                            .ingress("203.0.113.1"),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear-but[203.0.113.1] Release[192.0.2.1]"),
            new Row(
                    "its class changed: what is held for it is not left behind",
                    web().loadBalancerClass("x")
                            .finalizer(WellKnownNames.FINALIZER)
                            .ingress("192.0.2.1", "203.0.113.1"),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear-but[203.0.113.1] Release[192.0.2.1]"),
            new Row(
                    "another's, with a finalizer of ours in a copied manifest: loses that alone",
                    web().loadBalancerClass("x")
                            .finalizer(WellKnownNames.FINALIZER)
                            .ingress("203.0.113.1"),
                    List.of(),
                    AUTO,
                    false,
                    "TearDown Clear-but[203.0.113.1]"),
            new Row(
                    "our finalizer in a manifest is no way around Never",
                    web().finalizer(WellKnownNames.FINALIZER),
                    List.of(),
                    SampleClasses.one(Classless.NEVER),
                    false,
                    "TearDown Clear"),
            new Row(
                    "nor around deferring to others",
                    web().finalizer(WellKnownNames.FINALIZER),
                    List.of(),
                    AUTO,
                    true,
                    "TearDown DeleteLoadBalancer Clear"),
            new Row(
                    "nor around the ingress of another controller, which stays",
                    web().finalizer(WellKnownNames.FINALIZER).ingress("203.0.113.1"),
                    List.of(),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear-but[203.0.113.1]"),
            new Row(
                    "our finalizer in a manifest of one that we serve",
                    web().loadBalancerClass(OURS).finalizer(WellKnownNames.FINALIZER),
                    List.of(),
                    AUTO,
                    true,
                    "Serve Acquire"),
            new Row(
                    "our finalizer in the manifest of a ClusterIP does not keep it from being deleted",
                    web().typeLoadBalancer(false).deleting(true).finalizer(WellKnownNames.FINALIZER),
                    List.of(),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear"),
            new Row(
                    "served before, and its Address vanished: still ours, no matter who serves others",
                    served().ingress("192.0.2.1"),
                    List.of(),
                    AUTO,
                    true,
                    "Serve Acquire"),
            new Row(
                    "another Berth's, whatever it carries: not ours",
                    web().loadBalancerClass("theirs/pool")
                            .finalizer(WellKnownNames.FINALIZER)
                            .conditions(List.of(waits()))
                            .ingress("192.0.2.1"),
                    List.of(held("192.0.2.1", "u1", "theirs/pool")),
                    TWO_BERTHS,
                    false,
                    "NotOurs"),
            new Row(
                    "another Berth's by its claim, and being deleted: not ours",
                    web().deleting(true).finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", "theirs/pool")),
                    TWO_BERTHS,
                    false,
                    "NotOurs"),
            new Row(
                    "without a class, where another Berth has the default: not ours",
                    web().finalizer(WellKnownNames.FINALIZER),
                    List.of(),
                    TWO_BERTHS,
                    false,
                    "NotOurs"),
            new Row(
                    "without a class, and ours by its claim: stays ours where another Berth has the default",
                    web().finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    TWO_BERTHS,
                    false,
                    "Serve"),
            new Row(
                    "ours, while another Berth has not given its address back: gets one of our own",
                    web().loadBalancerClass(OURS).finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", "theirs/pool")),
                    TWO_BERTHS,
                    false,
                    "Serve Acquire"),
            new Row(
                    "another Berth's now: what we claimed is given back, what it shows is not ours to write",
                    web().loadBalancerClass("theirs/pool").finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    TWO_BERTHS,
                    false,
                    "TearDown DeleteLoadBalancer Release[192.0.2.1]"),
            new Row(
                    "gone, and it was another Berth's: not ours to release",
                    null,
                    List.of(held("192.0.2.1", "u1", "theirs/pool")),
                    TWO_BERTHS,
                    false,
                    "NotOurs"),
            new Row(
                    "gone, and the address stays reserved for one that shared it: its own claim is released",
                    null,
                    List.of(sharedWithReservation("192.0.2.1", new Owner(WEB, "u1"), new ServiceKey("prod", "api"))),
                    TWO_BERTHS,
                    false,
                    "TearDown Release[192.0.2.1]"),
            new Row(
                    "gone, and the address stays reserved for it, while another shares it: nothing is left to release",
                    null,
                    List.of(sharedWithReservation("192.0.2.1", new Owner(new ServiceKey("prod", "api"), "u2"), WEB)),
                    TWO_BERTHS,
                    false,
                    "NotOurs"),
            new Row(
                    "its class is missing and it is being deleted: its status is ours whole",
                    web().loadBalancerClass(OURS)
                            .deleting(true)
                            .finalizer(WellKnownNames.FINALIZER)
                            .ingress("203.0.113.1"),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    ClassSet.empty(),
                    false,
                    "TearDown Clear Release[192.0.2.1]"),
            new Row(
                    "its class is missing: it keeps what it has",
                    web().loadBalancerClass(OURS).finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    ClassSet.empty(),
                    false,
                    "Skip ClassMissing Explain"),
            new Row(
                    "it is being deleted: released last",
                    web().deleting(true).finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear Release[192.0.2.1]"),
            new Row("another's is being deleted", web().deleting(true), List.of(), AUTO, false, "NotOurs"),
            new Row(
                    "its type changed",
                    web().typeLoadBalancer(false).finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "TearDown DeleteLoadBalancer Clear Release[192.0.2.1]"),
            new Row(
                    "a ClusterIP that never was ours",
                    web().typeLoadBalancer(false),
                    List.of(),
                    AUTO,
                    false,
                    "NotOurs"),
            new Row(
                    "a reservation for its name is taken",
                    web(),
                    List.of(held("192.0.2.9", null, null)),
                    AUTO,
                    false,
                    "Serve ConfirmClaim[192.0.2.9]"),
            new Row(
                    "a reservation that it asks for by now is taken in place of what it has, which is released last",
                    served().ingress("192.0.2.1").annotation(WellKnownNames.ADDRESSES, "192.0.2.9"),
                    List.of(held("192.0.2.1", "u1", OURS), held("192.0.2.9", null, null)),
                    AUTO,
                    false,
                    "Serve ConfirmClaim[192.0.2.9]"),
            new Row(
                    "a reservation is taken, though it asks for a pool by now that does not have it: it says so at once",
                    web().annotation(WellKnownNames.ADDRESS_POOL, "office"),
                    List.of(reservedByHand("192.0.2.9")),
                    AUTO,
                    false,
                    "Serve ConfirmClaim[192.0.2.9] Refuse"),
            new Row(
                    "a reserved half of a whole is taken once the rest is had",
                    web().families(ServiceState.FamilyPolicy.REQUIRE_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6),
                    List.of(held("192.0.2.9", null, null)),
                    AUTO,
                    false,
                    "Serve Acquire ConfirmClaim[192.0.2.9]"),
            new Row(
                    "one of its name that shares its address is not there any more: its share is given back",
                    served().ingress("192.0.2.1"),
                    List.of(heldAlsoByPredecessor("192.0.2.1", OURS)),
                    AUTO,
                    false,
                    "TearDown Release[192.0.2.1]"),
            new Row(
                    "what was about to be claimed for a class that is gone is let go",
                    web().loadBalancerClass("x/gone"),
                    List.of(unclaimed("192.0.2.1", Holding.State.HELD, "x/gone")),
                    AUTO,
                    false,
                    "TearDown Release[192.0.2.1]"),
            new Row(
                    "so is what may have been claimed for it: nobody would read whether it was",
                    web().loadBalancerClass("x/gone"),
                    List.of(unclaimed("192.0.2.1", Holding.State.UNSURE, "x/gone")),
                    AUTO,
                    false,
                    "TearDown Release[192.0.2.1]"),
            new Row(
                    "what was never claimed is kept for one that publishes it, and is marked",
                    served().loadBalancerClass("x/gone").ingress("192.0.2.1"),
                    List.of(unclaimed("192.0.2.1", Holding.State.HELD, "x/gone")),
                    AUTO,
                    false,
                    "Skip ClassMissing Explain"),
            new Row(
                    "but not once the marks are off: anyone could have written the status",
                    web().loadBalancerClass("x/gone").ingress("192.0.2.1"),
                    List.of(unclaimed("192.0.2.1", Holding.State.HELD, "x/gone")),
                    AUTO,
                    false,
                    "TearDown Release[192.0.2.1]"),
            new Row(
                    "a reservation for another class is not",
                    web(),
                    List.of(held("192.0.2.9", null, "x")),
                    AUTO,
                    false,
                    "Serve Acquire"),
            new Row(
                    "a family it wants no more is released, after the status",
                    web().finalizer(WellKnownNames.FINALIZER),
                    List.of(held("192.0.2.1", "u1", OURS), held("2001:db8::1", "u1", OURS)),
                    AUTO,
                    false,
                    "Serve"),
            new Row(
                    "what one of its name had before is its own now",
                    web(),
                    List.of(held("192.0.2.1", "u0", OURS)),
                    AUTO,
                    false,
                    "Serve ConfirmClaim[192.0.2.1]"),
            new Row(
                    "who bore the name before gives way first, with what is of no use to it",
                    web(),
                    List.of(held("2001:db8::1", "u0", OURS)),
                    AUTO,
                    false,
                    "TearDown Release[2001:db8::1]"),
            new Row(
                    "one that is gone holds nothing",
                    null,
                    List.of(held("192.0.2.1", "u1", OURS)),
                    AUTO,
                    false,
                    "TearDown Release[192.0.2.1]"),
            new Row("a reservation outlives it", null, List.of(held("192.0.2.1", null, OURS)), AUTO, false, "NotOurs"));

    private static String text(ServicePlan plan) {
        StringBuilder text = new StringBuilder(plan.getClass().getSimpleName());
        if (plan instanceof ServicePlan.Skip leave) {
            text.append(' ').append(leave.reason());
        }
        for (Step step : plan.steps()) {
            text.append(' ').append(step.getClass().getSimpleName());
            if (step instanceof Step.Release(List<Ip> addresses)) {
                text.append(addresses);
            } else if (step instanceof Step.Clear(List<Published> others) && !others.isEmpty()) {
                text.append("-but").append(others);
            } else if (step instanceof Step.ConfirmClaim(Holding holding, ServedClass none)) {
                text.append('[').append(holding.ip()).append(']');
            }
        }
        if (plan instanceof ServicePlan.Serve serve && serve.marks()) {
            text.append(" AddFinalizer");
        }
        return text.toString();
    }

    @Test
    @Answers({"cilium/cilium#33351", "cilium/cilium#40888"})
    void whoseAServiceIs_andWhatIsDone() {
        for (Row row : ROWS) {
            assertThat(text(plan(row.service(), row.holdings(), row.classes(), row.deference())))
                    .as(row.rule())
                    .isEqualTo(row.plan());
        }
    }

    private static List<Ip> preferred(SampleService service) {
        return plan(service, List.of(), AUTO, false).steps().stream()
                .filter(Step.Acquire.class::isInstance)
                .flatMap(step -> ((Step.Acquire) step).request().preferred().stream())
                .toList();
    }

    @Test
    void status_isARequestOnlyOfAServiceThatWeServed() {
        assertThat(preferred(served().ingress("192.0.2.7"))).containsExactly(Ip.parse("192.0.2.7"));
        assertThat(plan(web().ingress("192.0.2.7"), List.of(), AUTO, false).steps())
                .isEmpty();
        assertThat(preferred(web().finalizer(WellKnownNames.FINALIZER).ingress("192.0.2.7")))
                .isEmpty();
    }

    @Test
    void aStatusThatNoPoolCouldHaveGiven_doesNotStopTheService() {
        assertThat(preferred(served().ingress("::ffff:192.0.2.7"))).isEmpty();
    }

    @Test
    void requireDualStack_withOneFamilyHeld_asksForTheOther() {
        ServicePlan plan = plan(
                web().families(FamilyPolicy.REQUIRE_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6),
                List.of(held("192.0.2.1", "u1", OURS)),
                AUTO,
                false);

        assertThat(plan.steps().getFirst())
                .isInstanceOfSatisfying(
                        Step.Acquire.class,
                        acquire -> assertThat(acquire.request().families()).containsExactly(IpFamily.IPV6));
    }

    private static final String CLOUD = "x/cloud";

    private static final ClassDeclaration CLOUD_CLASS = declared("cloud", CLOUD, "me", "cloud", false, 1);

    /** Two classes of ours: the default, and one whose provider brings its own addresses, unless that is missing. */
    private static ClassSet withCloud(boolean hasProvider) {
        Map<String, Capabilities> providers = new TreeMap<>();
        providers.put("pool", Capabilities.fromPools(IpMode.VIP).withImmediate(true));
        if (hasProvider) {
            providers.put("cloud", Capabilities.ofItsOwn(IpMode.PROXY));
        }
        return ClassSet.of(
                List.of(declared("ours", OURS, "me", true, 2), CLOUD_CLASS),
                "me",
                new KnownProviders(providers, Map.of()));
    }

    private static SampleService servedByCloud() {
        return served().annotation(WellKnownNames.SERVED_BY_CLASS, CLOUD).ingress("203.0.113.1");
    }

    private static List<String> deletedBy(ServicePlan plan) {
        return plan.steps().stream()
                .flatMap(step -> step instanceof Step.DeleteLoadBalancer(ServedClass served)
                        ? Stream.of(served.name())
                        : Stream.empty())
                .toList();
    }

    @Test
    void providerThatServedIt_isToldToDelete_thoughTheServiceNamesNoClassAnyMore() {
        ServicePlan plan = plan(servedByCloud().typeLoadBalancer(false), List.of(), withCloud(true), false);

        assertThat(text(plan)).isEqualTo("TearDown DeleteLoadBalancer Clear");
        assertThat(deletedBy(plan)).containsExactly("cloud");
    }

    @Test
    void everyProviderThatMayHaveServedIt_isToldToDelete_whereTheMarkOfItsClassWasTakenOff() {
        SampleService unmarked = served().ingress("203.0.113.1").typeLoadBalancer(false);

        assertThat(deletedBy(plan(unmarked, List.of(), withCloud(true), false))).containsExactly("ours", "cloud");
    }

    /** The answer to the create of the Address got lost, and it landed when the Service was the cloud's already. */
    @Test
    void classThatItNames_isToldToDelete_thoughAClaimIsForAnother_whereTheMarkWasTakenOff() {
        for (boolean deleting : List.of(true, false)) {
            SampleService goes = web().finalizer(WellKnownNames.FINALIZER)
                    .loadBalancerClass(CLOUD)
                    .ingress("203.0.113.1")
                    .deleting(deleting);

            assertThat(deletedBy(plan(goes, List.of(held("192.0.2.1", "u1", OURS)), withCloud(true), false)))
                    .containsExactly("ours", "cloud");
        }
        SampleService changes = served().loadBalancerClass(CLOUD).ingress("192.0.2.1");
        assertThat(deletedBy(plan(changes, List.of(held("192.0.2.1", "u1", OURS)), withCloud(true), false)))
                .containsExactly("ours");
    }

    @Test
    void anotherClassThanItIsServedBy_isHad_onceTheProviderBeforeHasDeleted() {
        ServicePlan plan = plan(servedByCloud().loadBalancerClass(OURS), List.of(), withCloud(true), false);

        assertThat(text(plan)).isEqualTo("TearDown DeleteLoadBalancer Clear");
        assertThat(deletedBy(plan)).containsExactly("cloud");
    }

    @Test
    void serviceWhoseProviderBringsAddresses_isKept_whileItsClassOrItsPluginIsMissing() {
        for (SampleService service : List.of(
                servedByCloud().loadBalancerClass(CLOUD),
                servedByCloud(),
                servedByCloud().loadBalancerClass(OURS),
                servedByCloud().loadBalancerClass(CLOUD).deleting(true),
                servedByCloud().typeLoadBalancer(false))) {
            for (ClassSet classes : List.of(AUTO, withCloud(false))) {
                assertThat(text(plan(service, List.of(), classes, false)))
                        .as("%s", service.build())
                        .isEqualTo("Skip ClassMissing Explain");
            }
        }
        assertThat(plan(servedByCloud(), List.of(), withCloud(false), false))
                .isInstanceOfSatisfying(
                        ServicePlan.Skip.class,
                        leave -> assertThat(leave.message())
                                .startsWith(
                                        "LoadBalancerClass \"cloud\" is not accepted: there is no provider \"cloud\""));
    }

    @Test
    void serviceWithMarksAlone_whoseClassIsGone_readsTheClassThatItNames() {
        SampleService service = served().loadBalancerClass("x/gone").ingress("192.0.2.1");
        List<Holding> published = List.of(unclaimed("192.0.2.1", Holding.State.HELD, "x/gone"));
        assertThat(plan(service, published, AUTO, false))
                .isInstanceOfSatisfying(
                        ServicePlan.Skip.class,
                        leave -> assertThat(leave.message())
                                .startsWith("no accepted LoadBalancerClass serves \"x/gone\" any more; "));
    }

    @Test
    void addressesOfAClassThatIsDeleted_stayClaimed_untilItsProviderHasDeleted_orTheMarkIsTakenOff() {
        List<Holding> claims = List.of(held("192.0.2.1", "u1", "x/slow"));
        SampleService goes = served().ingress("192.0.2.1").deleting(true);

        assertThat(text(plan(goes.annotation(WellKnownNames.SERVED_BY_CLASS, "x/slow"), claims, AUTO, false)))
                .isEqualTo("Skip ClassMissing Explain");
        assertThat(text(plan(goes.annotation(WellKnownNames.SERVED_BY_CLASS, null), claims, AUTO, false)))
                .isEqualTo("TearDown Clear Release[192.0.2.1]");
    }

    /** Two operators that remember different things would else write different messages in turn. */
    @Test
    void whyItIsLeft_isSaidByWhatTheClusterHas_notByWhatIsRemembered() {
        Holding remembered = new Holding(
                Ip.parse("192.0.2.1"), Holding.State.HELD, ClaimSpec.of("edge", "x/gone", new Owner(WEB, "u1")), null);
        SampleService service = served().ingress("192.0.2.1");
        ClassSet classes = SampleClasses.awaited("x/gone", "theirs");

        assertThat(message(plan(service, List.of(remembered), classes, false)))
                .isEqualTo(message(plan(service, List.of(), classes, false)));
    }

    /** The condition that says so makes the marks whole. */
    @Test
    void halfMarksOfAClassThatIsNotAccepted_areKept_andItIsSaidAsWithAllMarks() {
        for (String named : Arrays.asList(null, OURS)) {
            SampleService half =
                    web().annotation(WellKnownNames.SERVED_BY_CLASS, CLOUD).finalizer(WellKnownNames.FINALIZER);

            assertThat(message(plan(half.loadBalancerClass(named), List.of(), withCloud(false), false)))
                    .isEqualTo(message(
                            plan(servedByCloud().loadBalancerClass(named), List.of(), withCloud(false), false)));
        }
    }

    private static String message(ServicePlan plan) {
        assertThat(plan).isInstanceOf(ServicePlan.Skip.class);
        return ((ServicePlan.Skip) plan).message();
    }

    /** The answer to its create got lost, and the Service was given another class before it was done. */
    @Test
    void claimThatLandedLate_forAClassThatIsGone_holdsNothingUp() {
        List<Holding> late = List.of(held("192.0.2.1", "u1", "x/gone"));
        SampleService named = servedByCloud().loadBalancerClass(CLOUD);

        for (SampleService service : List.of(named, servedByCloud().typeLoadBalancer(false))) {
            ServicePlan plan = plan(service, late, withCloud(true), false);
            assertThat(text(plan)).isEqualTo("TearDown DeleteLoadBalancer Clear Release[192.0.2.1]");
            assertThat(deletedBy(plan)).containsExactly("cloud");
        }
    }

    /** It bore that class for a moment, and bears it again. */
    @Test
    void claimThatLandedLate_forTheClassThatItNamesNow_hidesNothingThatAnotherClassMade() {
        for (String now : List.of(OURS, "x/gone")) {
            ServicePlan plan = plan(
                    servedByCloud().loadBalancerClass(now),
                    List.of(held("192.0.2.1", "u1", now)),
                    withCloud(true),
                    false);
            assertThat(text(plan)).startsWith("TearDown DeleteLoadBalancer");
            assertThat(deletedBy(plan)).contains("cloud");
        }
    }

    @Test
    void everyProviderThatMayHaveMadeSomething_deletes_whetherTheMarkOrAClaimSaysSo() {
        SampleService goes = servedByCloud().typeLoadBalancer(false);

        ServicePlan plan = plan(goes, List.of(held("192.0.2.1", "u1", OURS)), withCloud(true), false);

        assertThat(deletedBy(plan)).containsExactly("cloud", "ours");
    }

    @Test
    void anAddressThatIsKeptForIt_andThatAnotherHasByNow_isItsOwnAgainOnlyIfTheyShare() {
        Owner other = new Owner(new ServiceKey("prod", "other"), "u9");
        ClaimSpec alone = SampleClaims.retained(ClaimSpec.of("edge", OURS, other, new Owner(WEB, null)));
        SampleService shares = web().annotation(WellKnownNames.SHARING_KEY, "k");
        Sharing sharing = AddressAnnotations.of(shares.build(), IpMode.VIP, List.of())
                .constraints()
                .sharing();

        assertThat(text(plan(shares, List.of(claimed(alone)), AUTO, false))).isEqualTo("Serve Acquire");
        assertThat(text(plan(shares, List.of(claimed(alone.shared(sharing))), AUTO, false)))
                .isEqualTo("Serve ConfirmClaim[192.0.2.1]");
        assertThat(text(plan(web(), List.of(claimed(alone.shared(sharing))), AUTO, false)))
                .isEqualTo("Serve Acquire");
    }

    private static List<IpFamily> acquired(ServiceState.FamilyPolicy policy) {
        SampleService service = served().families(policy, IpFamily.IPV4, IpFamily.IPV6)
                .annotation(WellKnownNames.ADDRESSES, "192.0.2.9");
        return plan(service, List.of(held("192.0.2.1", "u1", OURS)), AUTO, false).steps().stream()
                .flatMap(step -> step instanceof Step.Acquire(AddressRequest request)
                        ? request.families().stream()
                        : Stream.empty())
                .toList();
    }

    @Test
    void anotherAddressThanItHas_isTakenAlsoWhileItLacksOneOfTheOtherFamily_butOfAWholeTheLackingHalfComesFirst() {
        assertThat(acquired(ServiceState.FamilyPolicy.PREFER_DUAL_STACK)).containsExactly(IpFamily.IPV4, IpFamily.IPV6);
        assertThat(acquired(ServiceState.FamilyPolicy.REQUIRE_DUAL_STACK)).containsExactly(IpFamily.IPV6);
    }

    @Test
    void addressOfAPredecessor_isTaken_andIfAnotherHasItsPortByNow_itSaysSoAtOnce() {
        SampleService shares = web().annotation(WellKnownNames.SHARING_KEY, "k");
        Sharing mine = Objects.requireNonNull(AddressAnnotations.of(shares.build(), IpMode.VIP, List.of())
                .constraints()
                .sharing());
        Owner other = new Owner(new ServiceKey("prod", "other"), "u9");
        Sharing.Port port = mine.ports().getFirst();
        Sharing theirs = new Sharing(
                mine.key(), mine.terms(), List.of(new Sharing.Port(other.service(), port.protocol(), port.port())));
        ClaimSpec spec =
                ClaimSpec.of("edge", OURS, new Owner(WEB, "predecessor"), other).shared(theirs);

        assertThat(text(plan(shares, List.of(claimed(spec)), AUTO, false)))
                .isEqualTo("Serve ConfirmClaim[192.0.2.1] Warn");
    }

    private static Holding claimed(ClaimSpec spec) {
        return Holding.of(new Claim(Ip.parse("192.0.2.1"), "c", "5", spec));
    }

    @Test
    void whatAStrangerPublishedForOneWhoseClassIsGone_isFree_onceItIsPublishedNoLonger() {
        Holding kept = new Holding(
                Ip.parse("192.0.2.9"), Holding.State.HELD, ClaimSpec.of(null, null, new Owner(WEB, "u1")), null);
        List<Holding> held = List.of(held("192.0.2.1", "u1", "x/slow"), kept);
        SampleService goes =
                served().annotation(WellKnownNames.SERVED_BY_CLASS, "x/slow").typeLoadBalancer(false);

        assertThat(text(plan(goes, held, AUTO, false))).isEqualTo("TearDown Release[192.0.2.9]");
        assertThat(text(plan(goes, held.subList(0, 1), AUTO, false))).isEqualTo("Skip ClassMissing Explain");
    }

    @Test
    void claimThatLandedLate_besideOneOfTheClassThatIsMarked_isGivenBackAlone() {
        List<Holding> claims = List.of(held("192.0.2.1", "u1", "x/gone"), held("192.0.2.2", "u1", OURS));
        SampleService service = served().annotation(WellKnownNames.SERVED_BY_CLASS, OURS)
                .loadBalancerClass(OURS)
                .ingress("192.0.2.2");

        assertThat(text(plan(service, claims, AUTO, false))).isEqualTo("Serve");
    }

    /** Without a mark it is not known which of the two was served; only what the cloud provider made would be left behind. */
    @Test
    void claimsOfTwoClasses_withoutAMark_areOfTheOneThatIsPublished_orOfTheOneWhoseMarkWasTakenOff() {
        List<Holding> claims = List.of(held("192.0.2.1", "u1", OURS), held("192.0.2.2", "u1", CLOUD));

        assertThat(servedClass(plan(served(), claims, withCloud(true), false))).isEqualTo(CLOUD);
        assertThat(servedClass(plan(served().ingress("192.0.2.1"), claims, withCloud(true), false)))
                .isEqualTo(OURS);
    }

    /** It is released, and another address is allocated: what serves is the class of what is published. */
    @Test
    void claimForAnotherClass_thatLandedLate_isNotKept_besideWhatIsPublished() {
        SampleService dual = served().loadBalancerClass(OURS)
                .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV6, IpFamily.IPV4)
                .ingress("2001:db8::1");

        ServicePlan plan =
                plan(dual, List.of(held("192.0.2.1", "u1", CLOUD), held("2001:db8::1", "u1", OURS)), AUTO, false);

        assertThat(text(plan)).isEqualTo("Serve Acquire");
        assertThat(plan.requests())
                .singleElement()
                .satisfies(request -> assertThat(request.families()).containsExactly(IpFamily.IPV4));
    }

    private static String servedClass(ServicePlan plan) {
        assertThat(plan).isInstanceOf(ServicePlan.Serve.class);
        return ((ServicePlan.Serve) plan).servedClass().value();
    }

    @Test
    void markOfAClass_withoutTheFinalizer_besideAnAddressThatSaysOtherwise_orInACopiedManifest_holdsNothingUp() {
        assertThat(text(plan(web().annotation(WellKnownNames.SERVED_BY_CLASS, CLOUD), List.of(), AUTO, false)))
                .isEqualTo("Serve Acquire");
        assertThat(text(plan(
                        served().annotation(WellKnownNames.SERVED_BY_CLASS, "x/nonsense")
                                .deleting(true),
                        List.of(held("192.0.2.1", "u1", OURS)),
                        AUTO,
                        false)))
                .isEqualTo("TearDown DeleteLoadBalancer Clear Release[192.0.2.1]");
        SampleService copied =
                web().annotation(WellKnownNames.SERVED_BY_CLASS, CLOUD).finalizer(WellKnownNames.FINALIZER);
        assertThat(text(plan(copied.typeLoadBalancer(false).deleting(true), List.of(), AUTO, false)))
                .isEqualTo("TearDown Clear");
    }

    /** As a crash leaves it, or a user: with a condition beside it, it would say that the other class has served it. */
    @Test
    void markOfAnotherClass_withTheFinalizer_isTakenOff_beforeTheServiceIsServed() {
        SampleService marked =
                web().annotation(WellKnownNames.SERVED_BY_CLASS, CLOUD).finalizer(WellKnownNames.FINALIZER);
        for (SampleService service : List.of(marked, marked.loadBalancerClass(OURS))) {
            assertThat(text(plan(service, List.of(), withCloud(true), false)))
                    .isEqualTo("TearDown DeleteLoadBalancer Clear");
        }
        assertThat(text(plan(marked.loadBalancerClass(CLOUD), List.of(), withCloud(true), false)))
                .isEqualTo("Serve");
        SampleService ofAClassThatIsGone = marked.annotation(WellKnownNames.SERVED_BY_CLASS, "x/gone");
        assertThat(text(plan(ofAClassThatIsGone, List.of(), withCloud(true), false)))
                .isEqualTo("TearDown Clear");
    }

    @Test
    void mark_isPutOnWithTheFinalizer_beforeTheProviderIsAsked_andOnOnesThatHaveTheFinalizerAlone() {
        for (SampleService service :
                List.of(web(), web().finalizer(WellKnownNames.FINALIZER), served().ingress("203.0.113.1"))) {
            assertThat(text(plan(service.loadBalancerClass(CLOUD), List.of(), withCloud(true), false)))
                    .isEqualTo("Serve AddFinalizer");
        }
        assertThat(text(plan(servedByCloud().loadBalancerClass(CLOUD), List.of(), withCloud(true), false)))
                .isEqualTo("Serve");
    }

    @Test
    void serviceThatGoesFromOneBerthToAnother_isTakenBackByTheOneFirst() {
        ClassSet mine = ClassSet.of(
                List.of(CLOUD_CLASS, declared("theirs", "theirs/pool", "you", "pool", true, 2)),
                "me",
                new KnownProviders(Map.of("cloud", Capabilities.ofItsOwn(IpMode.PROXY)), Map.of()));
        ClassSet theirs = ClassSet.of(
                List.of(CLOUD_CLASS, declared("theirs", "theirs/pool", "you", "pool", true, 2)),
                "you",
                new KnownProviders(Map.of("pool", Capabilities.fromPools(IpMode.VIP)), Map.of()));
        SampleService moved = servedByCloud().loadBalancerClass("theirs/pool").ingress();

        assertThat(text(plan(moved, List.of(), mine, false))).isEqualTo("TearDown DeleteLoadBalancer Clear");
        assertThat(text(plan(moved, List.of(), theirs, false))).isEqualTo("Skip ServedByOtherController");
        assertThat(text(plan(servedByCloud(), List.of(), theirs, false))).isEqualTo("NotOurs");
        assertThat(text(plan(servedByCloud(), List.of(), mine, false))).isEqualTo("Serve");
    }
}
