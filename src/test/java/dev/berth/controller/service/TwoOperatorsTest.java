package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two operators that know nothing of each other, and serve one Service: what no write that spans two objects forbids. */
class TwoOperatorsTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey OTHER = new ServiceKey("prod", "other");
    private static final Owner WEB_ITSELF = new Owner(WEB, "uid-web");
    private static final Ip FORMER = Ip.parse("192.0.2.1");
    private static final Ip NEW = Ip.parse("192.0.2.2");

    private final Interrupted line = new Interrupted();
    private final SimulatedCluster cluster = new SimulatedCluster(false, line);
    private final PoolOperator one = new PoolOperator(cluster, () -> Instant.EPOCH);
    private final PoolOperator two = new PoolOperator(cluster, () -> Instant.EPOCH);

    /** A line on which something happens just before a write is done, once. */
    private static final class Interrupted implements Line {
        private String before = "";
        private @Nullable Runnable meanwhile;
        private String last = "nothing";
        private String answer = "";
        private @Nullable Runnable afterwards;

        /** Anyone who sends this write does nothing any more once it is done. */
        void killAfter(String write) {
            last = write;
        }

        /** Something happens while the first answer to such a call is on its way. */
        void justAfter(String call, Runnable what) {
            answer = call;
            afterwards = what;
        }

        @Override
        public void answered(String call) {
            Runnable what = afterwards;
            if (what != null && call.startsWith(answer)) {
                afterwards = null;
                what.run();
            }
            if (call.startsWith(last)) {
                last = "nothing";
                throw new Killed();
            }
        }

        void justBefore(String write, Runnable what) {
            before = write;
            meanwhile = what;
        }

        boolean hasHappened() {
            return meanwhile == null;
        }

        @Override
        public Fault sending(String call, Runnable effect) {
            happen(call);
            return Fault.NONE;
        }

        @Override
        public boolean readFails(String call) {
            happen(call);
            return false;
        }

        private void happen(String call) {
            Runnable what = meanwhile;
            if (what != null && call.startsWith(before)) {
                meanwhile = null;
                what.run();
            }
        }
    }

    /** An operator ends here. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static SampleService service(ServiceKey key) {
        return SampleService.named(key, "uid-" + key.name()).families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV4);
    }

    private ServiceState stored(ServiceKey key) {
        return Objects.requireNonNull(cluster.services.get(key));
    }

    private static void reconcile(PoolOperator operator, ServiceKey key) {
        operator.hear();
        operator.control.reconcile(key);
    }

    private void edit(UnaryOperator<SampleService> change) {
        cluster.put(WEB, change.apply(SampleService.from(stored(WEB))));
    }

    private void askFor(Ip ip) {
        edit(web -> web.annotation(WellKnownNames.ADDRESSES, ip.toString()));
    }

    /** One operator has moved it to the new address, and is just about to do {@code release} of the former one. */
    private void wantsItsFormerAddressBack_justBefore(String release) {
        askFor(NEW);
        line.justBefore(release, () -> {
            askFor(FORMER);
            reconcile(two, WEB);
        });
        reconcile(one, WEB);
        assertThat(line.hasHappened()).isTrue();
    }

    private void hasItsFormerAddress(UnaryOperator<SampleService> change) {
        cluster.put(WEB, change.apply(service(WEB).annotation(WellKnownNames.ADDRESSES, FORMER.toString())));
        reconcile(one, WEB);
        assertThat(stored(WEB).publishedAddresses()).containsExactly(FORMER);
        two.hear();
    }

    private void onlyWebHasTheFormerAddress() {
        cluster.put(OTHER, service(OTHER).annotation(WellKnownNames.ADDRESSES, FORMER.toString()));
        reconcile(one, OTHER);
        assertThat(stored(OTHER).publishedAddresses()).isEmpty();
        webHasTheFormerAddress();
    }

    private void webHasTheFormerAddress() {
        assertThat(stored(WEB).publishedAddresses()).containsExactly(FORMER);
        assertThat(cluster.claims.get(FORMER))
                .extracting(Claim::owners)
                .asList()
                .contains(WEB_ITSELF);
    }

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        one.ledger.checkInvariants();
        two.ledger.checkInvariants();
    }

    @Test
    void anAddressThatAnotherOperatorPublishesAgain_isNotReleased() {
        hasItsFormerAddress(web -> web);

        wantsItsFormerAddressBack_justBefore("delete Address " + FORMER);

        onlyWebHasTheFormerAddress();
    }

    @Test
    void aRetainedAddressThatAnotherOperatorPublishesAgain_isNotReleased() {
        hasItsFormerAddress(web -> web.annotation(WellKnownNames.RETAIN, "true"));

        wantsItsFormerAddressBack_justBefore("update Address " + FORMER);

        onlyWebHasTheFormerAddress();
    }

    @Test
    void aSharedAddressThatAnotherOperatorPublishesAgain_isNotLeft() {
        UnaryOperator<SampleService> shares = web -> web.annotation(WellKnownNames.SHARING_KEY, "both");
        hasItsFormerAddress(web -> shares.apply(web).ports(port(80)));
        cluster.put(OTHER, shares.apply(service(OTHER)).ports(port(81)));
        reconcile(one, OTHER);
        assertThat(stored(OTHER).publishedAddresses()).containsExactly(FORMER);

        wantsItsFormerAddressBack_justBefore("update Address " + FORMER);

        webHasTheFormerAddress();
    }

    @Test
    void anAddressOfAServiceThatIsALoadBalancerAgain_isNotReleased() {
        hasItsFormerAddress(web -> web);
        edit(web -> web.typeLoadBalancer(false));
        line.justBefore("delete Address " + FORMER, () -> {
            edit(web -> web.typeLoadBalancer(true));
            reconcile(two, WEB);
        });

        reconcile(one, WEB);

        assertThat(line.hasHappened()).isTrue();
        onlyWebHasTheFormerAddress();
    }

    /** Then the other takes it for published already. */
    @Test
    void anAddressThatAStrangerWritesBackIntoTheStatus_isNotReleasedOnceItIsPublished() {
        hasItsFormerAddress(web -> web);
        askFor(NEW);
        line.justBefore("delete Address " + FORMER, () -> {
            askFor(FORMER);
            edit(web -> web.ingress(FORMER.toString(), "203.0.113.9"));
            reconcile(two, WEB);
        });

        reconcile(one, WEB);

        assertThat(line.hasHappened()).isTrue();
        onlyWebHasTheFormerAddress();
    }

    @Test
    void anAddressThatAnotherOperatorReleased_isNotPublishedAgain() {
        hasItsFormerAddress(web -> web);
        askFor(NEW);
        cluster.put(OTHER, service(OTHER).annotation(WellKnownNames.ADDRESSES, FORMER.toString()));
        // This one has published the new address, and not heard that the former one is asked for again.
        line.justBefore("delete Address " + FORMER, () -> {
            Claim former = Objects.requireNonNull(cluster.claims.get(FORMER));
            askFor(FORMER);
            line.justBefore("confirm Address " + FORMER, () -> {
                one.client.deleteClaim(former);
                one.ledger.free(former);
                one.control.reconcile(OTHER);
            });
            reconcile(two, WEB);
        });

        reconcile(one, WEB);

        assertThat(line.hasHappened()).isTrue();
        assertThat(stored(OTHER).publishedAddresses()).containsExactly(FORMER);
        assertThat(stored(WEB).publishedAddresses()).containsExactly(NEW);
    }

    @Test
    void anAddressThatAnotherOperatorIsAboutToPublish_isReleasedOnlyByOneThatHindersIt() {
        cluster.put(WEB, service(WEB).loadBalancerClass(PoolOperator.CLASS));
        cluster.putClaim(new Claim(NEW, cluster.newUid(), "", ClaimSpec.of(null, null, new Owner(WEB, null))));
        one.hear();
        // What another takes for a claim of the class before, so that all is to be given back.
        cluster.putClaim(new Claim(FORMER, cluster.newUid(), "", ClaimSpec.of(null, "berth.dev/former", WEB_ITSELF)));
        line.justBefore("publish", () -> {
            line.killAfter("delete Address " + NEW);
            assertThatExceptionOfType(Killed.class).isThrownBy(() -> reconcile(two, WEB));
        });

        one.control.reconcile(WEB);

        assertThat(line.hasHappened()).isTrue();
        assertThat(stored(WEB).publishedAddresses())
                .isNotEmpty()
                .allSatisfy(ip -> assertThat(cluster.claims.get(ip))
                        .isNotNull()
                        .extracting(Claim::owners, LIST)
                        .contains(WEB_ITSELF));
    }

    @Test
    void anAddressOfOneThatBoreTheName_thatIsTheServicesOwnByThen_isNotReleased() {
        Owner before = new Owner(WEB, "uid-before");
        for (Ip ip : List.of(FORMER, NEW)) {
            cluster.putClaim(new Claim(ip, cluster.newUid(), "", ClaimSpec.of(null, "berth.dev/former", before)));
        }
        cluster.put(WEB, service(WEB).annotation(WellKnownNames.ADDRESSES, NEW.toString()));
        one.hear();
        reconcile(two, WEB);
        assertThat(stored(WEB).publishedAddresses()).containsExactly(NEW);
        Claim own = Objects.requireNonNull(cluster.claims.get(NEW));
        // This one has seen the Service, and sees its Address while it releases.
        one.client.relist();
        line.justBefore("read Service", one::hear);

        one.control.reconcile(WEB);

        assertThat(line.hasHappened()).isTrue();
        assertThat(cluster.claims.get(NEW)).isEqualTo(own);
    }

    @Test
    void anAddressOfOneThatBearsTheNameSinceTheServiceWasRead_isNotTakenOver() {
        Owner next = new Owner(WEB, "uid-next");
        cluster.putClaim(new Claim(NEW, cluster.newUid(), "", ClaimSpec.of(null, null, new Owner(WEB, "uid-before"))));
        cluster.put(WEB, service(WEB).annotation(WellKnownNames.ADDRESSES, NEW.toString()));
        one.hear();
        line.justAfter("read Service", () -> {
            cluster.put(WEB, service(WEB).uid("uid-next").annotation(WellKnownNames.ADDRESSES, NEW.toString()));
            reconcile(two, WEB);
            one.hear();
            line.justBefore("update Address " + NEW, () -> {});
        });

        one.control.reconcile(WEB);

        assertThat(line.hasHappened()).isFalse();
        assertThat(stored(WEB).publishedAddresses()).containsExactly(NEW);
        assertThat(Objects.requireNonNull(cluster.claims.get(NEW)).owners()).containsExactly(next);
    }

    @Test
    void aServiceCostsTwoWrites_andOneMoreWhereItsAddressWasClaimedBefore() {
        hasItsFormerAddress(web -> web);
        assertThat(cluster.writes()).isEqualTo(2);

        edit(web -> web.ingress());
        reconcile(two, WEB);
        assertThat(cluster.writes()).isEqualTo(4);

        reconcile(one, WEB);
        reconcile(two, WEB);
        assertThat(cluster.writes()).isEqualTo(4);
        webHasTheFormerAddress();
    }

    private static Port port(int number) {
        return new Port("", Protocol.TCP, number, 0);
    }
}
