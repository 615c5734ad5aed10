package dev.berth.provider.tck;

import static dev.berth.provider.tck.Requests.identity;
import static dev.berth.provider.tck.Requests.local;
import static dev.berth.provider.tck.Requests.longest;
import static dev.berth.provider.tck.Shown.errorsOfPortsAsked;
import static dev.berth.provider.tck.Shown.hostnames;
import static dev.berth.provider.tck.Shown.ingress;
import static dev.berth.provider.tck.Shown.ips;
import static dev.berth.provider.tck.Shown.listeners;
import static dev.berth.provider.tck.Shown.shown;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrowsExactly;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.provider.TargetHealth;
import dev.berth.provider.tck.World.Listener;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The rules for providers as tests. Extend it, say by {@link #provider} what is to be tested, and run it as any JUnit
 * test.
 *
 * <p>A test's name begins with the rule's level and number. {@code required_}: every provider keeps it.
 * {@code optional_}: only those that have the capability, or whose maker lets the kit look ({@link #world},
 * {@link #outage}); else the test is skipped, with the reason. {@code untested_}: a rule that no test can show; it is
 * skipped always.
 *
 * <p>Each test takes its own cluster name and uids and deletes what it made, so that tests do not meet in one world.
 */
public abstract class LoadBalancerProviderTck {
    private static final int AT_ONCE = 8;

    private final String cluster = "tck-" + UUID.randomUUID();
    private LoadBalancerProvider provider;
    private Capabilities capabilities;
    private Calls calls;
    private Requests requests;

    // ---- for the implementer

    /**
     * A provider, new, as Berth makes one at its start. Called once or more for a test; all of one test have one world.
     */
    protected abstract LoadBalancerProvider provider();

    /** The parameters of a LoadBalancerClass with which it works. */
    protected Map<String, String> parameters() {
        return Map.of();
    }

    /** Those of another class with which it works in the same world; absent: there are none, and the rules are skipped. */
    protected Optional<Map<String, String>> otherParameters() {
        return Optional.empty();
    }

    /**
     * How long a call may take: as long as Berth waits for a plug-in in a separate process whose settings say nothing
     * of
     * a {@code deadline}. One that needs longer says so in both.
     */
    protected Duration deadline() {
        return Duration.ofSeconds(10);
    }

    /** How long it may take until what is Pending is Ready. */
    protected Duration timeLimit() {
        return Duration.ofSeconds(30);
    }

    /**
     * An address of a pool, canonical text, for a provider that takes its addresses from Berth.
     *
     * @param number 0 to 99; each has another address
     */
    protected String address(Family family, int number) {
        return switch (family) {
            case IPV4 -> "198.51.100." + (number + 1);
            case IPV6 -> "2001:db8::" + Integer.toHexString(number + 1);
        };
    }

    /** A look past the provider; absent: there is none, and rules about what is not in a status are skipped. */
    protected Optional<World> world() {
        return Optional.empty();
    }

    /** Takes the provider's world away; absent: it cannot be taken away, and the rules about it are skipped. */
    protected Optional<Outage> outage() {
        return Optional.empty();
    }

    // ---- capabilities

    @Test
    void required_capabilities01_areConstant() {
        calls.ready(requests.of("web"));
        assertEquals(capabilities, provider.capabilities());
        assertEquals(capabilities, provider().capabilities(), "of another provider over the same world");
    }

    @Test
    void required_capabilities02_nameEachThingOnce_andAnnotationsByNameOrDomain() {
        assertAll(
                () -> assertOnce(capabilities.ipModes()),
                () -> assertOnce(capabilities.protocols()),
                () -> assertOnce(capabilities.families()),
                () -> assertOnce(capabilities.features()),
                () -> assertOnce(capabilities.annotations()));
        for (String name : capabilities.annotations()) {
            assertTrue(name.matches("[A-Za-z0-9]([-A-Za-z0-9_./]*)"), "no name of an annotation: \"" + name + "\"");
        }
    }

    private static void assertOnce(List<?> things) {
        assertEquals(things.size(), new HashSet<>(things).size(), () -> "named more than once in " + things);
    }

    @Test
    void untested_capabilities03_anImmediateProviderTouchesNothingOutsideBerth() {
        untested("what a provider does not touch cannot be seen");
    }

    // ---- getLoadBalancerName

    @Test
    void required_name01_isTheSameForTheLifeOfTheService() {
        LoadBalancerRequest web = requests.of("web");
        String name = provider.getLoadBalancerName(web.service());
        calls.ready(web);
        assertEquals(name, provider.getLoadBalancerName(web.service()), "once the load balancer exists");
        calls.delete(web);
        assertEquals(name, provider.getLoadBalancerName(web.service()), "once it is deleted");
        // Last: it may take over the world at once, and the first one is to change it no more.
        assertEquals(name, provider().getLoadBalancerName(web.service()), "of another provider over the same world");
    }

    @Test
    void required_name02_differsBetweenServicesOfOneName() {
        assertNotEquals(provider.getLoadBalancerName(identity("web")), provider.getLoadBalancerName(identity("web")));
    }

    @Test
    void required_name03_has1To253CharactersWithoutBlanks() {
        for (ServiceIdentity service : List.of(identity("web"), longest())) {
            String name = provider.getLoadBalancerName(service);
            assertTrue(name.matches("[\\x21-\\x7e]{1,253}"), () -> "\"" + name + "\"");
        }
    }

    @Test
    void untested_name04_isPure() {
        untested("that nothing is asked for it cannot be seen");
    }

    // ---- getLoadBalancer

    @Test
    void required_get01_isAbsentBeforeTheFirstEnsure() {
        touchesTheWorld();
        assertEquals(Optional.empty(), calls.get(requests.of("web")));
    }

    @Test
    void required_get02_showsWhatEnsureAnswered() {
        LoadBalancerRequest web = requests.of("web");
        LoadBalancerStatus ready = calls.ready(web);
        assertEquals(shown(ready), shown(calls.get(web)));
    }

    @Test
    void required_get03_makesNothing() {
        touchesTheWorld();
        calls.ready(requests.of("other"));
        LoadBalancerRequest web = requests.of("web");
        calls.get(web);
        assertEquals(Optional.empty(), calls.get(web), "after it was asked for once");
    }

    @Test
    void required_get04_doesNotShowAnotherServiceOfThatName() {
        touchesTheWorld();
        calls.ready(requests.of("web"));
        assertEquals(Optional.empty(), calls.get(requests.of("web")));
    }

    @Test
    void optional_get05_countsTheTargetsOfTheLastRequest() {
        hasTargets();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.to(web, 2);
        calls.ready(changed);
        Optional<TargetHealth> told = calls.get(changed).flatMap(status -> Optional.ofNullable(status.targets()));
        assumeTrue(told.isPresent(), "it says nothing of its targets");
        // Of endpoints, one for each port.
        int most = changed.nodes().size() + changed.endpoints().size();
        assertTrue(told.get().total() <= most, told.get() + " of a load balancer that has " + most);
    }

    @Test
    void untested_get06_ifNoTargetPasses_thePolicyDecides() {
        untested("the kit sends no packets");
    }

    // ---- ensureLoadBalancer

    @Test
    void required_ensure01_endsAsReady() {
        LoadBalancerRequest web = requests.of(longest(), requests.firstFamily());
        LoadBalancerRequest two = requests.withPorts(
                web, requests.port(requests.firstProtocol(), 80), requests.port(requests.firstProtocol(), 443));
        assertFalse(calls.ready(two).ingress().isEmpty());
    }

    @Test
    void required_ensure02_repeatedCallReturnsTheSameIngress() {
        LoadBalancerRequest web = requests.of("web");
        List<Ingress> first = ingress(calls.ready(web));
        assertEquals(first, ingress(calls.ready(web)));
        assertEquals(first, ingress(calls.ready(web)));
    }

    @Test
    void required_ensure03_differentServicesAtOnce_getWhatIsTheirs() {
        List<LoadBalancerRequest> all = IntStream.range(0, AT_ONCE)
                .mapToObj(i -> requests.of("at-once-" + i))
                .toList();
        CyclicBarrier start = new CyclicBarrier(AT_ONCE);
        ConcurrentHashMap<LoadBalancerRequest, LoadBalancerStatus> answers = new ConcurrentHashMap<>();
        ConcurrentHashMap<LoadBalancerRequest, Throwable> failures = new ConcurrentHashMap<>();
        List<Thread> threads = all.stream()
                .map(request -> Thread.ofVirtual().start(() -> {
                    try {
                        start.await();
                        answers.put(request, calls.ready(request));
                    } catch (Exception | AssertionError failure) {
                        failures.put(request, failure);
                    }
                }))
                .toList();
        threads.forEach(LoadBalancerProviderTck::join);
        assertEquals(Map.of(), failures);
        for (LoadBalancerRequest request : all) {
            LoadBalancerStatus answer =
                    Optional.ofNullable(answers.get(request)).orElseThrow();
            assertEquals(
                    ingress(answer),
                    ingress(calls.get(request)),
                    request.service().toString());
            if (takesAddresses()) {
                assertTrue(ips(answer).containsAll(request.addresses()), () -> request.service() + " got " + answer);
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            fail("interrupted", stopping);
        }
    }

    @Test
    void optional_ensure04_ingressIsWithinTheClaimedAddresses() {
        assumeTrue(takesAddresses(), "it brings its own addresses");
        LoadBalancerRequest web = requests.of("web");
        LoadBalancerStatus status = calls.ready(web);
        assertEquals(List.of(), hostnames(status), "hostnames");
        List<String> foreign = new ArrayList<>(ips(status));
        foreign.removeAll(web.addresses());
        assertEquals(List.of(), foreign, () -> "not among " + web.addresses());
    }

    @Test
    void optional_ensure05_eachClaimedAddressIsAnIngress() {
        assumeTrue(takesAddresses(), "it brings its own addresses");
        LoadBalancerRequest web = requests.of(identity("web"), capabilities.families());
        LoadBalancerStatus status = calls.ready(web);
        assertTrue(ips(status).containsAll(web.addresses()), () -> status + " lacks some of " + web.addresses());
    }

    @Test
    void optional_ensure06_ingressOfItsOwnIsAHostnameOrCanonicalAndOfAFamilyAskedFor() {
        assumeFalse(takesAddresses(), "it takes its addresses from Berth");
        for (Family family : capabilities.families()) {
            LoadBalancerStatus status = calls.ready(requests.of(identity("web"), List.of(family)));
            for (String ip : ips(status)) {
                InetAddress address = InetAddress.ofLiteral(ip);
                assertEquals(
                        family == Family.IPV4 ? 4 : 16, address.getAddress().length, () -> ip + " is no " + family);
                assertEquals(CanonicalText.of(address), ip, "in canonical text");
            }
        }
    }

    @Test
    void required_ensure07_ipModeIsTheOneAskedFor() {
        for (IpMode mode : capabilities.ipModes()) {
            LoadBalancerRequest any = requests.of("web-" + mode.name().toLowerCase(Locale.ROOT));
            LoadBalancerStatus status = calls.ready(any.toBuilder().ipMode(mode).build());
            for (Ingress entry : ingress(status)) {
                if (entry.ip() != null) {
                    assertEquals(mode, entry.ipMode(), () -> "of " + entry.ip());
                }
            }
        }
    }

    @Test
    void required_ensure08_portErrorsAreOnlyForPortsAskedFor() {
        LoadBalancerRequest web = requests.of("web");
        List<Listener> asked = listeners(web);
        for (PortError error : calls.ready(web).portErrors()) {
            assertTrue(asked.contains(new Listener(error.protocol(), error.port())), () -> error + " of " + asked);
        }
    }

    @Test
    void required_ensure09_eachOfItsProtocolsIsCarried() {
        for (Protocol protocol : capabilities.protocols()) {
            LoadBalancerRequest web = requests.withPorts(
                    requests.of("web-" + protocol.name().toLowerCase(Locale.ROOT)), requests.port(protocol, 53));
            assertEquals(List.of(), errorsOfPortsAsked(web, calls.ready(web)), protocol.name());
        }
    }

    @Test
    void required_ensure10_eachOfItsFamiliesIsCarriedAlone() {
        for (Family family : capabilities.families()) {
            LoadBalancerRequest web = requests.of(identity("web"), List.of(family));
            assertFalse(calls.ready(web).ingress().isEmpty(), family.name());
        }
    }

    @Test
    void optional_ensure11_changedPortsAreTakenOver() {
        World world = lookable();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.withPorts(web, requests.port(requests.firstProtocol(), 8443));
        calls.ready(changed);
        assertEquals(
                Set.copyOf(listeners(changed)), Set.copyOf(seen(world, changed).ports()));
    }

    @Test
    void optional_ensure12_changedTargetsAreTakenOver() {
        World world = lookable();
        hasTargets();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.to(web, 2, 3, 4);
        calls.ready(changed);
        assertEquals(targets(changed), targetsSeen(world, changed));
    }

    @Test
    void optional_ensure13_changedAddressesAreTakenOver() {
        assumeTrue(takesAddresses(), "it brings its own addresses");
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest moved =
                web.toBuilder().addresses(requests.addresses(web.families())).build();
        LoadBalancerStatus status = calls.ready(moved);
        assertTrue(ips(status).containsAll(moved.addresses()), () -> status + " lacks " + moved.addresses());
        assertTrue(web.addresses().stream().noneMatch(ips(status)::contains), () -> status + " has a former one");
        assertEquals(ingress(status), ingress(calls.get(moved)));
    }

    @Test
    void required_ensure14_ingressStaysWhenPortsAndTargetsChange() {
        LoadBalancerRequest web = requests.of("web");
        List<Ingress> before = ingress(calls.ready(web));
        LoadBalancerRequest changed =
                requests.to(requests.withPorts(web, requests.port(requests.firstProtocol(), 8080)), 1, 2, 3);
        assertEquals(before, ingress(calls.ready(changed)));
    }

    @Test
    void required_ensure15_noTargetsAtAllIsNoFailure() {
        EnsureOutcome outcome = calls.ensure(requests.to(requests.of("web")));
        assertNotEquals(EnsureOutcome.implementedElsewhere(), outcome);
    }

    @Test
    void required_ensure16_unknownAnnotationsAreIgnored() {
        LoadBalancerRequest web = requests.of("web").toBuilder()
                .annotations(Map.of("tck.berth.dev/unknown", "any"))
                .build();
        assertFalse(calls.ready(web).ingress().isEmpty());
    }

    @Test
    void required_ensure17_unknownParametersAreIgnoredOrNamedInAFailure() {
        LoadBalancerRequest web = requests.of("web");
        Map<String, String> more = new LinkedHashMap<>(web.parameters());
        more.put("tckUnknown", "any");
        try {
            calls.ready(web.toBuilder().parameters(more).build());
        } catch (ProviderException refused) {
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("tckUnknown"),
                    () -> "does not name tckUnknown: " + refused.getMessage());
        }
    }

    @Test
    void optional_ensure18_sourceRangesAreTakenOver_narrowed_andRemoved() {
        can(Feature.SOURCE_RANGES);
        World world = lookable();
        List<String> wide = requests.firstFamily().contains(Family.IPV4)
                ? List.of("192.0.2.0/25", "203.0.113.7/32")
                : List.of("2001:db8:5::/48", "2001:db8:6::7/128");
        LoadBalancerRequest web = requests.of("web");
        for (List<String> ranges : List.of(wide, wide.subList(1, 2), List.<String>of())) {
            LoadBalancerRequest request = web.toBuilder().sourceRanges(ranges).build();
            calls.ready(request);
            assertEquals(Set.copyOf(ranges), Set.copyOf(seen(world, request).sourceRanges()));
        }
    }

    @Test
    void optional_ensure19_sessionAffinityIsServed() {
        can(Feature.SESSION_AFFINITY);
        LoadBalancerRequest web = requests.of("web").toBuilder()
                .sessionAffinity(Duration.ofHours(3))
                .build();
        assertEquals(List.of(), errorsOfPortsAsked(web, calls.ready(web)));
    }

    @Test
    void optional_ensure20_localTrafficPolicyIsServed() {
        can(Feature.LOCAL_TRAFFIC_POLICY);
        LoadBalancerRequest web = local(requests.of("web"));
        assertEquals(List.of(), errorsOfPortsAsked(web, calls.ready(web)));
    }

    @Test
    void optional_ensure21_mixedProtocolsAreServed() {
        can(Feature.MIXED_PROTOCOLS);
        assumeTrue(capabilities.protocols().size() > 1, "it has one protocol only");
        LoadBalancerRequest web = requests.withPorts(
                requests.of("web"),
                capabilities.protocols().stream()
                        .map(protocol -> requests.port(protocol, 53))
                        .toArray(Port[]::new));
        assertEquals(List.of(), errorsOfPortsAsked(web, calls.ready(web)));
    }

    @Test
    void optional_ensure22_whatItCannotDoIsLeftOut_andTheRestServed() {
        LoadBalancerRequest web = requests.of("web");
        List<LoadBalancerRequest> beyond = new ArrayList<>();
        if (!capabilities.has(Feature.SOURCE_RANGES)) {
            beyond.add(web.toBuilder().sourceRanges(List.of("192.0.2.0/24")).build());
        }
        if (!capabilities.has(Feature.SESSION_AFFINITY)) {
            beyond.add(web.toBuilder().sessionAffinity(Duration.ofHours(3)).build());
        }
        if (!capabilities.has(Feature.LOCAL_TRAFFIC_POLICY)) {
            beyond.add(local(web));
        }
        assumeFalse(beyond.isEmpty(), "it can do all that a Service can ask for");
        for (LoadBalancerRequest request : beyond) {
            assertFalse(calls.ready(request).ingress().isEmpty());
        }
    }

    @Test
    void untested_ensure23_whenReadyItsTrafficArrives() {
        untested("the kit sends no packets");
    }

    @Test
    void untested_ensure24_wantedAddressesAreGivenIfTheyCanBe() {
        untested("which of its own addresses a provider can give is known to it alone");
    }

    @Test
    void untested_ensure25_addressesOfItsOwnAreNobodyElses() {
        untested("the kit has no pools and no cluster; Berth looks itself");
    }

    @Test
    void optional_ensure26_changedHealthCheckIsTakenOver() {
        assumeTrue(capabilities.targets() == Targets.NODE_PORTS, "it sends packets to no nodes");
        World world = lookable();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        assumeTrue(
                seen(world, web).healthCheck() != null, "the kit cannot see its health check: have look() report it");
        for (HealthCheck check : List.of(
                new HealthCheck(10256, "/healthz"),
                new HealthCheck(32000, "/healthz"),
                new HealthCheck(32000, "/livez"),
                new HealthCheck(Requests.NODE_PORT, null))) {
            LoadBalancerRequest changed = web.toBuilder().healthCheck(check).build();
            calls.ready(changed);
            assertEquals(check, seen(world, changed).healthCheck());
        }
    }

    @Test
    void optional_ensure27_changedIpModeIsTakenOver() {
        assumeTrue(capabilities.ipModes().size() > 1, "it has one ipMode only");
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        for (IpMode mode : capabilities.ipModes().reversed()) {
            LoadBalancerRequest changed = web.toBuilder().ipMode(mode).build();
            LoadBalancerStatus status = calls.ready(changed);
            assertEquals(ingress(status), ingress(calls.get(changed)));
            for (Ingress entry : ingress(status)) {
                if (entry.ip() != null) {
                    assertEquals(mode, entry.ipMode(), () -> "of " + entry.ip());
                }
            }
        }
    }

    @Test
    void optional_ensure28_deletedUnderOneClass_itIsMadeUnderAnother() {
        LoadBalancerRequest web = requests.of("web");
        LoadBalancerRequest other = underAnotherClass(web);
        calls.ready(web);
        calls.delete(web);
        LoadBalancerStatus status = calls.ready(other);
        assertEquals(ingress(status), ingress(calls.get(other)));
    }

    @Test
    void optional_ensure29_tlsIsServed_andAnotherCertificateTakenOver() {
        can(Feature.TLS_TERMINATION);
        LoadBalancerRequest plain = requests.withPorts(
                requests.of("web"), requests.port(Protocol.TCP, 80), requests.port(Protocol.TCP, 443));
        Port port = plain.ports().getLast();
        LoadBalancerRequest web = plain.toBuilder().tls(SampleTls.first(port)).build();
        LoadBalancerRequest renewed =
                plain.toBuilder().tls(SampleTls.second(port)).build();
        for (LoadBalancerRequest request : List.of(web, renewed, plain)) {
            LoadBalancerStatus status = calls.ready(request);
            assertEquals(List.of(), errorsOfPortsAsked(request, status));
            assertEquals(ingress(status), ingress(calls.get(request)));
        }
    }

    /** To be seen by all who may read events and conditions. */
    @Test
    void optional_ensure30_noFailureTellsTheKey() {
        can(Feature.TLS_TERMINATION);
        LoadBalancerRequest web = requests.withPorts(requests.of("web"), requests.port(Protocol.TCP, 443));
        Tls first = SampleTls.first(web.ports().getFirst());
        Tls mixedUp = new Tls(
                first.ports(),
                first.certificate(),
                SampleTls.second(web.ports().getFirst()).privateKey());
        try {
            calls.ready(web.toBuilder().tls(mixedUp).build());
        } catch (ProviderException refused) {
            String message = String.valueOf(refused.getMessage());
            assertTrue(
                    mixedUp.privateKey().lines().skip(1).limit(2).noneMatch(message::contains),
                    "the failure has a part of the key in it");
        }
    }

    private LoadBalancerRequest underAnotherClass(LoadBalancerRequest request) {
        Optional<Map<String, String>> others = otherParameters();
        assumeTrue(others.isPresent(), "there is one class of it only: override otherParameters()");
        return request.toBuilder().parameters(others.orElseThrow()).build();
    }

    // ---- Pending

    @Test
    void optional_pending01_hasAPositiveDelayAndSaysWhatItWaitsFor() {
        calls.ready(requests.of("web"));
        assumeFalse(calls.pending().isEmpty(), "it was Ready at once");
        for (EnsureOutcome.Pending pending : calls.pending()) {
            assertTrue(pending.retryAfter().isPositive(), pending::toString);
            assertFalse(pending.message().isBlank(), pending::toString);
        }
    }

    @Test
    void optional_pending02_deletedMeanwhile_nothingIsLeft() {
        touchesTheWorld();
        LoadBalancerRequest web = requests.of("web");
        assumeTrue(calls.ensure(web) instanceof EnsureOutcome.Pending, "it was Ready at once");
        calls.delete(web);
        if (capabilities.has(Feature.LISTING)) {
            assertEquals(Set.of(), listed(cluster));
        }
        world().ifPresent(world -> assertEquals(Optional.empty(), world.look(cluster, web.service())));
        assertEquals(Optional.empty(), calls.get(web));
    }

    // ---- updateLoadBalancer

    @Test
    void optional_update01_takesTheTargetsOver() {
        World world = lookable();
        hasTargets();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.to(web, 2, 3);
        calls.update(changed);
        assertEquals(targets(changed), targetsSeen(world, changed));
    }

    @Test
    void required_update02_leavesTheStatus() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        Optional<LoadBalancerStatus> before = calls.get(web);
        LoadBalancerRequest changed = requests.to(web, 2, 3);
        calls.update(changed);
        assertEquals(shown(before), shown(calls.get(changed)));
    }

    @Test
    void required_update03_isIdempotent() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.to(web, 2, 3);
        calls.update(changed);
        calls.update(changed);
        assertTrue(calls.get(changed).isPresent());
    }

    @Test
    void optional_update04_leavesPortsAndSourceRanges() {
        World world = lookable();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        World.Seen before = seen(world, web);
        calls.update(requests.to(web, 2, 3));
        World.Seen after = seen(world, web);
        assertEquals(Set.copyOf(before.ports()), Set.copyOf(after.ports()));
        assertEquals(Set.copyOf(before.sourceRanges()), Set.copyOf(after.sourceRanges()));
    }

    @Test
    void required_update05_noTargetsAtAllIsNoFailure() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.update(requests.to(web));
        assertTrue(calls.get(web).isPresent());
    }

    @Test
    void required_update06_makesNothing() {
        touchesTheWorld();
        calls.ready(requests.of("other"));
        LoadBalancerRequest web = requests.of("web");
        try {
            calls.update(web);
        } catch (ProviderException itMayRefuse) {
            assertFalse(String.valueOf(itMayRefuse.getMessage()).isBlank());
        }
        assertEquals(Optional.empty(), calls.get(web));
    }

    // ---- ensureLoadBalancerDeleted

    @Test
    void required_delete01_thenNothingIsThere() {
        touchesTheWorld();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.delete(web);
        assertEquals(Optional.empty(), calls.get(web));
    }

    @Test
    void required_delete02_isIdempotent() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.delete(web);
        calls.delete(web);
    }

    @Test
    void required_delete03_ofWhatNeverWas_succeeds() {
        calls.delete(requests.of("web"));
    }

    @Test
    void required_delete04_needsNeitherPortsNorAddressesNorTargets() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.delete(LoadBalancerRequest.builder(cluster, web.service(), web.ipMode())
                .fencingToken(web.fencingToken())
                .parameters(web.parameters())
                .build());
    }

    @Test
    void required_delete05_leavesAnotherServiceOfThatName() {
        LoadBalancerRequest former = requests.of("web");
        LoadBalancerRequest web = requests.of("web");
        calls.ready(former);
        calls.ready(web);
        calls.delete(former);
        assertTrue(calls.get(web).isPresent());
    }

    @Test
    void required_delete06_leavesOtherServices() {
        LoadBalancerRequest web = requests.of("web");
        LoadBalancerRequest longer = requests.of("web-admin");
        calls.ready(web);
        calls.ready(longer);
        calls.delete(web);
        assertTrue(calls.get(longer).isPresent());
    }

    @Test
    void required_delete07_itCanBeMadeAgain() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.delete(web);
        assertFalse(calls.ready(web).ingress().isEmpty());
    }

    @Test
    void optional_delete08_thenNothingCarriesTraffic() {
        World world = lookable();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.delete(web);
        assertEquals(Optional.empty(), world.look(cluster, web.service()));
    }

    @Test
    void optional_delete09_underAnotherClass_succeeds() {
        LoadBalancerRequest web = requests.of("web");
        LoadBalancerRequest other = underAnotherClass(web);
        calls.ready(web);
        calls.delete(other);
        if (calls.get(web).isPresent()) {
            calls.delete(web);
        }
    }

    // ---- fencing

    @Test
    void required_fencing01_ensureWithALowerTokenIsRefused() {
        touchesTheWorld();
        LoadBalancerRequest web = fenced(2);
        Optional<LoadBalancerStatus> before = calls.get(web);
        assertRefused(() -> calls.ensure(web.toBuilder().fencingToken(1).build()));
        assertEquals(shown(before), shown(calls.get(web)));
    }

    @Test
    void required_fencing02_updateWithALowerTokenIsRefused() {
        touchesTheWorld();
        LoadBalancerRequest web = fenced(2);
        assertRefused(
                () -> calls.update(requests.to(web.toBuilder().fencingToken(1).build(), 2, 3)));
        world().filter(world -> capabilities.targets() != Targets.NONE)
                .ifPresent(world -> assertEquals(targets(web), targetsSeen(world, web)));
    }

    @Test
    void required_fencing03_deleteWithALowerTokenIsRefused() {
        touchesTheWorld();
        LoadBalancerRequest web = fenced(2);
        assertRefused(() -> calls.delete(web.toBuilder().fencingToken(1).build()));
        assertTrue(calls.get(web).isPresent());
    }

    @Test
    void required_fencing04_anEqualOrHigherTokenIsNot() {
        LoadBalancerRequest web = fenced(2);
        for (long token : List.of(2L, 3L, 1000L, 1000L)) {
            LoadBalancerRequest next = web.toBuilder().fencingToken(token).build();
            calls.ready(next);
            calls.update(requests.to(next, 3));
        }
        calls.delete(web.toBuilder().fencingToken(1001).build());
    }

    @Test
    void required_fencing05_isKeptWithTheLoadBalancer_notInTheProcess() {
        touchesTheWorld();
        LoadBalancerRequest web = fenced(2);
        LoadBalancerRequest deposed = web.toBuilder().fencingToken(1).build();
        Calls another = calls.through(provider());
        assertRefused(() -> another.ensure(deposed));
        assertRefused(() -> another.update(deposed));
        assertRefused(() -> another.delete(deposed));
        assertTrue(calls.get(web).isPresent());
    }

    @Test
    void required_fencing06_concernsNoOtherCluster() {
        calls.ready(requests.of("web").toBuilder().fencingToken(7).build());
        LoadBalancerRequest there =
                requests.of("web").toBuilder().clusterName(cluster + "-2").build();
        assertFalse(calls.ready(there).ingress().isEmpty());
    }

    @Test
    void untested_fencing07_concernsAllServicesOfTheCluster() {
        untested("a provider that has nowhere to keep it for the cluster keeps it with each load balancer");
    }

    @Test
    void required_fencing08_afterADeleteALowerTokenIsRefused() {
        touchesTheWorld();
        LoadBalancerRequest web = fenced(2);
        calls.delete(web.toBuilder().fencingToken(3).build());
        assertRefused(() -> calls.ensure(web));
    }

    private LoadBalancerRequest fenced(long token) {
        LoadBalancerRequest web =
                requests.of("web").toBuilder().fencingToken(token).build();
        calls.ready(web);
        return web;
    }

    private static void assertRefused(Executable call) {
        assertThrowsExactly(ProviderException.class, call, "with a lower fencing token than before");
    }

    // ---- listLoadBalancers

    @Test
    void optional_list01_hasExactlyWhatExists() {
        can(Feature.LISTING);
        assertEquals(Set.of(), listed(cluster));
        LoadBalancerRequest a = requests.of("a");
        LoadBalancerRequest b = requests.of("b");
        calls.ready(a);
        calls.ready(b);
        assertEquals(namesOf(a, b), listed(cluster));
        calls.delete(a);
        assertEquals(namesOf(b), listed(cluster));
    }

    @Test
    void optional_list02_namesTheServiceWithItsUid() {
        can(Feature.LISTING);
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        assertEquals(
                List.of(web.service()),
                calls.list(cluster).stream().map(ListedLoadBalancer::service).toList());
    }

    @Test
    void optional_list03_hasNoneOfAnotherCluster() {
        can(Feature.LISTING);
        calls.ready(requests.of("web"));
        assertEquals(Set.of(), listed(cluster + "-2"));
    }

    private Set<String> listed(String clusterName) {
        return calls.list(clusterName).stream()
                .map(ListedLoadBalancer::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> namesOf(LoadBalancerRequest... requests) {
        return Stream.of(requests)
                .map(request -> provider.getLoadBalancerName(request.service()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---- failures

    private record Odd(String sentence, UnaryOperator<LoadBalancerRequest.Builder> change) {}

    private static final List<Odd> ODD = List.of(
            new Odd("no ports", builder -> builder.ports(List.of())),
            new Odd("no health check", builder -> builder.healthCheck(null)),
            new Odd("nodes without addresses", builder -> builder.nodes(List.of(Node.named("bare")))),
            new Odd("ports without node ports", builder -> builder.ports(List.of(new Port("", Protocol.TCP, 80, 0)))),
            new Odd(
                    "one port number for two protocols",
                    builder -> builder.ports(List.of(
                            new Port("a", Protocol.TCP, 53, Requests.NODE_PORT),
                            new Port("b", Protocol.UDP, 53, Requests.NODE_PORT + 1)))),
            new Odd(
                    "a hundred ports",
                    builder -> builder.ports(IntStream.range(0, 100)
                            .mapToObj(i -> new Port("p" + i, Protocol.TCP, 1000 + i, Requests.NODE_PORT + i))
                            .toList())),
            new Odd("an address that nobody has", builder -> builder.wantedAddresses(List.of("0.0.0.0"))));

    @Test
    void required_failure01_isAProviderException_whateverIsAskedFor() {
        for (Odd odd : ODD) {
            LoadBalancerRequest request =
                    odd.change().apply(requests.of("odd").toBuilder()).build();
            for (Executable call : List.<Executable>of(
                    () -> calls.ensure(request),
                    () -> calls.get(request),
                    () -> calls.update(request),
                    () -> calls.delete(request))) {
                assertNoOtherException(odd.sentence(), call);
            }
        }
    }

    private static void assertNoOtherException(String sentence, Executable call) {
        try {
            call.execute();
        } catch (ProviderException itMayRefuse) {
            assertFalse(String.valueOf(itMayRefuse.getMessage()).isBlank(), sentence + ": a human-readable message");
        } catch (AssertionError failed) {
            throw failed;
        } catch (Throwable other) {
            fail("asked for " + sentence + ", it threw " + other, other);
        }
    }

    @Test
    void optional_failure02_isAProviderException_whileItsWorldIsAway() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        try (Outage outage = breakable()) {
            assertAll(failing(web).stream().map(call -> () -> assertThrowsExactly(ProviderException.class, call)));
        }
    }

    @Test
    void optional_failure03_saysWhyAndWhenToTryAgain() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        try (Outage outage = breakable()) {
            for (Executable call : failing(web)) {
                try {
                    call.execute();
                } catch (ProviderException failure) {
                    assertFalse(String.valueOf(failure.getMessage()).isBlank(), "a human-readable message");
                    failure.retryAfter()
                            .ifPresent(after -> assertTrue(after.isPositive(), () -> "to be tried after " + after));
                } catch (Throwable judgedByFailure02) {
                    assertFalse(judgedByFailure02 instanceof AssertionError, judgedByFailure02::toString);
                }
            }
        }
    }

    @Test
    void optional_failure04_endsWithItsCause() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.to(web, 2, 3);
        try (Outage outage = breakable()) {
            calls.ensure(changed);
        } catch (RuntimeException judgedByFailure02) {
            assertFalse(judgedByFailure02.toString().isEmpty());
        }
        assertFalse(calls.ready(changed).ingress().isEmpty());
        calls.update(web);
        calls.delete(web);
    }

    private List<Executable> failing(LoadBalancerRequest web) {
        return List.of(
                () -> calls.get(web),
                () -> calls.ensure(requests.to(web, 2, 3)),
                () -> calls.update(requests.to(web, 3)),
                () -> calls.delete(web));
    }

    @Test
    void untested_failure05_aCallThatIsInterruptedEndsSoon() {
        untested("where in its work a call is interrupted cannot be chosen");
    }

    @Test
    void optional_failure06_isNotPermanent_whileItsWorldIsAway() {
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        try (Outage outage = breakable()) {
            for (Executable call : failing(web)) {
                try {
                    call.execute();
                } catch (ProviderException failure) {
                    assertNotEquals(
                            ProviderException.Kind.PERMANENT,
                            failure.kind(),
                            () -> "its world comes back, and Berth would wait for an hour: " + failure.getMessage());
                } catch (Throwable judgedByFailure02) {
                    assertFalse(judgedByFailure02 instanceof AssertionError, judgedByFailure02::toString);
                }
            }
        }
    }

    // ---- restart

    @Test
    void required_restart01_aNewProviderShowsWhatThereIs() {
        LoadBalancerRequest web = requests.of("web");
        LoadBalancerStatus status = calls.ready(web);
        assertEquals(ingress(status), ingress(calls.through(provider()).get(web)));
    }

    @Test
    void required_restart02_aNewProviderDeletesWhatThereIs() {
        touchesTheWorld();
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        calls.through(provider()).delete(web);
        assertEquals(Optional.empty(), calls.get(web));
    }

    @Test
    void untested_restart03_whatACrashLeftHalfDone_isFinishedByTheNextCall() {
        untested("where in its work a provider crashes cannot be chosen");
    }

    // ---- onChange

    @Test
    void required_change01_whatBerthAsksFor_isNoChange() {
        Queue<ServiceIdentity> changes = new ConcurrentLinkedQueue<>();
        provider.onChange(changes::add);
        LoadBalancerRequest web = requests.of("web");
        calls.ready(web);
        LoadBalancerRequest changed = requests.to(web, 2, 3, 4);
        calls.update(changed);
        calls.get(changed);
        calls.delete(changed);
        assertEquals(
                List.of(),
                changes.stream().filter(web.service()::equals).toList(),
                "reported as changed without Berth");
    }

    @Test
    void untested_change02_whatItNoticesItReports() {
        untested("the kit changes nothing in the provider's world by itself");
    }

    // ---- what the tests are made of

    @BeforeEach
    void begin() {
        provider = provider();
        capabilities = provider.capabilities();
        calls = Calls.of(provider, deadline(), timeLimit(), capabilities.callLimit());
        requests = new Requests(cluster, capabilities, parameters(), this::address);
    }

    @AfterEach
    void cleanUp() {
        calls.cleanUp();
    }

    private static void untested(String reason) {
        abort("no test can show it: " + reason);
    }

    /** What an immediate provider shows, it makes up of the request alone; it has nothing that could be left. */
    private void touchesTheWorld() {
        assumeFalse(capabilities.immediate(), "it is immediate: nothing outlives a call");
    }

    private void can(Feature feature) {
        assumeTrue(capabilities.has(feature), () -> "it does not have the capability " + feature);
    }

    private void hasTargets() {
        assumeTrue(capabilities.targets() != Targets.NONE, "it sends packets nowhere itself");
    }

    private World lookable() {
        Optional<World> world = world();
        assumeTrue(world.isPresent(), "the kit cannot look into its world: override world()");
        return world.orElseThrow();
    }

    private Outage breakable() {
        Optional<Outage> outage = outage();
        assumeTrue(outage.isPresent(), "its world cannot be taken away: override outage()");
        return outage.orElseThrow();
    }

    private boolean takesAddresses() {
        return capabilities.addresses() == AddressSource.POOLS;
    }

    /** The names of its nodes, or the addresses of its endpoints. */
    private static Set<String> targets(LoadBalancerRequest request) {
        return Stream.concat(
                        request.nodes().stream().map(Node::name),
                        request.endpoints().stream().map(Endpoint::address))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> targetsSeen(World world, LoadBalancerRequest request) {
        List<Node> all = IntStream.range(0, 10).mapToObj(requests::node).toList();
        return seen(world, request).nodes().stream()
                .map(seen -> all.stream()
                        .filter(node -> node.name().equals(seen)
                                || node.providerId().equals(seen)
                                || node.addresses().contains(seen))
                        .map(Node::name)
                        .findFirst()
                        .orElse(seen))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static World.Seen seen(World world, LoadBalancerRequest request) {
        return world.look(request.clusterName(), request.service())
                .orElseGet(() -> fail("nothing carries traffic for " + request.service()));
    }
}
