package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static dev.berth.testing.Installation.sharing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.Address;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** docs/annotations.md, "When they change" and "Sharing an address": its rows, typed. */
@ExtendWith(SharedInstallation.class)
class AnnotationsIT {
    private static final String PAGE = " (see docs/annotations.md)";

    private static Installation berth;
    private static Administrator admin;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        admin = new Administrator(shared);
        berth.operator();
    }

    private static Address address(String ip) {
        Address address = berth.client().resources(Address.class).withName(ip).get();
        assertThat(address).as("Address %s", ip).isNotNull();
        return address;
    }

    private static void awaitKey(String ip, String key) {
        admin.await(() -> assertThat(address(ip).getSpec().sharing())
                .satisfies(shared -> assertThat(shared.key()).isEqualTo(key)));
    }

    @Test
    void addresses_ofBothFamilies_areTheOnesThatItGets_andStay_whenTheAnnotationIsRemoved() {
        String namespace = berth.namespace("pair");
        berth.pool(namespace, "198.18.20.0/28", "2001:db8:20::/124");
        berth.service(
                namespace,
                "web",
                builder -> annotated(WellKnownNames.ADDRESSES, "198.18.20.9,2001:db8:20::9")
                        .apply(builder)
                        .editSpec()
                        .withIpFamilyPolicy("RequireDualStack")
                        .withIpFamilies("IPv4", "IPv6")
                        .endSpec());
        admin.awaitIps(namespace, "web", "198.18.20.9", "2001:db8:20::9");

        admin.annotateAndHaveItSeen(namespace, "web", "berth.dev/addresses-");

        assertThat(admin.ipsOf(namespace, "web")).containsExactly("198.18.20.9", "2001:db8:20::9");
        berth.awaitAddressesOf(namespace, "web", "198.18.20.9", "2001:db8:20::9");
    }

    @Test
    void addressPool_thatIsRemoved_costsNobodyTheAddress_andWhatWasPendingIsNotSaidAnyMore() {
        String namespace = berth.namespace("pool-off");
        String office = namespace + "-office";
        berth.pool(namespace, "198.18.20.16/28");
        berth.pool(office, namespace, UnaryOperator.identity(), "198.18.20.32/28");
        berth.service(namespace, "web", annotated(WellKnownNames.ADDRESS_POOL, namespace));
        admin.awaitIps(namespace, "web", "198.18.20.16");
        admin.annotate(namespace, "web", "berth.dev/address-pool=" + office);
        admin.awaitSaid(namespace, "web", "ReplacementPending");

        admin.annotate(namespace, "web", "berth.dev/address-pool-");

        admin.awaitSaid(namespace, "web", "Assigned");
        assertThat(admin.ipsOf(namespace, "web")).containsExactly("198.18.20.16");
    }

    @Test
    void sharingKey_thatIsAddedChangedOrRemoved_costsOneAloneNothing_andThoseWithTheNewKeyJoin() {
        String namespace = berth.namespace("key-alone");
        String ip = "198.18.20.48";
        berth.pool(namespace, "198.18.20.48/28");
        berth.service(namespace, "web");
        admin.awaitIps(namespace, "web", ip);

        admin.annotate(namespace, "web", "berth.dev/sharing-key=a");
        awaitKey(ip, "a");
        admin.annotate(namespace, "web", "berth.dev/sharing-key=b");
        awaitKey(ip, "b");
        berth.service(namespace, "joins", sharing("b", 81));
        admin.awaitIps(namespace, "joins", ip);
        assertThat(admin.ipsOf(namespace, "web")).containsExactly(ip);

        berth.deleteService(namespace, "joins");
        admin.annotate(namespace, "web", "berth.dev/sharing-key-");
        admin.await(() -> assertThat(address(ip).getSpec().sharing()).isNull());
        assertThat(admin.ipsOf(namespace, "web")).containsExactly(ip);
        berth.service(namespace, "late", sharing("b", 81));
        admin.awaitIps(namespace, "late", "198.18.20.49");
    }

    @Test
    void sharingKey_thatIsChangedWhileOthersHaveTheAddress_keepsItUntilThereIsAnother() {
        String namespace = berth.namespace("key-shared");
        berth.pool(namespace, "198.18.20.64/31");
        berth.service(namespace, "stays", sharing("a", 80));
        admin.awaitIps(namespace, "stays", "198.18.20.64");
        berth.service(namespace, "moves", sharing("a", 81));
        admin.awaitIps(namespace, "moves", "198.18.20.64");
        berth.service(namespace, "in-the-way");
        admin.awaitIps(namespace, "in-the-way", "198.18.20.65");

        admin.annotate(namespace, "moves", "berth.dev/sharing-key=b");
        assertThat(admin.awaitSaid(namespace, "moves", "ReplacementPending"))
                .contains("\"" + namespace + "\" (0 of 2 free)");
        assertThat(admin.ipsOf(namespace, "moves")).containsExactly("198.18.20.64");

        berth.deleteService(namespace, "in-the-way");
        admin.awaitIps(namespace, "moves", "198.18.20.65");
        assertThat(admin.ipsOf(namespace, "stays")).containsExactly("198.18.20.64");
        berth.awaitAddressesOf(namespace, "moves", "198.18.20.65");
    }

    /** A change of {@code retain}, and whether the address is kept then when its Service is deleted. */
    private record RetainRow(String name, String before, String change, boolean isKept) {}

    @Test
    void retain_thatChanges_countsFromThenOn() {
        String namespace = berth.namespace("retain-changes");
        berth.pool(namespace, "198.18.20.80/28");
        List<RetainRow> rows = List.of(
                new RetainRow("to-false", "true", "berth.dev/retain=false", false),
                new RetainRow("removed", "true", "berth.dev/retain-", false),
                new RetainRow("to-true", "false", "berth.dev/retain=true", true));
        rows.forEach(row -> berth.service(namespace, row.name(), annotated(WellKnownNames.RETAIN, row.before())));
        for (RetainRow row : rows) {
            String ip =
                    Installation.ips(berth.awaitAddress(namespace, row.name())).getFirst();
            admin.annotate(namespace, row.name(), row.change());
            admin.await(
                    () -> assertThat(Boolean.TRUE.equals(address(ip).getSpec().retain()))
                            .as(row.name())
                            .isEqualTo(row.isKept()));

            berth.deleteService(namespace, row.name());
            if (row.isKept()) {
                admin.kubectl("wait", "--for=condition=Reserved", "--timeout=50s", "address/" + ip);
            } else {
                berth.awaitReleased(namespace, row.name());
            }
        }
    }

    @Test
    void addressThatWasReservedByHand_stays_whateverPoolIsNamed_andTheServiceIsToldHowToMoveIt() {
        String namespace = berth.namespace("by-hand");
        String office = namespace + "-office";
        berth.pool(namespace, "198.18.20.96/28");
        berth.pool(office, namespace, UnaryOperator.identity(), "198.18.20.112/28");
        admin.reserve("198.18.20.99", namespace, "shop");
        berth.service(namespace, "shop");
        admin.awaitIps(namespace, "shop", "198.18.20.99");

        admin.annotate(namespace, "shop", "berth.dev/address-pool=" + office, "berth.dev/replace-address=198.18.20.99");
        assertThat(admin.awaitSaid(namespace, "shop", "AddressReserved"))
                .isEqualTo("holds 198.18.20.99; the Service requests an address from AddressPool \"" + office
                        + "\", but 198.18.20.99 was reserved manually and is kept; to use another address, set"
                        + " berth.dev/addresses" + PAGE);
        assertThat(admin.ipsOf(namespace, "shop")).containsExactly("198.18.20.99");

        admin.annotate(namespace, "shop", "berth.dev/addresses=198.18.20.115");
        admin.awaitIps(namespace, "shop", "198.18.20.115");
        admin.awaitSaid(namespace, "shop", "Assigned");
    }

    @Test
    void termsThatDiffer_areNotShared_andOneThatHasTheAddressAlready_keepsItAndIsTold() {
        String namespace = berth.namespace("terms");
        berth.pool(namespace, "198.18.20.128/28");
        berth.loadBalancerClass(namespace, "Proxy");
        berth.service(namespace, "first", sharing("k", 80));
        admin.awaitIps(namespace, "first", "198.18.20.128");
        berth.service(namespace, "joined", sharing("k", 81));
        admin.awaitIps(namespace, "joined", "198.18.20.128");

        berth.service(namespace, "local", builder -> local(sharing("k", 82).apply(builder)));
        admin.awaitIps(namespace, "local", "198.18.20.129");
        berth.service(
                namespace,
                "other-class",
                builder -> sharing("k", 83)
                        .apply(builder)
                        .editSpec()
                        .withLoadBalancerClass("test.dev/" + namespace)
                        .endSpec());
        admin.awaitIps(namespace, "other-class", "198.18.20.130");

        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("joined")
                .edit(service -> local(new ServiceBuilder(service)).build());
        assertThat(admin.awaitSaid(namespace, "joined", WellKnownNames.SHARING_CONFLICT, "TermsDiffer"))
                .startsWith("other Services share 198.18.20.128 with ")
                .endsWith(PAGE);
        assertThat(admin.ipsOf(namespace, "joined")).containsExactly("198.18.20.128");
    }

    private static ServiceBuilder local(ServiceBuilder builder) {
        return builder.editSpec().withExternalTrafficPolicy("Local").endSpec();
    }
}
