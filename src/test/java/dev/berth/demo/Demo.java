package dev.berth.demo;

import static dev.berth.demo.Narration.say;
import static dev.berth.demo.Narration.seconds;
import static dev.berth.demo.Narration.timed;
import static dev.berth.demo.Narration.title;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.kube.Conditions;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shows Berth at work on a real API server. {@code demo} ends with exit code 0 if all was as expected, else with 1;
 * {@code run} stays up until Ctrl-C.
 */
public final class Demo {
    private static final int PATIENCE_SECONDS = 60;
    private static final int LOG_TAIL = 20;
    private static final String NAMESPACE = "default";
    private static final String EXAMPLES = "docs/examples/";
    private static final String INSTALLATION = EXAMPLES + "cluster-addresses";
    private static final String SCENES = "src/test/resources/dev/berth/demo/";
    private static final String TABLE = "custom-columns-file=" + SCENES + "services.columns";
    private static final String STRANDED = "custom-columns-file=" + SCENES + "stranded.columns";
    private static final String REASON = "custom-columns-file=" + SCENES + "waiting.columns";
    private static final String GROWTH = "custom-columns-file=" + SCENES + "growth.columns";
    private static final String RETIRED = "custom-columns-file=" + SCENES + "retired.columns";

    /** So small that a handful of Services fill it. */
    private static final String[] SERVICE_CIDRS = {"10.96.0.0/28", "fd00:10:96::/108"};

    private static final String NEXT_RANGE = "berth-10.100.0.0-24";
    private static final String LAST_RANGE = "berth-10.101.0.0-24";

    private final ControlPlane cluster;

    private Demo(ControlPlane cluster) {
        this.cluster = cluster;
    }

    /** The one argument is {@code demo} or {@code run}. */
    public static void main(String... arguments) throws Exception {
        boolean staysUp = List.of(arguments).equals(List.of("run"));
        Program.run(() -> play(staysUp));
    }

    private static int play(boolean staysUp) {
        long start = System.nanoTime();
        boolean[] shown = {false};
        try (ControlPlane cluster = timed(
                "etcd %s and kube-apiserver %s, dual stack".formatted(KubeBinaries.ETCD, KubeBinaries.KUBERNETES),
                () -> ControlPlane.builder().serviceCidrs(SERVICE_CIDRS).start())) {
            new Demo(cluster).play(staysUp, () -> shown[0] = true);
        } catch (RuntimeException failure) {
            // Ctrl-C is how "run" ends.
            if (shown[0] && staysUp && !(failure instanceof Unexpected)) {
                say("Everything is stopped.");
                return 0;
            }
            System.out.flush();
            System.err.println("\n" + Objects.requireNonNullElse(failure.getMessage(), failure.toString()));
            return 1;
        }
        say("Everything was as expected, and everything is stopped: %.0f s.", seconds(start));
        return 0;
    }

    private void play(boolean staysUp, Runnable shown) {
        try {
            InstalledBerth installation =
                    timed("kubectl apply -k " + INSTALLATION, () -> InstalledBerth.into(cluster, INSTALLATION));
            say("  flags of its Deployment: %s", String.join(" ", installation.flags()));
            try (OperatorProcess operator =
                    timed("Berth, under RBAC as its ServiceAccount", installation::startOperator)) {
                say("  its log: %s", operator.logFile());
                play(operator, staysUp, shown);
            }
        } finally {
            // An interrupt has done its work; left set, it would cut the orderly end short.
            Thread.interrupted();
        }
    }

    private void play(OperatorProcess operator, boolean staysUp, Runnable shown) {
        try {
            show();
            showClusterAddresses();
            say("");
            shown.run();
            if (staysUp) {
                stayUp(operator);
            }
        } catch (Unexpected unexpected) {
            System.err.println("\nBerth's log ends with:\n" + tail(operator.log()));
            throw unexpected;
        } finally {
            Thread.interrupted();
        }
    }

    // ---- what is shown

