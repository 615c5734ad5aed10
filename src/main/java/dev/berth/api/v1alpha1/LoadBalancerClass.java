package dev.berth.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a StorageClass is to volumes: a value of a Service's {@code spec.loadBalancerClass}, and how
 * the Services that carry it are served. Cluster-scoped.
 */
@JsonClassDescription(
        "What a StorageClass is to volumes: a value of a Service's spec.loadBalancerClass, and how the Services that have it are served.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("LoadBalancerClass")
@Plural("loadbalancerclasses")
@ShortNames("lbc")
@Categories("berth")
@AdditionalPrinterColumn(
        name = "Class",
        jsonPath = ".spec.loadBalancerClass",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Provider", jsonPath = ".spec.provider", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "IPMode", jsonPath = ".spec.ipMode", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Classless", jsonPath = ".spec.classless", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type=='Ready')].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Message",
        jsonPath = ".status.conditions[?(@.type=='Ready')].message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Serves-Classless",
        jsonPath = ".status.conditions[?(@.type=='ServesClassless')].status",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = LoadBalancerClass.Reader.class)
@ValidationRule(
        value = LoadBalancerClass.PARAMETERS_STAY,
        message =
                "spec.parameters cannot be changed: the provider would look for what it made in another place; make a new LoadBalancerClass")
public class LoadBalancerClass extends OwnResource<LoadBalancerClass.Spec, LoadBalancerClass.Status> {
    static final String PARAMETERS_STAY =
            "!has(self.spec) || !has(oldSelf.spec) || (has(self.spec.parameters) ? has(oldSelf.spec.parameters) && self.spec.parameters == oldSelf.spec.parameters : !has(oldSelf.spec.parameters))";

    /** The desired state. */
    @JsonClassDescription("The desired state.")
    public record Spec(
            @Required
            @Size(min = 1, max = 253) @Pattern("^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$") @ValidationRule(
                    value = "self == oldSelf",
                    message = "spec.loadBalancerClass cannot be changed; make a new LoadBalancerClass")
            @JsonPropertyDescription("The value of a Service's spec.loadBalancerClass that this class serves.")
            String loadBalancerClass,

            @Default(Berth.CONTROLLER_NAME)
            @Size(min = 1, max = 253) @ValidationRule(value = "self == oldSelf", message = "spec.controllerName cannot be changed")
            @JsonPropertyDescription("Which Berth serves it: its --controller-name.")
            @Nullable String controllerName,

            @Default("pool")
            @Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$") @Size(min = 1, max = 63) @ValidationRule(
                    value = "self == oldSelf",
                    message =
                            "spec.provider cannot be changed: the previous provider would not be notified to delete what it made; make a new LoadBalancerClass")
            @JsonPropertyDescription("What makes the address carry traffic; pool: the address only.")
            @Nullable String provider,

            @Nullable @Size(max = 64) @JsonPropertyDescription("Settings for the provider. They cannot be changed.")
            Map<String, @Size(max = 4096) String> parameters,

            @Nullable @Size(max = 64) @JsonPropertyDescription(
                    "The AddressPools to allocate addresses from. If unset, all AddressPools. By its annotation"
                            + " berth.dev/address-pool, a Service chooses among them (see docs/annotations.md).")
            List<@Size(min = 1, max = 253) String> pools,

            @Default("Auto")
            @Pattern("^(Auto|VIP|Proxy)$") @Size(max = 16) @JsonPropertyDescription(
                    "VIP: packets reach the node with the address as destination. Proxy: a proxy or NAT delivers, and kube-proxy must not bind the address. Auto: what the provider does.")
            @Nullable String ipMode,

            @Nullable @JsonPropertyDescription("How a load balancer that sends packets to nodes finds out which are healthy.")
            HealthCheck healthCheck,

            @Default("Keep")
            @Pattern("^(Keep|Release)$") @Size(max = 16) @JsonPropertyDescription(
                    "Keep: node ports are left as they are. Release: they are released, once for each set of ports,"
                            + " as soon as the Service is delivered without them; not for a provider that sends"
                            + " packets to node ports.")
            @Nullable String nodePorts,

            @Default("Never")
            @Pattern("^(Never|Auto|Always)$") @Size(max = 16) @JsonPropertyDescription(
                    "When it serves Services that name no class. Never: it serves only those that name it. Auto:"
                            + " unless another controller appears to serve them. Always: in any case. A class with"
                            + " Auto or Always is the default class; of two, the older one.")
            @Nullable String classless,

            @Default("Allow")
            @Pattern("^(Allow|Refuse)$") @Size(max = 16) @JsonPropertyDescription(
                    "For Services with spec.loadBalancerSourceRanges that neither the provider nor kube-proxy can"
                            + " enforce. Allow: they are served, and all clients are allowed. Refuse: they are not"
                            + " served.")
            @Nullable String unenforcedSourceRanges,

            @Nullable @JsonPropertyDescription(
                    "TLS that the provider terminates for Services of this class; it implies ipMode Proxy. If unset,"
                            + " TLS is passed through.")
            Tls tls) {}

    /** TLS that the provider terminates. */
    public record Tls(
            @Required
            @Size(min = 1, max = 253) @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$") @JsonPropertyDescription(
                    "A Secret of type kubernetes.io/tls in Berth's own namespace, with certificate and key. Berth can"
                            + " read it only with additional permissions.")
            String secretName,

            @Nullable @Size(max = 64) @JsonPropertyDescription("The ports of Services whose clients use TLS. If unset or empty, every TCP port.")
            List<@Min(1) @Max(65535) Integer> ports) {}

    /** How nodes are found fit to get packets. */
    public record HealthCheck(
            @Default("Auto")
            @Pattern("^(Auto|KubeProxy|TCP|None)$") @Size(max = 16) @JsonPropertyDescription(
                    "KubeProxy: kube-proxy on each node reports whether the node is healthy. TCP: a node port of the"
                            + " Service accepts connections. None: no check. Auto: KubeProxy, or TCP where the nodes"
                            + " have no kube-proxy. With externalTrafficPolicy Local the Service's"
                            + " healthCheckNodePort is checked, unless None.")
            @Nullable String type,

            @Min(1) @Max(65535) @JsonPropertyDescription("The port to check. If unset, 10256 for KubeProxy, the first node port for TCP.")
            @Nullable Integer port) {}

    /** What Berth made of it. Absent until Berth has seen the class. */
    @JsonClassDescription("What Berth reports on it. Unset until Berth has seen the class.")
    public record Status(
            @Nullable Long observedGeneration,
            @Nullable @Size(max = 8) List<Condition> conditions) implements HasConditions {}

    /** Any content. */
    static final class Reader extends OwnResource.Reader<LoadBalancerClass, Spec, Status> {
        Reader() {
            super(LoadBalancerClass::new, Spec.class, Status.class);
        }
    }

    @Override
    protected @Nullable Spec initSpec() {
        return null;
    }

    @Override
    protected @Nullable Status initStatus() {
        return null;
    }
}
