package dev.berth.controller.service;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.controller.loadbalancerclass.ClassControl;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.kube.Classes;
import dev.berth.kube.Conditions;
import dev.berth.kube.Pools;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolSet;
import dev.berth.pool.PoolUse;
import io.fabric8.kubernetes.api.model.Condition;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the statuses of pools and classes must say when nothing happens any more. */
final class PoolRules {
    private final SimulatedWorld world;
    private final Map<String, LoadBalancerClass> before = new TreeMap<>();
    private long checkedAt;

    PoolRules(SimulatedWorld world) {
        this.world = world;
    }

    private static void check(boolean holds, Supplier<String> message) {
        if (!holds) {
            throw new AssertionError(message.get());
        }
    }

    /** Once it has said that it serves Services without a class, nobody who writes a Service makes it defer. */
    void always() {
        if (checkedAt != world.kinds.classes.revision()) {
            checkedAt = world.kinds.classes.revision();
            world.kinds.classes.objects.values().forEach(this::checkServesOn);
            before.clear();
            before.putAll(world.kinds.classes.objects);
        }
    }

    private void checkServesOn(LoadBalancerClass now) {
        LoadBalancerClass old = before.get(now.getMetadata().getName());
        boolean hasServed = old != null
                && old.getMetadata().getUid().equals(now.getMetadata().getUid())
                && Classes.declaration(old).hasServedClassless();
        check(
                !hasServed
                        || find(Conditions.of(now.getStatus()), Classes.SERVES_CLASSLESS)
                                .filter(said -> said.getReason().equals("DeferredToOther"))
                                .isEmpty(),
                () -> "class " + now.getMetadata().getName() + " served Services without a class, and defers now: "
                        + now.getStatus());
    }

    /**
     * Checks all of them.
     *
     * @param told what a ledger knows that learned all from the cluster, for each operator
     */
    void settled(List<Ledger> told) {
        PoolSet poolSet = world.poolSet();
        world.kinds.pools.objects.values().forEach(pool -> checkPool(pool, poolSet, told));
        ClassSet classes = world.classSet();
        world.kinds.classes.objects.values().forEach(object -> checkClass(object, classes));
    }

    // ---- pools

    private void checkPool(AddressPool pool, PoolSet poolSet, List<Ledger> told) {
        String name = pool.getMetadata().getName();
        AddressPool.Status status = pool.getStatus();
        if (status == null) {
            throw new AssertionError("pool " + name + " has no status");
        }
        check(
                pool.getMetadata().getGeneration().equals(status.observedGeneration()),
                () -> "pool " + name + " has a status of another generation: " + status);
        checkFamily(name, IpFamily.IPV4, status.ipv4(), poolSet, told);
        checkFamily(name, IpFamily.IPV6, status.ipv6(), poolSet, told);
        List<String> faults = poolSet.faults(name);
        checkCondition(name, conditions(status), "Valid", faults.isEmpty() ? "True" : "False", faults);
        checkStranded(pool, status, poolSet);
    }

    private void checkFamily(
            String name, IpFamily family, AddressPool.@Nullable Family shown, PoolSet poolSet, List<Ledger> told) {
        BigInteger capacity =
                poolSet.named(name).map(found -> found.capacity(family)).orElse(BigInteger.ZERO);
        if (shown == null) {
            check(capacity.equals(BigInteger.ZERO), () -> "pool " + name + " does not say how full it is");
            return;
        }
        // What is published and not claimed is withheld by one that saw it when it began, and maybe by nobody else.
        List<PoolUse> known = isAnyWithheld()
                ? uses(name, family)
                : told.stream().map(ledger -> ledger.use(name, family)).toList();
        check(
                known.stream().anyMatch(use -> isShown(name, family, shown, capacity, use, poolSet)),
                () -> "pool " + name + " shows " + shown + " of capacity " + capacity + ", but it is " + known + ": "
                        + world.cluster.claims.values());
    }

    private boolean isShown(
            String name, IpFamily family, AddressPool.Family shown, BigInteger capacity, PoolUse use, PoolSet poolSet) {
        return shown.capacity().equals(capacity.toString())
                && use.capacity().equals(capacity)
                && shown.reserved().equals(use.reserved().toString())
                && shown.cooling().equals(count(name, family, ClaimSpec.Phase.COOLING, poolSet))
                && shown.allocated().equals(use.allocated().toString())
                && shown.available().equals(use.available().toString())
                && shown.waiting().equals(use.waiting());
    }

    private List<PoolUse> uses(String name, IpFamily family) {
        return world.operators.stream()
                .map(operator -> operator.ledger.use(name, family))
                .toList();
    }

    /**
     * Whether the operators have other numbers of a pool, and write them in turn: they know nothing of each other, so
     * neither need they agree on the order of those that wait, nor on what was published when they began, be it stranded by
     * now.
     */
    boolean doOperatorsDisagree() {
        return world.kinds.pools.objects.keySet().stream()
                .anyMatch(name -> Stream.of(IpFamily.values()).anyMatch(family -> differ(uses(name, family)))
                        || differ(stranded(name)));
    }

