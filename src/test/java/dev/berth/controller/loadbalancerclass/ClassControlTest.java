package dev.berth.controller.loadbalancerclass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.controller.Next;
import dev.berth.controller.NoOpEvents;
import dev.berth.controller.SampleParts;
import dev.berth.controller.StartGate;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.kube.Cache;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.loadbalancer.TlsSecret;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClassControlTest {
    private static final ClassControl.Services NO_SERVICES =
            new Reported(Optional.empty(), Optional.empty(), Optional.empty());
    private static final ClassControl.Services PUBLISHED =
            new Reported(Optional.empty(), Optional.of(new Deference("Service a/b")), Optional.empty());
    private static final ClassControl.Services CLOUD =
            new Reported(Optional.of(new Deference("Node \"a\"")), Optional.empty(), Optional.empty());

    /** What the Services, and the Nodes, say. */
    private record Reported(Optional<Deference> cloudNode, Optional<Deference> published, Optional<String> stuck)
            implements ClassControl.Services {
        @Override
        public Optional<Deference> deference(ClassSet judged) {
            return judged.deference(cloudNode, published);
        }

        @Override
        public Optional<String> servedByAnother(String className) {
            return Optional.empty();
        }

        @Override
        public Optional<String> stuckCalls(String className) {
            return stuck;
        }
    }

    private final Map<String, LoadBalancerClass> objects = new TreeMap<>();
    private final StartGate gate = new StartGate();
    private final List<String> verdictChanged = new ArrayList<>();
    private final List<String> changed = new ArrayList<>();
    private int judged;
    private final Set<String> pools = new TreeSet<>();
    private final Map<String, ClassCertificate> certificates = new TreeMap<>();
    private boolean writesFail;
    private boolean isPoolAway;
    private int versions;

    /** Happens once the classes were listed. */
    private Runnable meanwhile = () -> {};

    private final ClassControl control = new ClassControl(
            SampleParts.of(caches(), gate, new NoOpEvents()),
            "berth.dev/controller",
            new ClassControl.Inputs(
                    declared -> providers(),
                    secret -> certificates.getOrDefault(secret, ClassCertificate.NONE),
                    () -> pools),
            this::write,
            new ClassControl.Listener() {
                @Override
                public void classChanged(String value) {
                    changed.add(value);
                }

                @Override
                public void judgedAgain() {
                    judged++;
                }

                @Override
                public void verdictChanged(String name) {
                    verdictChanged.add(name);
                }
            });

    private KnownProviders providers() {
        Capabilities tls = Capabilities.fromPools(IpMode.PROXY).withFeatures(Feature.TLS_TERMINATION);
        return isPoolAway
                ? new KnownProviders(Map.of("tls", tls), Map.of(PoolProvider.NAME, "it is away"))
                : new KnownProviders(
                        Map.of(PoolProvider.NAME, new PoolProvider().capabilities(), "tls", tls), Map.of());
    }

    private Caches caches() {
        Caches caches = new Caches();
        caches.classes(new Cache<>() {
            @Override
            public Optional<LoadBalancerClass> get(@Nullable String namespace, String name) {
                return Optional.ofNullable(objects.get(name));
            }

            @Override
            public Stream<LoadBalancerClass> list() {
                List<LoadBalancerClass> all = List.copyOf(objects.values());
                meanwhile.run();
                return all.stream();
            }
        });
        return caches;
    }

    /** As the API server does it: onto the object as it was read. */
    private boolean write(LoadBalancerClass object, LoadBalancerClass.Status status) {
        LoadBalancerClass now = objects.get(object.getMetadata().getName());
        boolean isWritten = !writesFail
                && now != null
                && Objects.equals(
                        now.getMetadata().getResourceVersion(),
                        object.getMetadata().getResourceVersion());
        if (isWritten) {
            object.setStatus(status);
        }
        return isWritten;
    }

    private void put(String name, String created, boolean isDefault) {
        objects.put(
                name,
                new KubernetesSerialization()
                        .unmarshal(
                                """
                {"metadata": {"name": "%s", "uid": "u-%s", "generation": 1, "resourceVersion": "%s", "creationTimestamp": "%s"},
                "spec": {"loadBalancerClass": "berth.dev/pool", "controllerName": "berth.dev/controller",
                "provider": "pool", "classless": "%s"}}
                """.formatted(name, name, ++versions, created, isDefault ? "Auto" : "Never"),
                                LoadBalancerClass.class));
    }

    /** Whoever keeps the pools notifies of those that come and go, and of no others. */
    @Test
    void aPool_isMissing_untilWhoKeepsThePoolsKnowsIt() {
        objects.put("edge", new KubernetesSerialization().unmarshal("""
                {"metadata": {"name": "edge", "uid": "u", "generation": 1, "resourceVersion": "1",
                  "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"loadBalancerClass": "berth.dev/edge", "controllerName": "berth.dev/controller",
                "provider": "pool", "pools": ["edge"]}}
                """, LoadBalancerClass.class));
        bothAreKnown();

        reconcile("edge");
        assertThat(poolsFound()).containsExactly("False PoolNotFound");

        pools.add("edge");
        reconcile("edge");
        assertThat(poolsFound()).isEmpty();
    }

    private List<String> poolsFound() {
        return Objects.requireNonNull(
                        Objects.requireNonNull(objects.get("edge")).getStatus().conditions())
                .stream()
                .filter(condition -> condition.getType().equals("PoolsFound"))
                .map(condition -> condition.getStatus() + " " + condition.getReason())
                .toList();
    }

    private Next reconcile(String name) {
        return control.reconcile(name, NO_SERVICES);
    }

    private void bothAreKnown() {
        put("older", "2026-01-01T00:00:00Z", true);
        put("younger", "2026-02-01T00:00:00Z", true);
        control.refresh();
        gate.open();
        reconcile("older");
        reconcile("younger");
        assertThat(verdictChanged).as("an event on each comes at the start").isEmpty();
    }

    @Test
    void classOfAValueThatWasTaken_isLookedAtAgain_whenTheOlderOneGoes() {
        bothAreKnown();

        objects.remove("older");
        reconcile("older");

        assertThat(verdictChanged).containsExactly("younger");
    }

    @Test
    void classThatIsNotTheDefault_isLookedAtAgain_whenTheOlderOneIsTheDefaultNoMore() {
        bothAreKnown();

        put("older", "2026-01-01T00:00:00Z", false);
        reconcile("older");

        assertThat(verdictChanged).as("the one that changed is being looked at").containsExactly("younger");
    }

    @Test
    void statusThatCouldNotBeWritten_isTriedAgain() {
        put("older", "2026-01-01T00:00:00Z", true);
        gate.open();
        writesFail = true;
        assertThat(reconcile("older").delay()).isPresent();

        writesFail = false;
        assertThat(reconcile("older")).isEqualTo(Next.ON_EVENT);
    }

    @Test
    void aSecretThatIsNoGood_isSaidOnTheClass_andItIsLookedAtAgain() {
        objects.put("tls", new KubernetesSerialization().unmarshal("""
                {"metadata": {"name": "tls", "uid": "u-tls", "generation": 1, "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"loadBalancerClass": "berth.dev/tls", "controllerName": "berth.dev/controller",
                "provider": "tls", "tls": {"secretName": "web"}}}
                """, LoadBalancerClass.class));
        gate.open();
        certificates.put(
                "web", ClassCertificate.of("a/web", TlsSecret.missing("a/web"), Optional.empty(), Instant.EPOCH));

        assertThat(reconcile("tls").delay()).isPresent();
        assertThat(conditions("tls"))
                .containsExactly("Accepted", "CertificateUsable: SecretMissing", "Ready: SecretMissing");

        certificates.put("web", new ClassCertificate(Optional.empty(), true, Reason.Usable, "good", Optional.empty()));
        assertThat(reconcile("tls")).isEqualTo(Next.ON_EVENT);
        assertThat(conditions("tls")).containsExactly("Accepted", "CertificateUsable", "Ready");
    }

    private List<String> conditions(String name) {
        return Conditions.of(Objects.requireNonNull(objects.get(name)).getStatus()).stream()
                .map(condition -> condition.getType()
                        + ("True".equals(condition.getStatus()) ? "" : ": " + condition.getReason()))
                .toList();
    }

    private String classless() {
        return Conditions.find(
                        Objects.requireNonNull(Objects.requireNonNull(objects.get("older"))
                                        .getStatus())
                                .conditions(),
                        "ServesClassless")
                .map(Condition::getReason)
                .orElse("none");
    }

    private Optional<Condition> condition(String type) {
        LoadBalancerClass older = Objects.requireNonNull(objects.get("older"));
        return Conditions.find(Objects.requireNonNull(older.getStatus()).conditions(), type);
    }

    @Test
    void callsThatAreStuck_areSaidOnTheClass_untilTheyReturn() {
        put("older", "2026-01-01T00:00:00Z", true);
        gate.open();
        control.reconcile(
                "older", new Reported(Optional.empty(), Optional.empty(), Optional.of("2 calls have not returned")));
        assertThat(condition("CallsStuck").orElseThrow())
                .extracting(Condition::getStatus, Condition::getReason, Condition::getMessage)
                .containsExactly("True", "DeadlineExceeded", "2 calls have not returned");

        reconcile("older");
        assertThat(condition("CallsStuck")).isEmpty();
    }

    /** What is said of Services without a class, with these signs of another controller. */
    private String classless(ClassControl.Services said) {
        control.reconcile("older", said);
        return classless();
    }

    private void olderIsTheDefault() {
        put("older", "2026-01-01T00:00:00Z", true);
        gate.open();
    }

    @Test
    void classBesideAnotherController_defers_untilNothingOfItIsPublished() {
        olderIsTheDefault();

        assertThat(classless(PUBLISHED)).isEqualTo("DeferredToOther");
        assertThat(classless(PUBLISHED)).isEqualTo("DeferredToOther");
        assertThat(classless(NO_SERVICES)).isEqualTo("Auto");
    }

    @Test
    void classThatHasServed_servesOn_whateverOthersPublish() {
        olderIsTheDefault();
        classless(NO_SERVICES);

        assertThat(classless(PUBLISHED)).isEqualTo("Auto");
    }

    @Test
    void classThatHasServed_isNoOtherClassToItsServices_andBerthMayDeferNoMore() {
        olderIsTheDefault();
        classless(NO_SERVICES);
        changed.clear();
        judged = 0;

        control.refresh();

        assertThat(changed).isEmpty();
        assertThat(judged).isOne();
    }

    @Test
    void classThatServesOtherwise_isReportedOnce() {
        olderIsTheDefault();
        control.refresh();
        changed.clear();

        put("older", "2026-01-01T00:00:00Z", false);
        control.refresh();

        assertThat(changed).containsExactly("berth.dev/pool");
    }

    @Test
    void classThatHasServed_defersOnACloud() {
        olderIsTheDefault();
        classless(NO_SERVICES);

        assertThat(classless(CLOUD)).isEqualTo("DeferredToOther");
        assertThat(classless(PUBLISHED))
                .as("what the cloud published counts again")
                .isEqualTo("DeferredToOther");
    }

    private void poolGoes(boolean isAway) {
        isPoolAway = isAway;
        control.providerChanged(PoolProvider.NAME);
    }

    @Test
    void classThatHasServed_servesAgain_whenItsProviderReturns_whateverOthersPublish() {
        olderIsTheDefault();
        classless(NO_SERVICES);
        poolGoes(true);

        assertThat(classless(PUBLISHED)).isEqualTo("NoLongerTheDefault");
        assertThat(classless(PUBLISHED)).isEqualTo("NoLongerTheDefault");
        poolGoes(false);

        assertThat(classless(PUBLISHED)).isEqualTo("Auto");
    }

    @Test
    void classThatHasNotServed_isAskedOnceItsProviderIsThere() {
        isPoolAway = true;
        olderIsTheDefault();
        assertThat(classless(PUBLISHED)).isEqualTo("NotTheDefault");

        poolGoes(false);

        assertThat(classless(PUBLISHED)).isEqualTo("DeferredToOther");
    }

    @Test
    void recreatedClass_defersAgain() {
        olderIsTheDefault();
        classless(NO_SERVICES);

        olderIsTheDefault();

        assertThat(classless(PUBLISHED)).isEqualTo("DeferredToOther");
    }

    @Test
    void classThatTurnsOutToHaveServed_servesOn() {
        olderIsTheDefault();
        meanwhile = () -> {
            meanwhile = () -> {};
            olderIsTheDefault();
            Objects.requireNonNull(objects.get("older"))
                    .setStatus(new LoadBalancerClass.Status(
                            1L,
                            List.of(new ConditionBuilder()
                                    .withType("ServesClassless")
                                    .withStatus("True")
                                    .withReason("Auto")
                                    .build())));
        };

        assertThat(control.reconcile("older", PUBLISHED).delay())
                .as("to be looked at again")
                .isPresent();
        assertThat(classless()).isEqualTo("Auto");
        assertThat(classless(PUBLISHED)).isEqualTo("Auto");
    }
}
