package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the conditions of a Service say of the pools: those that it names, that reject it, and that do not exist. */
@ExtendWith(SharedInstallation.class)
class PoolReasonsIT {
    private static final String PAGE = " (see docs/annotations.md)";

    private static Installation berth;
    private static Administrator admin;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        admin = new Administrator(shared);
        berth.operator();
    }

    private static UnaryOperator<Map<String, Object>> with(Map<String, Object> fields) {
        return spec -> {
            spec.putAll(fields);
            return spec;
        };
    }

    private static UnaryOperator<ServiceBuilder> ofIpv6(UnaryOperator<ServiceBuilder> change) {
        return builder ->
                change.apply(builder).editSpec().withIpFamilies("IPv6").endSpec();
    }

    private static UnaryOperator<ServiceBuilder> preferDualStack(UnaryOperator<ServiceBuilder> change) {
        return builder -> change.apply(builder)
                .editSpec()
                .withIpFamilyPolicy("PreferDualStack")
                .endSpec();
    }

    @Test
    void poolWithTheExhaustedQuota_isSaidFirst_whereTheServiceNamesNone() {
        String namespace = berth.namespace("quota-first");
        for (int i = 1; i <= 3; i++) {
            berth.pool(
                    namespace + "-" + i, namespace, with(Map.of("suspended", true, "priority", 1)), "198.18.21." + i);
        }
        berth.pool(namespace, with(Map.of("quota", Map.of("perNamespace", 1))), "198.18.21.8/29");
        berth.service(namespace, "first");
        admin.awaitIps(namespace, "first", "198.18.21.8");

        assertThat(admin.waits(namespace, "second", UnaryOperator.identity(), "QuotaExceeded"))
                .startsWith("no IPv4 address: AddressPool \"" + namespace + "\" (quota: namespace " + namespace
                        + " has 1 of 1); AddressPool \"")
                .contains("; AddressPool \"" + namespace + "-1\" is suspended; ");
    }

    @Test
    void whoeverNamesPools_andWaits_isToldThePage_andGetsTheNextPoolOfTheList() {
        String namespace = berth.namespace("list");
        String asleep = namespace + "-asleep";
        String full = namespace + "-full";
        String quota = namespace + "-quota";
        berth.pool(asleep, namespace, with(Map.of("suspended", true)), "198.18.21.16");
        berth.pool(full, namespace, with(Map.of("priority", 1)), "198.18.21.17");
        berth.pool(quota, namespace, with(Map.of("quota", Map.of("perNamespace", 1))), "198.18.21.24/29");

        berth.service(namespace, "fills", annotated(WellKnownNames.ADDRESS_POOL, full + ", " + quota));
        admin.awaitIps(namespace, "fills", "198.18.21.17");
        berth.service(namespace, "next", annotated(WellKnownNames.ADDRESS_POOL, full + "," + quota));
        admin.awaitIps(namespace, "next", "198.18.21.24");

        // Those of the other tests, too.
        long all = admin.kubectl("get", "addresspools", "-o", "name").lines().count();
        String others = "; " + (all - 1) + " other pools are not requested";
        assertThat(admin.waits(namespace, "full", annotated(WellKnownNames.ADDRESS_POOL, full), "PoolExhausted"))
                .isEqualTo("no free IPv4 address: AddressPool \"" + full + "\" (0 of 1 free)" + others
                        + "; add a range or release a Service" + PAGE);
        assertThat(admin.waits(namespace, "quota", annotated(WellKnownNames.ADDRESS_POOL, quota), "QuotaExceeded"))
                .isEqualTo("no IPv4 address: AddressPool \"" + quota + "\" (quota: namespace " + namespace
                        + " has 1 of 1)" + others + "; release a Service or raise the quota" + PAGE);
        assertThat(admin.waits(
                        namespace, "six", ofIpv6(annotated(WellKnownNames.ADDRESS_POOL, full)), "NoPoolForFamily"))
                .isEqualTo("no AddressPool that it requests has IPv6 addresses (of 1)" + others
                        + "; add a range of IPv6 to one" + PAGE);
        assertThat(admin.waits(
                        namespace,
                        "dual",
                        preferDualStack(annotated(WellKnownNames.ADDRESS_POOL, full)),
                        "PoolExhausted"))
                .isEqualTo("no free IPv4 address: AddressPool \"" + full
                        + "\" (0 of 1 free); add a range or release a Service; no AddressPool that it requests has IPv6"
                        + " addresses (of 1)" + others + "; add a range of IPv6 to one" + PAGE);
        assertThat(admin.waits(
                        namespace, "named", annotated(WellKnownNames.ADDRESSES, "198.18.21.16"), "NotAllowedByPools"))
                .isEqualTo("no AddressPool allows 198.18.21.16 for this Service: AddressPool \"" + asleep
                        + "\" is suspended" + PAGE);
        assertThat(admin.waits(
                        namespace,
                        "asleep",
                        annotated(WellKnownNames.ADDRESS_POOL, namespace + "-aslep," + asleep),
                        "NotAllowedByPools"))
                .isEqualTo("no AddressPool allows an IPv4 address for this Service: requested AddressPool \""
                        + namespace + "-aslep\" does not exist (did you mean \"" + asleep
                        + "\"?); AddressPool \"" + asleep + "\" is suspended" + others + PAGE);
    }

    @Test
    void addressOfOnePool_andTheNameOfAnother_areSaidOfBoth_ofANewService_andOfOneThatHasTheAddress() {
        String namespace = berth.namespace("both-there");
        String office = namespace + "-office";
        berth.pool(namespace, "198.18.21.32/29");
        berth.pool(office, namespace, UnaryOperator.identity(), "198.18.21.40/29");

        assertThat(admin.waits(
                        namespace,
                        "new",
                        annotated(WellKnownNames.ADDRESSES, "198.18.21.35", WellKnownNames.ADDRESS_POOL, office),
                        "AddressNotAvailable"))
                .startsWith(
                        "no AddressPool that it requests has 198.18.21.35: AddressPool \"" + namespace + "\" has it;")
                .endsWith(PAGE);

        berth.service(namespace, "live", annotated(WellKnownNames.ADDRESSES, "198.18.21.36"));
        admin.awaitIps(namespace, "live", "198.18.21.36");
        admin.annotate(namespace, "live", "berth.dev/address-pool=" + office);
        assertThat(admin.awaitSaid(namespace, "live", "AddressOfOtherPool"))
                .isEqualTo("holds 198.18.21.36; the Service requests 198.18.21.36, which is in AddressPool"
                        + " \"" + namespace
                        + "\", and also requests an address from AddressPool \"" + office
                        + "\"; if recreated, it would get no address; correct one of the two annotations" + PAGE);
        assertThat(admin.ipsOf(namespace, "live")).containsExactly("198.18.21.36");
    }

    @Test
    void poolThatDoesNotExist_movesNobody_andIsSaid_alsoOfAServiceThatHasAnAddress() {
        String namespace = berth.namespace("not-there");
        berth.pool(namespace, "198.18.21.48/29");
        berth.service(namespace, "web");
        admin.awaitIps(namespace, "web", "198.18.21.48");

        admin.annotate(namespace, "web", "berth.dev/address-pool=" + namespace + "x");
        assertThat(admin.awaitSaid(namespace, "web", "PoolNotFound"))
                .isEqualTo("holds 198.18.21.48; the Service requests an address from AddressPool \"" + namespace
                        + "x\", which does not exist (did you mean \"" + namespace + "\"?)" + PAGE);
        assertThat(admin.ipsOf(namespace, "web")).containsExactly("198.18.21.48");
    }

    /** Nobody claims it again, so that only its label can have the name by which the pool goes now. */
    @Test
    void addressThatNobodyHasNow_isListedUnderItsPool_reservedByHandOrRetained_alsoOnceThePoolHasAnotherName() {
        String namespace = berth.namespace("renamed");
        AddressPool pool = berth.pool(namespace, "198.18.21.56/29");
        admin.reserve("198.18.21.57", namespace, "to-come");
        berth.service(
                namespace, "gone", annotated(WellKnownNames.RETAIN, "true", WellKnownNames.ADDRESSES, "198.18.21.58"));
        admin.awaitIps(namespace, "gone", "198.18.21.58");
        berth.deleteService(namespace, "gone");
        awaitPoolOf("198.18.21.57", namespace, "to-come", namespace);
        awaitPoolOf("198.18.21.58", namespace, "gone", namespace);

        String anew = namespace + "-anew";
        berth.pool(anew, namespace, UnaryOperator.identity(), "198.18.21.56/29");
        berth.client().resource(pool).delete();

        awaitPoolOf("198.18.21.57", namespace, "to-come", anew);
        awaitPoolOf("198.18.21.58", namespace, "gone", anew);
    }

    private static void awaitPoolOf(String ip, String namespace, String service, String pool) {
        admin.await(() -> {
            assertThat(admin.kubectl("get", "address", ip, "--no-headers")
                            .strip()
                            .split(" +"))
                    .startsWith(ip, ip, namespace, service, pool);
            assertThat(admin.kubectl("get", "addresses", "-l", "berth.dev/pool=" + pool, "-o", "name"))
                    .contains("address.berth.dev/" + ip);
        });
    }
}