    private void show() {
        title("A pool of addresses, a class for Services behind a proxy, and Services");
        kubectl("apply", "-f", EXAMPLES + "pool.yaml", "-f", EXAMPLES + "class-proxy.yaml");
        kubectl("apply", "-f", EXAMPLES + "service.yaml");
        kubectl("apply", "-f", EXAMPLES + "service-proxy.yaml");
        kubectl("apply", "-f", EXAMPLES + "service-dual-stack.yaml");
        kubectl("apply", "-f", SCENES + "other.yaml");
        Service web = awaitAddresses("web", "VIP");
        Service api = awaitAddresses("api", "Proxy");
        Service shop = awaitAddresses("shop", "VIP", "VIP");

        title("One address, and two Services that want it");
        kubectl("apply", "-f", SCENES + "small.yaml");
        Service first = awaitAddresses("first", "VIP");
        kubectl("apply", "-f", SCENES + "second.yaml");
        await(service("second"), "the reason PoolExhausted", Demo::waitsForAddress);

        title("Each has its address, but the one that waits and the one of another controller");
        String table = kubectl("get", "services", "--field-selector=spec.type=LoadBalancer", "-o", TABLE);
        for (Service served : List.of(web, api, shop, first)) {
            expectRow(table, served, addresses(served), ipModes(served));
        }
        expectRow(table, service("second").require(), "<none>", "<none>");
        expectUntouched(service("other").require(), table);
        awaitPool("example", 4);
        awaitPool("small", 1);
        kubectl("get", "addresses");
        kubectl("get", "addresspools");
        String why = kubectl("get", "service", "second", "-o", REASON);
        Unexpected.unless(why.contains("0 of 1 free"), "a message with \"0 of 1 free\"", why);

        title("A Service goes, and the one that waits gets its address");
        kubectl("delete", "service", "first");
        String freed = addresses(first);
        await(
                service("second"),
                "the address " + freed + " of first",
                second -> addresses(second).equals(freed));
        awaitPool("small", 1);
        String after = kubectl("get", "services", "--field-selector=spec.type=LoadBalancer", "-o", TABLE);
        expectRow(after, service("second").require(), freed, "VIP");
        Unexpected.unless(!after.contains("first"), "no Service first", after);
        kubectl("delete", "service", "shop");
        awaitPool("example", 2);
        kubectl("get", "addresspools");

        title("An address reserved for a future Service");
        kubectl("apply", "-f", EXAMPLES + "address-reserved.yaml");
        awaitPool("example", 1, AddressPool.Family::reserved);
        await(
                cluster.adminClient().resources(Address.class).withName("192.0.2.7"),
                "the condition Reserved",
                found -> found.getStatus() != null
                        && Conditions.find(found.getStatus().conditions(), "Reserved")
                                .isPresent());
        kubectl("get", "addresses", "-o", "wide");
        kubectl("create", "service", "loadbalancer", "mail", "--tcp=25");
        await(service("mail"), "the address 192.0.2.7", mail -> addresses(mail).equals("192.0.2.7"));

        title("An edit of a pool takes no address from a Service");
        kubectl(
                "patch",
                "addresspool",
                "small",
                "--type=merge",
                "--patch={\"spec\":{\"addresses\":[\"198.51.100.2\"]}}");
        AddressPool small = await(
                pool("small"),
                "the condition Stranded",
                found -> found.getStatus() != null && isStranded(found.getStatus()));
        kubectl("get", "addresspool", "small", "-o", STRANDED);
        Service second = service("second").require();
        Unexpected.unless(addresses(second).equals(freed), "the address " + freed + " as before", addresses(second));
        kubectl(
                "annotate",
                "addresspool",
                "small",
                WellKnownNames.RELEASE_STRANDED + "=" + small.getMetadata().getGeneration());
        await(
                service("second"),
                "the address 198.51.100.2",
                moved -> addresses(moved).equals("198.51.100.2"));
        kubectl("get", "services", "--field-selector=spec.type=LoadBalancer", "-o", TABLE);
        expectUntouched(service("other").require(), after);
    }

