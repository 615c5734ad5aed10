package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Demand;
import dev.berth.loadbalancer.EndpointRules;
import dev.berth.loadbalancer.ForeignAnnotations;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.loadbalancer.NodeRules;
import dev.berth.loadbalancer.Planner;
import dev.berth.loadbalancer.Published.PortStatus;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.ServiceSnapshot;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.migration.MigrationSources;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.testing.Mutation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The system properties {@code property.seeds} and {@code property.first} say on how many odd objects each mapping is tried. */
class HostileObjectsTest {
    private static final long SEEDS = Long.getLong("property.seeds", 2_000);
    private static final long FIRST = Long.getLong("property.first", 0);

    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private static final String CLASS = "berth.dev/pool";

    private static final ClassSet CLASSES = SampleClasses.one(
            CLASS, "hw", Capabilities.fromPools(IpMode.VIP).withTargets(Targets.NODE_PORTS), null, Classless.AUTO);

    private static final String META = """
            "metadata": {"name": "web", "namespace": "prod", "uid": "u1", "resourceVersion": "7",
              "creationTimestamp": "2026-01-01T00:00:00Z"}
            """;

    private static final String SERVICE = """
            {"apiVersion": "v1", "kind": "Service",
            "metadata": {"name": "web", "namespace": "prod", "uid": "u1", "resourceVersion": "7",
              "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "2026-01-01T00:00:00Z",
              "finalizers": ["berth.dev/load-balancer-cleanup", "service.kubernetes.io/load-balancer-cleanup"],
              "labels": {"app": "web"},
              "annotations": {"berth.dev/addresses": "192.0.2.1,2001:db8::1", "berth.dev/address-pool": "edge",
                "berth.dev/sharing-key": "k", "berth.dev/retain": "true", "berth.dev/served-by-class": "berth.dev/pool",
                "berth.dev/node-ports-released": "TCP/80", "metallb.io/loadBalancerIPs": "192.0.2.1",
                "metallb.io/address-pool": "edge", "kube-vip.io/loadbalancerIPs": "192.0.2.1"}},
            "spec": {"type": "LoadBalancer", "loadBalancerClass": "berth.dev/pool", "loadBalancerIP": "192.0.2.1",
              "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "PreferDualStack", "clusterIP": "10.96.0.9",
              "clusterIPs": ["10.96.0.9", "fd00::9"], "selector": {"app": "web"}, "externalTrafficPolicy": "Local",
              "healthCheckNodePort": 32000, "loadBalancerSourceRanges": ["10.0.0.0/8"], "sessionAffinity": "ClientIP",
              "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}},
              "ports": [{"name": "http", "protocol": "TCP", "port": 80, "nodePort": 30080, "appProtocol": "http"},
                {"protocol": "UDP", "port": 53, "targetPort": "dns"}]},
            "status": {"loadBalancer": {"ingress": [
                {"ip": "192.0.2.1", "ipMode": "VIP", "ports": [{"port": 80, "protocol": "TCP", "error": "x"}]},
                {"hostname": "lb.example.com"}]},
              "conditions": [{"type": "berth.dev/AddressAssigned", "status": "True", "reason": "Assigned",
                "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1}]}}
            """;

    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n1", "uid": "u1", "resourceVersion": "7", "labels": {"a": "b"},
              "deletionTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"providerID": "aws:///x/i-1", "podCIDR": "10.244.0.0/24",
              "podCIDRs": ["10.244.0.0/24", "fd00:1::/64"],
              "taints": [{"key": "ToBeDeletedByClusterAutoscaler", "value": "1", "effect": "NoSchedule"}]},
            "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"},
                {"type": "ExternalIP", "address": "2001:db8::7"}, {"type": "Hostname", "address": "n1"}]}}
            """;

    private static final String SLICE = """
            {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {"name": "web-1", "namespace": "prod", "uid": "u1", "resourceVersion": "7",
              "labels": {"kubernetes.io/service-name": "web"}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.244.0.9"], "nodeName": "n1", "zone": "z",
              "conditions": {"ready": true, "serving": true, "terminating": false}}],
            "ports": [{"name": "http", "protocol": "TCP", "port": 8080}]}
            """;

    private static final String SERVICE_CIDR = """
            {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR",
            "metadata": {"name": "more", "uid": "u1", "resourceVersion": "7",
              "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "2026-01-01T00:00:00Z",
              "finalizers": ["networking.k8s.io/service-cidr-finalizer"],
              "labels": {"app.kubernetes.io/managed-by": "berth"}},
            "spec": {"cidrs": ["10.97.0.0/24", "fd00:97::/112"]},
            "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "", "message": "m",
              "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
            """;

    private static final String IP_ADDRESS = """
            {"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress",
            "metadata": {"name": "10.96.0.9", "uid": "u1", "resourceVersion": "7",
              "creationTimestamp": "2026-01-01T00:00:00Z",
              "labels": {"ipaddress.kubernetes.io/managed-by": "berth", "ipaddress.kubernetes.io/ip-family": "IPv4"}},
            "spec": {"parentRef": {"group": "", "resource": "services", "namespace": "prod", "name": "web"}}}
            """;

    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "web-1", "namespace": "prod", "uid": "u1", "resourceVersion": "7"},
            "status": {"podIP": "10.244.0.9", "podIPs": [{"ip": "10.244.0.9"}, {"ip": "fd00:1::9"}]}}
            """;

    private static final String NAMESPACE = """
            {"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "prod", "uid": "u1", "resourceVersion": "7", "labels": {"team": "a", "tier": "web"}}}
            """;

    /** Tries {@code mapping} on the object as it stands, then on odd ones made of it. */
    private static <T> void forAllOdd(String object, Class<T> kind, Consumer<T> mapping, String... parts) {
        JsonNode sample = JSON.unmarshal(object, JsonNode.class);
        mapping.accept(JSON.convertValue(sample, kind));
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            JsonNode odd = new Mutation(new Random(seed), true).of(sample, parts);
            T read = JSON.convertValue(odd, kind);
            assertThatCode(() -> mapping.accept(read))
                    .as("seed %s: %s", seed, odd)
                    .doesNotThrowAnyException();
        });
    }

    private static Service service(String ports) {
        return JSON.unmarshal(
                "{" + META + ", \"spec\": {\"type\": \"LoadBalancer\"}, \"status\": {\"loadBalancer\": {\"ingress\":"
                        + " [{\"ip\": \"192.0.2.1\", \"ports\": [" + ports + "]}]}}}",
                Service.class);
    }

    @Test
    void ingressPort_ofAProtocolThatThereIsNot_isReadAsItStands() {
        Service odd = service("{\"port\": 80, \"protocol\": \"\"}, {\"port\": 81, \"protocol\": \"QUIC\"}");

        assertThat(ServiceStates.of(odd).ingress())
                .singleElement()
                .satisfies(entry -> assertThat(entry.ports())
                        .extracting(PortStatus::protocol)
                        .containsExactly("", "QUIC"));
    }

    @Test
    void serviceThatCannotBeRead_isLeftOutOfTheList_andTheOthersAreThere() {
        Service odd = JSON.unmarshal(SERVICE.replace("\"UDP\"", "\"QUIC\""), Service.class);
        Service web = JSON.unmarshal(SERVICE, Service.class);
        Caches caches = new Caches();
        caches.services(new Cache<>() {
            @Override
            public Optional<Service> get(@Nullable String namespace, String name) {
                return Optional.of(odd);
            }

            @Override
            public Stream<Service> list() {
                return Stream.of(odd, web);
            }
        });
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            Cluster cluster = new FabricCluster(client, caches, new ApiBudget());

            assertThat(cluster.services()).containsExactly(ServiceStates.of(web));
            assertThat(cluster.allServices().unreadable())
                    .containsExactly(entry(
                            ServiceStates.keyOf(odd), ServiceStates.of(web).ingress()));
            assertThat(ServiceStates.of(web).ingress()).isNotEmpty();
            assertThatThrownBy(() -> cluster.service(new ServiceKey("prod", "web")))
                    .isInstanceOf(Unreadable.class)
                    .hasMessage("spec.ports: unknown protocol \"QUIC\"; use TCP, UDP or SCTP");
        }
    }

    @Test
    void service_isReadWhateverItsStatusSays() {
        forAllOdd(SERVICE, Service.class, HostileObjectsTest::read, "status");
    }

    @Test
    void service_isReadAndPlannedFor_orCalledUnreadable_whateverItSays() {
        forAllOdd(
                SERVICE,
                Service.class,
                service -> {
                    try {
                        read(service);
                    } catch (Unreadable said) {
                        assertThat(said).hasMessageContaining("spec.");
                    }
                },
                "metadata/labels",
                "metadata/annotations",
                "metadata/finalizers",
                "spec",
                "status");
    }

    private static void read(Service service) {
        ServiceStates.conditionTypes(service).forEach(type -> assertThat(type).isNotNull());
        ServiceStates.finalizers(service);
        ClusterServices.of(service);
        TakenNetworks.of(service);
        ServiceState state = ServiceStates.of(service);
        assertThat(state.publishedAddresses()).doesNotContainNull();
        state.foreignMark();
        Stream.of(
                        List.<ForeignAnnotations>of(),
                        MigrationSources.parse("metallb,cilium,kube-vip,purelb").sources())
                .forEach(sources -> assertThat(Planner.plan(new ServiceSnapshot(
                                state.key(),
                                Optional.of(state),
                                List.of(),
                                PoolSet.empty(),
                                CLASSES,
                                Optional.empty(),
                                Map.of(),
                                new QueuePosition(Instant.EPOCH, state.created(), state.uid()),
                                sources)))
                        .isNotNull());
        assertThat(Demand.of(
                        state,
                        CLASSES.byValue(CLASS).orElseThrow(),
                        "c",
                        1,
                        AddressConstraints.NONE,
                        List.of(Ip.parse("192.0.2.1")),
                        Backends.NONE))
                .isNotNull();
    }

    @Test
    void node_isReadWhateverItSays() {
        forAllOdd(
                NODE,
                Node.class,
                node -> {
                    NodeRules.targets(List.of(Nodes.state(node)));
                    ClusterInformers.addresses(node);
                    TakenNetworks.of(node);
                },
                "metadata/labels",
                "spec",
                "status");
    }

    @Test
    void pod_isReadWhateverItSays() {
        List<IpRange> networks = List.of(IpRange.parse("10.244.0.0/16"), IpRange.parse("fd00:1::/64"));
        forAllOdd(
                POD,
                Pod.class,
                pod -> assertThat(TakenNetworks.of(pod, networks)).doesNotContainNull(),
                "status");
    }

    @Test
    void namespace_isSelectedByPools_whateverItsLabelsSay() {
        PoolSet pools = PoolSet.of(List.of(Pools.declaration(JSON.unmarshal(POOL, AddressPool.class))), List.of());
        ServiceState state = ServiceStates.of(JSON.unmarshal(SERVICE, Service.class));
        forAllOdd(
                NAMESPACE,
                Namespace.class,
                namespace -> assertThat(Planner.plan(new ServiceSnapshot(
                                state.key(),
                                Optional.of(state),
                                List.of(),
                                pools,
                                CLASSES,
                                Optional.empty(),
                                FabricCluster.labels(namespace),
                                new QueuePosition(Instant.EPOCH, state.created(), state.uid()),
                                List.of())))
                        .isNotNull(),
                "metadata/labels");
    }

    @Test
    void endpointSlice_isReadWhateverItSays() {
        forAllOdd(
                SLICE,
                EndpointSlice.class,
                slice -> {
                    EndpointRules.targets(Endpoints.states(slice).toList());
                    Endpoints.serviceOf(slice);
                    ClusterInformers.addresses(slice)
                            .forEach(address -> assertThat(address).isNotNull());
                },
                "metadata/labels",
                "addressType",
                "endpoints",
                "ports");
    }

    /** A cache trims an object before anything reads it, and what throws there ends the cache. */
    @Test
    void whatIsTrimmed_readsAsTheWholeObject_whateverItSays() {
        forAllOdd(
                SERVICE,
                Service.class,
                service -> assertTrimmed(Trimmed.services(), service, HostileObjectsTest::stateOrFault),
                "metadata/labels",
                "metadata/annotations",
                "metadata/finalizers",
                "spec",
                "status");
        forAllOdd(
                SLICE,
                EndpointSlice.class,
                slice -> assertTrimmed(
                        Trimmed.endpointSlices(),
                        slice,
                        one -> List.of(
                                Endpoints.serviceOf(one), Endpoints.states(one).toList())),
                "metadata/labels",
                "addressType",
                "endpoints",
                "ports");
        forAllOdd(
                NODE,
                Node.class,
                node -> assertTrimmed(
                        Trimmed.nodes(),
                        node,
                        one -> List.of(Nodes.state(one), ClusterInformers.addresses(one), TakenNetworks.of(one))),
                "metadata/labels",
                "spec",
                "status");
        forAllOdd(
                NAMESPACE,
                Namespace.class,
                namespace -> assertTrimmed(Trimmed.namespaces(), namespace, FabricCluster::labels),
                "metadata/labels");
    }

    private static Object stateOrFault(Service service) {
        try {
            return ServiceStates.of(service);
        } catch (Unreadable fault) {
            return String.valueOf(fault.getMessage());
        }
    }

    private static <T extends HasMetadata> void assertTrimmed(ItemStore<T> store, T object, Function<T, Object> read) {
        Object whole = read.apply(object);
        store.put(store.getKey(object), object);
        assertThat(read.apply(object)).isEqualTo(whole);
    }

    @Test
    void endpointSlice_ofAServiceScaledToZero_hasNoEndpoints() {
        EndpointSlice none = JSON.unmarshal(
                "{" + META + ", \"addressType\": \"IPv4\", \"endpoints\": null, \"ports\": null}", EndpointSlice.class);

        assertThat(Endpoints.states(none)).isEmpty();
        assertThat(ClusterInformers.addresses(none)).isEmpty();
    }

    @Test
    void endpoint_isReadWithItsNodeAndItsZone() {
        EndpointSlice slice = JSON.unmarshal(SLICE, EndpointSlice.class);

        assertThat(EndpointRules.targets(Endpoints.states(slice).toList()))
                .containsExactly(new Endpoint("http", "10.244.0.9", 8080, "n1", "z"));
    }

    @Test
    void serviceCidr_isReadWhateverItSays() {
        forAllOdd(
                SERVICE_CIDR,
                ServiceCIDR.class,
                cidr -> {
                    ServiceCidrs.of(cidr);
                },
                "metadata/labels",
                "metadata/finalizers",
                "metadata/deletionTimestamp",
                "spec",
                "status");
    }

    @Test
    void ipAddress_isReadWhateverItSays() {
        forAllOdd(IP_ADDRESS, IPAddress.class, address -> ServiceCidrs.clusterIp(address), "metadata/labels", "spec");
    }

    private static final String POOL = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "AddressPool",
            "metadata": {"name": "edge", "uid": "u1", "resourceVersion": "7", "generation": 3,
              "creationTimestamp": "2026-01-01T00:00:00Z", "annotations": {"berth.dev/release-stranded": "3/2"}},
            "spec": {"addresses": ["192.0.2.0/28", "2001:db8::/126"], "excluded": ["192.0.2.1"], "autoAssign": true,
              "priority": 5, "suspended": false, "excludeNetworkAndBroadcast": true, "allocation": "LeastRecentlyUsed",
              "reuseAfter": "1h30m", "namespaceSelector": {"matchLabels": {"team": "a"}},
              "serviceSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]},
              "quota": {"perNamespace": 3, "namespaces": [{"namespace": "team", "addresses": 5}]}},
            "status": {"observedGeneration": 2, "allocated": 1, "releasedStranded": "3",
              "ipv4": {"capacity": "14", "waiting": 2}, "stranded": {"total": 1, "addresses": [{"address": "x"}]},
              "conditions": [{"type": "Valid", "status": "True", "reason": "Valid", "message": "m",
                "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 2}]}}
            """;

    private static final String ADDRESS = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "Address",
            "metadata": {"name": "192.0.2.1", "uid": "u1", "resourceVersion": "7"},
            "spec": {"address": "192.0.2.1", "pool": "edge", "class": "berth.dev/pool", "retain": false,
              "releasedAt": "2026-01-01T00:00:00Z", "sharing": {"key": "k", "terms": "t"},
              "claims": [{"kind": "Service", "namespace": "prod", "name": "web", "uid": "u1",
                "ports": [{"protocol": "TCP", "port": 80}]}]},
            "status": {"conditions": [{"type": "Stranded", "status": "True", "reason": "NotInAnyPool",
              "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 2}]}}
            """;

    private static final String CLASS_OBJECT = """
            {"apiVersion": "berth.dev/v1alpha1", "kind": "LoadBalancerClass",
            "metadata": {"name": "hw", "uid": "u1", "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"loadBalancerClass": "berth.dev/pool", "controllerName": "me", "provider": "hw",
              "parameters": {"a": "b"}, "pools": ["edge"], "ipMode": "Proxy", "nodePorts": "Keep",
              "classless": "Always", "unenforcedSourceRanges": "Refuse", "healthCheck": {"type": "TCP", "port": 80},
              "tls": {"secretName": "web", "ports": [443]}},
            "status": {"observedGeneration": 1}}
            """;

    /** As {@link #forAllOdd}, and as only a CustomResourceDefinition that is not ours would accept. */
    private static <T> void forAllOfAnotherSchema(String object, Class<T> kind, Consumer<T> mapping) {
        JsonNode sample = JSON.unmarshal(object, JsonNode.class);
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            JsonNode odd = new Mutation(new Random(seed), false).of(sample, "spec", "status");
            assertThatCode(() -> mapping.accept(JSON.unmarshal(odd.toString(), kind)))
                    .as("seed %s: %s", seed, odd)
                    .doesNotThrowAnyException();
        });
    }

    @Test
    void addressPool_isReadWhateverItsSchemaLetIn_andSaysWhatCouldNotBeRead() {
        forAllOfAnotherSchema(POOL, AddressPool.class, pool -> {
            PoolSet book = PoolSet.of(List.of(Pools.declaration(pool)), List.of());
            TakenNetworks.pools(Stream.of(pool));
            Pools.nextAcknowledgement(pool);
            assertThat(pool.unreadable().isEmpty() || !book.faults("edge").isEmpty())
                    .isTrue();
        });
    }

    @Test
    void address_isReadWhateverItsSchemaLetIn_andOneThatIsNotUnderstoodDoesNotBecomeFree() {
        forAllOfAnotherSchema(ADDRESS, Address.class, address -> {
            Claim claim = Claims.of(address).orElseThrow();
            assertThat(claim.ip()).hasToString("192.0.2.1");
            if (!address.unreadable().isEmpty()) {
                assertThat(claim.spec().phase()).isNotEqualTo(ClaimSpec.Phase.COOLING);
            }
            ReservationExport.of(address);
            Claims.object(claim.ip(), claim.spec());
        });
    }

    @Test
    void loadBalancerClass_isReadWhateverItsSchemaLetIn_andServesNobodyIfPartOfItIsNotUnderstood() {
        forAllOfAnotherSchema(CLASS_OBJECT, LoadBalancerClass.class, object -> {
            ClassDeclaration declaration = Classes.declaration(object);
            ClassSet book = ClassSet.of(
                    List.of(declaration),
                    declaration.controllerName(),
                    new KnownProviders(
                            Map.of(
                                    "hw",
                                    Capabilities.fromPools(IpMode.PROXY)
                                            .withFeatures(Capabilities.Feature.TLS_TERMINATION)),
                            Map.of()));
            if (!object.unreadable().isEmpty() || !object.adjusted().isEmpty()) {
                assertThat(book.served()).isEmpty();
            }
        });
    }

    @Test
    void unenforcedSourceRanges_areRefusedWhereTheClassSaysSo_allowedByDefault_andOfNoOtherWord() {
        assertThat(saysOfSourceRanges("\"Refuse\"").refusesUnenforcedSourceRanges())
                .isTrue();
        assertThat(saysOfSourceRanges("\"Allow\"").refusesUnenforcedSourceRanges())
                .isFalse();
        assertThat(saysOfSourceRanges("null").refusesUnenforcedSourceRanges()).isFalse();
        assertThat(saysOfSourceRanges("\"Deny\"").unreadable())
                .containsExactly("spec.unenforcedSourceRanges is \"Deny\", and must be one of Allow, Refuse");
    }

    private static ClassDeclaration saysOfSourceRanges(String word) {
        return Classes.declaration(JSON.unmarshal(CLASS_OBJECT.replace("\"Refuse\"", word), LoadBalancerClass.class));
    }
}
