package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClassSetTest {
    private static final KnownProviders PROVIDERS = new KnownProviders(
            Map.of("pool", Capabilities.fromPools(IpMode.VIP).withImmediate(true)),
            Map.of("away", "plug-in \"away\" cannot be reached"));

    private static ClassDeclaration declared(
            String name, int age, String value, String provider, @Nullable IpMode mode, boolean isDefault) {
        return new ClassDeclaration(
                name,
                Instant.parse("2026-01-01T00:00:00Z").minusSeconds(age),
                value,
                "me",
                provider,
                Map.of(),
                List.of(),
                mode,
                HealthCheckPolicy.AUTO,
                false,
                isDefault ? Classless.AUTO : Classless.NEVER);
    }

    private static ClassSet poolSet(ClassDeclaration... declarations) {
        return ClassSet.of(List.of(declarations), "me", PROVIDERS);
    }

    private static ClassSet.Verdict verdict(ClassSet book, String name) {
        return book.verdict(name).orElseThrow();
    }

    private static ClassDeclaration withTls(String provider, @Nullable IpMode mode) {
        return new ClassDeclaration(
                "edge",
                Instant.parse("2026-01-01T00:00:00Z"),
                "x/edge",
                "me",
                provider,
                Map.of(),
                List.of(),
                mode,
                HealthCheckPolicy.AUTO,
                false,
                Classless.NEVER,
                false,
                new ClassTls("web", List.of()),
                List.of(),
                false);
    }

    @Test
    void parametersThatAgentsCannotRead_areSaidOfTheClass() {
        Map<String, String> both = Map.of("interfaces", "eth0", "peers", "router");
        KnownProviders providers = new KnownProviders(
                Map.of(
                        "l2", Capabilities.fromPools(IpMode.VIP),
                        "bgp", Capabilities.fromPools(IpMode.VIP),
                        "lb", Capabilities.fromPools(IpMode.VIP)),
                Map.of());

        assertThat(verdict(ClassSet.of(List.of(withParameters("l2", both)), "me", providers), "edge"))
                .extracting(ClassSet.Verdict::accepted, ClassSet.Verdict::reason, ClassSet.Verdict::message)
                .containsExactly(
                        false,
                        Reason.InvalidParameters,
                        "parameter \"peers\" is unknown; provider \"l2\" knows interfaces, withoutEndpoints; parameters"
                                + " cannot be changed: delete the class, and make it again");
        assertThat(verdict(ClassSet.of(List.of(withParameters("bgp", both)), "me", providers), "edge")
                        .message())
                .startsWith("parameter \"interfaces\" is unknown; provider \"bgp\" knows ");
        for (ClassDeclaration readable : List.of(
                withParameters("l2", Map.of("interfaces", "eth0")),
                withParameters("bgp", Map.of("peers", "router")),
                withParameters("lb", both))) {
            assertThat(verdict(ClassSet.of(List.of(readable), "me", providers), "edge")
                            .accepted())
                    .as(readable.provider())
                    .isTrue();
        }
    }

    private static ClassDeclaration withParameters(String provider, Map<String, String> parameters) {
        return new ClassDeclaration(
                "edge",
                Instant.EPOCH,
                "x/edge",
                "me",
                provider,
                parameters,
                List.of(),
                null,
                HealthCheckPolicy.AUTO,
                false,
                Classless.NEVER);
    }

    @Test
    void tls_impliesProxy_andIsOfferedByNobodyWhoCannotTerminateIt() {
        Capabilities both = Capabilities.fromPools(IpMode.VIP, IpMode.PROXY).withFeatures(Feature.TLS_TERMINATION);
        KnownProviders providers = new KnownProviders(
                Map.of(
                        "proxy",
                        both,
                        "router",
                        Capabilities.fromPools(IpMode.VIP).withFeatures(Feature.TLS_TERMINATION),
                        "pool",
                        Capabilities.fromPools(IpMode.PROXY)),
                Map.of());

        assertThat(ClassSet.of(List.of(withTls("proxy", null)), "me", providers).byValue("x/edge"))
                .hasValueSatisfying(served -> assertThat(served.ipMode()).isEqualTo(IpMode.PROXY));
        assertThat(verdict(ClassSet.of(List.of(withTls("pool", null)), "me", providers), "edge"))
                .extracting(ClassSet.Verdict::reason, ClassSet.Verdict::message)
                .containsExactly(
                        Reason.TLSNotSupported,
                        "provider \"pool\" does not terminate TLS, which spec.tls asks for; use another, or leave spec.tls out");
        for (ClassDeclaration vip : List.of(withTls("proxy", IpMode.VIP), withTls("router", null))) {
            assertThat(verdict(ClassSet.of(List.of(vip), "me", providers), "edge")
                            .reason())
                    .isEqualTo(Reason.UnsupportedIPMode);
        }
    }

    @Test
    void ofTwoForOneValue_theOlderServes_andTheOtherIsToldSo() {
        ClassSet book =
                poolSet(declared("new", 1, "x/y", "pool", null, false), declared("old", 2, "x/y", "pool", null, false));

        assertThat(book.byValue("x/y"))
                .hasValueSatisfying(served -> assertThat(served.name()).isEqualTo("old"));
        assertThat(verdict(book, "new").accepted()).isFalse();
        assertThat(verdict(book, "new").reason()).isEqualTo(Reason.ValueTaken);
        assertThat(verdict(book, "new").message()).contains("\"old\" is older");
    }

    @Test
    void ofTwoDefaults_theOlderIsIt_andTheOtherStillServesItsOwnValue() {
        ClassSet book = poolSet(
                declared("new", 1, "x/new", "pool", null, true), declared("old", 2, "x/old", "pool", null, true));

        assertThat(book.defaultClass())
                .hasValueSatisfying(served -> assertThat(served.name()).isEqualTo("old"));
        assertThat(verdict(book, "new").accepted()).isTrue();
        assertThat(verdict(book, "new").isDefault()).isFalse();
        assertThat(verdict(book, "new").defaultMessage()).contains("\"old\" is older and is the default");
    }

    @Test
    void aDefaultThatIsNotAccepted_leavesThePlaceToTheNext() {
        ClassSet book = poolSet(
                declared("bad", 2, "x/bad", "none", null, true), declared("good", 1, "x/good", "pool", null, true));

        assertThat(book.defaultClass())
                .hasValueSatisfying(served -> assertThat(served.name()).isEqualTo("good"));
        assertThat(verdict(book, "bad").message())
                .contains("no provider \"none\"")
                .contains("[away, pool]");
    }

    @Test
    void modeThatTheProviderCannotDo_isRefusedNamingWhatItCan() {
        ClassSet book = poolSet(declared("p", 1, "x/p", "pool", IpMode.PROXY, false));

        assertThat(book.byValue("x/p")).isEmpty();
        assertThat(verdict(book, "p").reason()).isEqualTo(Reason.UnsupportedIPMode);
        assertThat(verdict(book, "p").message()).contains("Proxy").contains("[VIP]");
    }

    @Test
    void whoReleasesNodePorts_needsAProviderThatDoesWithoutThem() {
        Capabilities needsThem = Capabilities.fromPools(IpMode.VIP);

        assertThat(verdict(releasing(needsThem), "hw").reason()).isEqualTo(Reason.NodePortsRequired);
        assertThat(verdict(releasing(needsThem.withTargets(Targets.ENDPOINTS)), "hw")
                        .accepted())
                .isTrue();
        assertThat(verdict(releasing(needsThem.withTargets(Targets.NONE)), "hw").accepted())
                .isTrue();
    }

    /** What the other Berth cannot know. */
    @Test
    void ofTwoControllersForOneValue_orForTheDefault_theOlderClassWins_thoughItIsFaulty() {
        List<ClassDeclaration> both = List.of(
                declared("mine", 2, "x/one", "unknown", null, true),
                elsewhere(declared("theirs", 1, "x/one", "pool", null, true)));
        ClassSet mine = ClassSet.of(both, "me", PROVIDERS);
        ClassSet theirs = ClassSet.of(both, "another", PROVIDERS);

        assertThat(mine.byValue("x/one")).isEmpty();
        assertThat(mine.isServedElsewhere("x/one")).isFalse();
        assertThat(mine.isDefaultElsewhere()).isFalse();
        assertThat(theirs.byValue("x/one")).isEmpty();
        assertThat(theirs.isServedElsewhere("x/one")).isTrue();
        assertThat(theirs.isDefaultElsewhere()).isTrue();
    }

    private static ClassSet releasing(Capabilities capabilities) {
        return SampleClasses.one("x/hw", "hw", capabilities, null, Classless.AUTO, true);
    }

    @Test
    void autoMode_isWhatTheProviderDoes() {
        assertThat(poolSet(declared("p", 1, "x/p", "pool", null, false)).byValue("x/p"))
                .hasValueSatisfying(served -> assertThat(served.ipMode()).isEqualTo(IpMode.VIP));
    }

    @Test
    void classOfAnotherController_isNotJudged() {
        ClassSet book = ClassSet.of(List.of(declared("p", 1, "x/p", "pool", null, true)), "another", PROVIDERS);

        assertThat(book.verdict("p")).isEmpty();
        assertThat(book.served()).isEmpty();
        assertThat(book.classless()).isEqualTo(Classless.NEVER);
        assertThat(book.isServedElsewhere("x/p")).isTrue();
        assertThat(book.isDefaultElsewhere()).isTrue();
    }

    @Test
    void whoseProviderIsNotThereYet_isNotAccepted_andSaysWhy() {
        ClassSet book = poolSet(declared("far", 1, "x/far", "away", null, true));

        assertThat(verdict(book, "far").accepted()).isFalse();
        assertThat(verdict(book, "far").reason()).isEqualTo(Reason.ProviderUnavailable);
        assertThat(verdict(book, "far").message()).isEqualTo("plug-in \"away\" cannot be reached");
        assertThat(book.whyNotAccepted("x/far"))
                .hasValueSatisfying(why -> assertThat(why).contains("cannot be reached"));
        assertThat(book.isAwaited("x/far")).isTrue();
    }

    @Test
    void default_thatIsNotAccepted_saysWhy_unlessAnotherIsTheDefault() {
        ClassDeclaration odd = declared("odd", 1, "x/odd", "nowhere", null, true);

        assertThat(poolSet(odd).withoutClass())
                .hasValueSatisfying(why ->
                        assertThat(why.message()).startsWith("LoadBalancerClass \"odd\" is not accepted: there is no"));
        assertThat(poolSet(odd, declared("pool", 2, "x/pool", "pool", null, true))
                        .withoutClass())
                .isEmpty();
        assertThat(poolSet(declared("odd", 1, "x/odd", "nowhere", null, false)).withoutClass())
                .contains(NotServedReason.NO_DEFAULT);
    }

    @Test
    void whoseProviderIsPutOff_isAwaited_andTheOthersAreNot() {
        Capabilities endpoints = Capabilities.fromPools(IpMode.VIP).withTargets(Targets.ENDPOINTS);
        KnownProviders known = new KnownProviders(
                        Map.of("pool", Capabilities.fromPools(IpMode.VIP), "direct", endpoints), Map.of())
                .without(can -> can.targets() == Targets.ENDPOINTS, "no endpoints are known yet");
        ClassSet book = ClassSet.of(
                List.of(
                        declared("near", 1, "x/near", "pool", null, false),
                        declared("direct", 1, "x/direct", "direct", null, false)),
                "me",
                known);

        assertThat(verdict(book, "near").accepted()).isTrue();
        assertThat(verdict(book, "direct").message()).isEqualTo("no endpoints are known yet");
        assertThat(book.isAwaited("x/direct")).isTrue();
    }

    @Test
    void whoseProviderIsNotThereYet_keepsItsValueAndTheDefault_fromTheYounger() {
        ClassSet book = poolSet(
                declared("far", 2, "x/y", "away", null, true),
                declared("near", 1, "x/y", "pool", null, false),
                declared("other", 1, "x/other", "pool", null, true));

        assertThat(verdict(book, "near").reason()).isEqualTo(Reason.ValueTaken);
        assertThat(book.byValue("x/y")).isEmpty();
        assertThat(book.defaultClass()).isEmpty();
        assertThat(verdict(book, "other").defaultMessage()).contains("\"far\" is older and is the default");
    }

    /**
     * Whether Services without a class are left to another.
     *
     * @param leftTo whose sign it is; empty: they are not
     */
    private record Left(String when, ClassSet classes, boolean isCloud, boolean isPublished, String leftTo) {}

    @Test
    void servicesWithoutAClass_areLeftToAnother_byACloudsNode_orByWhatItPublishedBeforeTheClassServed() {
        Capabilities pool = Capabilities.fromPools(IpMode.VIP);
        ClassSet fresh = SampleClasses.one(Classless.AUTO);
        ClassSet served = SampleClasses.thatHasServedClassless(SampleClasses.VALUE, "pool", pool);
        for (Left row : List.of(
                new Left("no sign", fresh, false, false, ""),
                new Left("an address, before it has served", fresh, false, true, "an address"),
                new Left("an address, once it has served", served, false, true, ""),
                new Left("a cloud's Node, before it has served", fresh, true, false, "a Node"),
                new Left("a cloud's Node, once it has served", served, true, true, "a Node"),
                new Left("both", fresh, true, true, "a Node"),
                new Left("Always", SampleClasses.one(Classless.ALWAYS), true, true, ""),
                new Left("no default, an address", SampleClasses.one(Classless.NEVER), false, true, "an address"),
                new Left("no default, a cloud's Node", SampleClasses.one(Classless.NEVER), true, true, "a Node"),
                new Left("no class at all", ClassSet.empty(), false, true, "an address"))) {
            assertThat(row.classes()
                            .deference(sign(row.isCloud(), "a Node"), sign(row.isPublished(), "an address"))
                            .map(Deference::sign)
                            .orElse(""))
                    .as(row.when())
                    .isEqualTo(row.leftTo());
        }
    }

    private static Optional<Deference> sign(boolean isThere, String sign) {
        return isThere ? Optional.of(new Deference(sign)) : Optional.empty();
    }

    private static ClassSet bookOf(String controllerName) {
        return ClassSet.of(
                List.of(
                        declared("mine", 2, "x/one", "pool", null, true),
                        elsewhere(declared("theirs", 1, "x/one", "pool", null, true))),
                controllerName,
                PROVIDERS);
    }

    private static ClassDeclaration elsewhere(ClassDeclaration of) {
        return new ClassDeclaration(
                of.name(),
                of.created(),
                of.value(),
                "another",
                of.provider(),
                of.parameters(),
                of.pools(),
                of.ipMode(),
                of.healthCheck(),
                of.releasesNodePorts(),
                of.classless());
    }

    @Test
    void ofTwoControllersForOneValue_orForTheDefault_theOlderClassWins_inTheBooksOfBoth() {
        ClassSet mine = bookOf("me");
        ClassSet theirs = bookOf("another");

        assertThat(mine.byValue("x/one")).isPresent();
        assertThat(mine.defaultClass()).isPresent();
        assertThat(mine.isServedElsewhere("x/one")).isFalse();
        assertThat(mine.isDefaultElsewhere()).isFalse();
        assertThat(theirs.byValue("x/one")).isEmpty();
        assertThat(theirs.defaultClass()).isEmpty();
        assertThat(theirs.isServedElsewhere("x/one")).isTrue();
        assertThat(theirs.isDefaultElsewhere()).isTrue();
        assertThat(verdict(theirs, "theirs").message())
                .contains("\"mine\" (of controllerName \"me\") is older and has the value \"x/one\"");
        assertThat(verdict(theirs, "theirs").defaultMessage()).contains("\"mine\" (of controllerName \"me\")");
    }
}