    private void showClusterAddresses() {
        title("The range of cluster IPs fills up");
        kubectl("get", "servicecidrs");
        kubectl("apply", "-f", EXAMPLES + "service-cidr-policy.yaml");
        kubectl("create", "-f", SCENES + "fill.yaml");
        await(
                policy(),
                "85 percent in use, and growth in words",
                found -> found.getStatus() != null
                        && found.getStatus().ipv4() != null
                        && found.getStatus().ipv4().usedPercent() == 85
                        && says(found, "Growth", "DryRun"));
        String used = kubectl("get", "servicecidrpolicies");
        Unexpected.unless(used.contains("NearlyFull"), "the range nearly full", used);
        String plan = kubectl("get", "servicecidrpolicy", "cluster", "-o", GROWTH);
        Unexpected.unless(plan.contains("10.100.0.0/24"), "a plan to make 10.100.0.0/24", plan);

        title("It grows before it is full");
        patchPolicy("{\"spec\":{\"growth\":{\"dryRun\":false}}}");
        awaitReady(NEXT_RANGE);
        kubectl("get", "servicecidrs");
        kubectl("create", "-f", SCENES + "more.yaml");
        String grown = kubectl("get", "services", "app-6", "app-7", "app-8");
        Unexpected.unless(grown.contains(" 10.100.0."), "a Service with an address of 10.100.0.0/24", grown);

        title("Another network is to be used from now on: the old range retires");
        patchPolicy("{\"spec\":{\"growth\":{\"ipv4\":{\"supernets\":[\"10.101.0.0/16\"]}}}}");
        kubectl("annotate", "servicecidr", NEXT_RANGE, "berth.dev/retire=true");
        awaitReady(LAST_RANGE);
        await(
                policy(),
                "the condition Retired with the reason RangeDraining",
                found -> says(found, "Retired", "RangeDraining"));
        String left = kubectl("get", "servicecidrpolicy", "cluster", "-o", RETIRED);
        Unexpected.unless(left.contains("of default/app-"), "a Service that is left", left);
        kubectl("replace", "--force", "-f", SCENES + "more.yaml");
        kubectl("wait", "--for=delete", "servicecidr", NEXT_RANGE);
        String cidrs = kubectl("get", "servicecidrs");
        Unexpected.unless(
                !cidrs.contains(NEXT_RANGE) && cidrs.contains(LAST_RANGE), LAST_RANGE + " alone to be there", cidrs);
        String moved = kubectl("get", "services", "app-6", "app-7", "app-8");
        Unexpected.unless(
                moved.contains(" 10.101.0.") && !moved.contains(" 10.100."),
                "a Service with an address of 10.101.0.0/24, and none of 10.100.0.0/24",
                moved);
    }

    private void patchPolicy(String patch) {
        kubectl("patch", "servicecidrpolicy", "cluster", "--type=merge", "--patch=" + patch);
    }

