package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.Claim;
import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.Ledger;
import dev.berth.address.Owner;
import dev.berth.address.PoolBook;
import dev.berth.address.PoolDeclaration;
import dev.berth.address.Selector;
import dev.berth.address.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.StartGate;
import dev.berth.controller.address.AddressControl;
import dev.berth.plan.ClassBook;
import dev.berth.plan.ClassDeclaration;
import dev.berth.plan.ClassDeclaration.Classless;
import dev.berth.plan.SampleService;
import dev.berth.plan.ServiceState;
import dev.berth.plan.ServiceState.FamilyPolicy;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.providers.pool.PoolProvider;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

/** What the simulator found, each as a story of its own. */
class ServiceControlTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final String CLASS = "berth.dev/pool";

    private final SimulatedCluster cluster = new SimulatedCluster(false, new CalmLine());
    private final Ledger ledger = new Ledger();
    private final ServiceControl control = control();

    private ServiceControl control() {
        StartGate gate = new StartGate();
        Backoff backoff = new Backoff(new Random(1));
        Silence silence = new Silence();
        SequencedMap<String, LoadBalancerProvider> providers = new LinkedHashMap<>();
        providers.put(PoolProvider.NAME, new PoolProvider());
        ClassBook classes = ClassBook.of(
                List.of(new ClassDeclaration(
                        "pool",
                        Instant.EPOCH,
                        CLASS,
                        "berth.dev/controller",
                        PoolProvider.NAME,
                        Map.of(),
                        List.of(),
                        null,
                        true,
                        Classless.ALWAYS)),
                "berth.dev/controller",
                Map.of(PoolProvider.NAME, new PoolProvider().capabilities()));
        AddressControl addresses = new AddressControl(cluster, ledger, gate, backoff, due -> {}, ip -> {});
        ServiceControl built = new ServiceControl(
                new ServiceControl.Parts(
                        cluster,
                        ledger,
                        addresses,
                        new Providers(providers),
                        silence,
                        new IpModeSupport(true),
                        silence,
                        backoff,
                        () -> Instant.EPOCH,
                        "test",
                        () -> 1),
                gate,
                () -> classes,
                Optional::empty,
                due -> {},
                () -> {});
        gate.open();
        ledger.usePools(PoolBook.of(
                List.of(new PoolDeclaration(
                        "edge",
                        Instant.EPOCH,
                        List.of("192.0.2.0/30"),
                        List.of(),
                        true,
                        1,
                        Selector.EVERYTHING,
                        Selector.EVERYTHING,
                        false)),
                List.of()));
        return built;
    }

    private ServiceState reconciled(SampleService service) {
        cluster.put(WEB, service);
        cluster.relist();
        ledger.rebuild(cluster.claims());
        control.reconcile(WEB);
        return Objects.requireNonNull(cluster.services.get(WEB));
    }

    @Test
    void aServiceThatAnotherMarked_isLetGo_withTheLastAddressThatMadeItOurs() {
        cluster.putClaim(new Claim(
                Ip.parse("192.0.2.2"), cluster.newUid(), "", "edge", CLASS, List.of(new Owner(WEB, "uid-web"))));

        ServiceState web = reconciled(SampleService.named(WEB, "uid-web")
                .families(FamilyPolicy.SINGLE_STACK, IpFamily.IPV6)
                .finalizers(List.of("service.kubernetes.io/load-balancer-cleanup")));

        assertThat(cluster.claims).isEmpty();
        assertThat(web.hasOurConditions()).isFalse();
        assertThat(ledger.waiting()).isEmpty();
    }
}