    /** What is stranded of a pool, as each operator knows it. */
    private List<List<Ip>> stranded(String name) {
        return world.operators.stream()
                .map(operator -> operator.ledger.stranded(name, Integer.MAX_VALUE).first().stream()
                        .map(Holding::ip)
                        .toList())
                .toList();
    }

    private static boolean differ(List<?> known) {
        return known.stream().distinct().count() > 1;
    }

    /** Whether a Service publishes what a pool has and nobody claimed: a stranger wrote it, and nothing is done to it. */
    boolean isAnyWithheld() {
        PoolSet poolSet = world.poolSet();
        return world.cluster.services.values().stream()
                .flatMap(service -> service.publishedAddresses().stream())
                .filter(ip -> poolSet.poolOf(ip).isPresent())
                .anyMatch(ip -> !world.cluster.claims.containsKey(ip));
    }

    private String count(String pool, IpFamily family, ClaimSpec.Phase phase, PoolSet poolSet) {
        return Long.toString(world.cluster.claims.values().stream()
                .filter(claim -> claim.ip().family() == family && claim.spec().phase() == phase)
                .filter(claim -> poolSet.poolOf(claim.ip()).map(Pool::name).equals(Optional.of(pool)))
                .count());
    }

    private void checkStranded(AddressPool pool, AddressPool.Status status, PoolSet poolSet) {
        String name = pool.getMetadata().getName();
        List<Ip> claimed = world.cluster.claims.values().stream()
                .filter(claim ->
                        name.equals(claim.spec().pool()) && claim.spec().phase() == ClaimSpec.Phase.BOUND)
                .map(Claim::ip)
                .filter(ip -> poolSet.poolOf(ip).isEmpty())
                .toList();
        AddressPool.Stranded shown = status.stranded();
        List<Ip> named = shown == null
                ? List.of()
                : shown.addresses().stream()
                        .map(address -> Ip.parse(address.address()))
                        .toList();
        List<List<Ip>> known = stranded(name);
        List<Ip> stranded = differ(known) && known.contains(named) ? named : claimed;
        check(named.equals(stranded), () -> "pool " + name + " says that " + shown + " is stranded, but " + stranded);
        if (stranded.isEmpty()) {
            check(
                    find(conditions(status), "Stranded").isEmpty(),
                    () -> "pool " + name + " has nothing stranded, but " + conditions(status));
        } else {
            checkCondition(name, conditions(status), "Stranded", "True", List.of());
        }
        Optional<String> acknowledged = Pools.acknowledgement(pool).filter(text -> stranded.isEmpty());
        check(
                !stranded.isEmpty()
                        || Optional.ofNullable(status.releasedStranded()).equals(acknowledged),
                () -> "pool " + name + " says that " + status.releasedStranded() + " did its work, but it is "
                        + acknowledged);
    }

    private static List<Condition> conditions(AddressPool.Status status) {
        return Objects.requireNonNullElse(status.conditions(), List.of());
    }

    // ---- classes

    private void checkClass(LoadBalancerClass object, ClassSet classSet) {
        String name = object.getMetadata().getName();
        if (name.equals(SimulatedPools.ELSEWHERE) && classSet.isServedElsewhere(SimulatedPeople.ELSEWHERE)) {
            return;
        }
        LoadBalancerClass.Status status = object.getStatus();
        if (status == null) {
            throw new AssertionError("class " + name + " has no status");
        }
        check(
                object.getMetadata().getGeneration().equals(status.observedGeneration()),
                () -> "class " + name + " has a status of another generation: " + status);
        List<Condition> conditions = Objects.requireNonNullElse(status.conditions(), List.of());
        ClassSet.Verdict verdict = classSet.verdict(name).orElseThrow();
        checkCondition(name, conditions, "Accepted", verdict.accepted() ? "True" : "False", List.of(verdict.message()));
        ClassControl.Services services = world.operators.getFirst().control.ofClasses();
        boolean servesClassless =
                verdict.isDefault() && services.deference(classSet).isEmpty();
        if (verdict.defaultMessage().isEmpty()) {
            check(
                    find(conditions, "ServesClassless").isEmpty(),
                    () -> "class " + name + " does not ask to be the default, but " + conditions);
        } else {
            checkCondition(name, conditions, "ServesClassless", servesClassless ? "True" : "False", List.of());
        }
        Optional<String> skipped = services.servedByAnother(name);
        check(
                find(conditions, "ServicesSkipped").map(Condition::getMessage).equals(skipped),
                () -> "class " + name + " skips " + skipped + ", but says " + conditions);
    }

    // ---- both

    private static Optional<Condition> find(List<Condition> conditions, String type) {
        return conditions.stream()
                .filter(condition -> condition != null && type.equals(condition.getType()))
                .findFirst();
    }

    private static void checkCondition(
            String name, List<Condition> conditions, String type, String status, List<String> says) {
        Optional<Condition> found = find(conditions, type);
        check(
                found.filter(condition -> status.equals(condition.getStatus())
                                && says.stream().allMatch(condition.getMessage()::contains))
                        .isPresent(),
                () -> name + " should have " + type + " " + status + " " + says + ", but has " + conditions);
        check(
                conditions.stream()
                                .filter(condition -> condition == null || type.equals(condition.getType()))
                                .count()
                        == 1,
                () -> name + " has more than one " + type + ": " + conditions);
    }
}