    private void stayUp(OperatorProcess operator) {
        say("""
                It stays up until Ctrl-C. In a second terminal:

                  export KUBECONFIG=%s
                  kubectl get services,addresses,addresspools,loadbalancerclasses
                  kubectl get servicecidrpolicies,servicecidrs,ipaddresses
                  kubectl create service loadbalancer mine --tcp=80 && kubectl get service mine
                  kubectl delete service web && kubectl get addresses
                """, cluster.adminKubeconfig());
        try {
            while (operator.isAlive()) {
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException ctrlC) {
            return;
        }
        throw new Unexpected("an operator that runs", "it has ended");
    }

    // ---- expectations

    private Service awaitAddresses(String name, String... ipModes) {
        List<String> wanted = List.of(ipModes);
        return await(
                service(name),
                wanted.size() + " external address(es) with ipMode " + String.join(",", wanted),
                found -> ingress(found).stream().allMatch(entry -> entry.getIp() != null)
                        && ingress(found).stream()
                                .map(LoadBalancerIngress::getIpMode)
                                .toList()
                                .equals(wanted));
    }

    private void awaitPool(String name, int allocated) {
        await(
                pool(name),
                allocated + " allocated",
                pool -> pool.getStatus() != null
                        && Objects.equals(pool.getStatus().allocated(), (long) allocated));
    }

    private void awaitPool(String name, int number, Function<AddressPool.Family, String> which) {
        await(
                pool(name),
                "a number " + number + " in status.ipv4",
                pool -> pool.getStatus() != null
                        && pool.getStatus().ipv4() != null
                        && which.apply(pool.getStatus().ipv4()).equals(Integer.toString(number)));
    }

    private Resource<ServiceCIDRPolicy> policy() {
        return cluster.adminClient().resources(ServiceCIDRPolicy.class).withName(ServiceCIDRPolicy.NAME);
    }

    private void awaitReady(String serviceCidr) {
        await(
                cluster.adminClient().resources(ServiceCIDR.class).withName(serviceCidr),
                "the condition Ready",
                found -> found.getStatus() != null
                        && found.getStatus().getConditions().stream()
                                .anyMatch(condition -> condition.getType().equals("Ready")
                                        && condition.getStatus().equals("True")));
    }

    private static boolean says(ServiceCIDRPolicy policy, String type, String reason) {
        return policy.getStatus() != null
                && policy.getStatus().conditions() != null
                && policy.getStatus().conditions().stream()
                        .anyMatch(condition -> condition.getType().equals(type)
                                && condition.getReason().equals(reason));
    }

    private Resource<AddressPool> pool(String name) {
        return cluster.adminClient().resources(AddressPool.class).withName(name);
    }

    private static boolean isStranded(AddressPool.Status status) {
        return status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Stranded")
                                && condition.getStatus().equals("True"));
    }

    private static boolean waitsForAddress(Service service) {
        return conditions(service).stream()
                .anyMatch(condition -> condition.getType().equals(WellKnownNames.ADDRESS_ASSIGNED)
                        && condition.getStatus().equals("False")
                        && condition.getReason().equals("PoolExhausted"));
    }

    private static <T extends HasMetadata> T await(Resource<T> resource, String expected, Predicate<T> holds) {
        try {
            return resource.waitUntilCondition(
                    found -> found != null && holds.test(found), PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (KubernetesClientTimeoutException late) {
            @Nullable T found = resource.get();
            throw new Unexpected(
                    "%s, within %d s".formatted(expected, PATIENCE_SECONDS),
                    found == null ? "it does not exist" : "\n" + Serialization.asYaml(found));
        }
    }

    private static void expectRow(String table, Service service, String addresses, String ipModes) {
        String row = String.join(
                " ",
                NAMESPACE,
                service.getMetadata().getName(),
                Objects.requireNonNullElse(service.getSpec().getLoadBalancerClass(), "<none>"),
                addresses,
                ipModes);
        Unexpected.unless(
                table.lines()
                        .anyMatch(line -> line.strip().replaceAll(" +", " ").equals(row)),
                "a row \"" + row + "\"",
                "\n" + table);
    }

    private static void expectUntouched(Service other, String table) {
        expectRow(table, other, "<none>", "<none>");
        Unexpected.unless(
                other.getMetadata().getFinalizers().isEmpty()
                        && conditions(other).isEmpty(),
                "Service " + other.getMetadata().getName() + " without finalizers and conditions",
                "\n" + Serialization.asYaml(other));
    }

    // ---- reading

    private Resource<Service> service(String name) {
        return cluster.adminClient().services().inNamespace(NAMESPACE).withName(name);
    }

    private static List<LoadBalancerIngress> ingress(Service service) {
        return service.getStatus().getLoadBalancer().getIngress();
    }

    private static List<Condition> conditions(Service service) {
        return service.getStatus().getConditions();
    }

    private static String addresses(Service service) {
        return joined(service, LoadBalancerIngress::getIp);
    }

    private static String ipModes(Service service) {
        return joined(service, LoadBalancerIngress::getIpMode);
    }

    private static String joined(Service service, Function<LoadBalancerIngress, String> what) {
        return ingress(service).stream().map(what).collect(Collectors.joining(","));
    }

    private static String tail(String log) {
        List<String> lines = log.lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
    }

    private String kubectl(String... arguments) {
        return Narration.kubectl(cluster, arguments);
    }
}
