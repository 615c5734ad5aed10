package dev.berth.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
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

/** External addresses, IPv4 and IPv6, and the Services that may have them. Cluster-scoped. */
@JsonClassDescription("External addresses, IPv4 and IPv6, and the Services that may have them.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("AddressPool")
@Plural("addresspools")
@ShortNames({"apool", "apools"})
@Categories("berth")
@AdditionalPrinterColumn(name = "Addresses", jsonPath = ".status.addresses", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "IPv4-Free",
        jsonPath = ".status.ipv4.available",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "IPv6-Free",
        jsonPath = ".status.ipv6.available",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Allocated",
        jsonPath = ".status.allocated",
        type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Stranded",
        jsonPath = ".status.stranded.total",
        type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type=='Ready')].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "State", jsonPath = ".status.state", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Priority",
        jsonPath = ".spec.priority",
        type = AdditionalPrinterColumn.Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "IPv4-Waiting",
        jsonPath = ".status.ipv4.waiting",
        type = AdditionalPrinterColumn.Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "IPv6-Waiting",
        jsonPath = ".status.ipv6.waiting",
        type = AdditionalPrinterColumn.Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Message",
        jsonPath = ".status.conditions[?(@.type=='Ready')].message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = AddressPool.Reader.class)
public class AddressPool extends OwnResource<AddressPool.Spec, AddressPool.Status> {
    private static final String CIDR_OR_RANGE = "^[0-9A-Fa-f:.]+(/[0-9]{1,3}|-[0-9A-Fa-f:.]+)?$";

    /** The desired state. */
    @JsonClassDescription("The desired state.")
    public record Spec(
            @Required
            @Size(min = 1, max = 256) @JsonPropertyDescription(
                    "The addresses: CIDRs (192.0.2.0/28), ranges (192.0.2.10-192.0.2.20) and single addresses, of both families.")
            List<@Pattern(CIDR_OR_RANGE) @Size(min = 2, max = 91) String> addresses,

            @Nullable @Size(max = 256) @JsonPropertyDescription("Addresses in these are never allocated; written like addresses.")
            List<@Pattern(CIDR_OR_RANGE) @Size(min = 2, max = 91) String> excluded,

            @Default("true")
            @JsonPropertyDescription(
                    "Whether a Service may get an address from this one that names neither the pool (annotation berth.dev/address-pool, or pools of its class) nor the address (annotation berth.dev/addresses): see docs/annotations.md.")
            @Nullable Boolean autoAssign,

            @Default("100")
            @Min(0) @Max(1000000) @JsonPropertyDescription("Pools with a lower number are tried first; equal ones by name.")
            @Nullable Integer priority,

            @Nullable @JsonPropertyDescription(
                    "The namespaces whose Services may have an address from this pool. If unset, all namespaces.")
            LabelSelector namespaceSelector,

            @Nullable @JsonPropertyDescription("The Services that may have an address from this pool. If unset, all Services.")
            LabelSelector serviceSelector,

            @Default("false")
            @JsonPropertyDescription("true: no new address is allocated; Services keep those that they have.")
            @Nullable Boolean suspended,

            @Default("false")
            @JsonPropertyDescription(
                    "true: the first and the last address of each IPv4 CIDR, and the first of each IPv6 CIDR, are never allocated.")
            @Nullable Boolean excludeNetworkAndBroadcast,

            @Default("LowestFree")
            @Pattern("^(LowestFree|LeastRecentlyUsed)$") @Size(max = 32) @JsonPropertyDescription("Which of the free addresses is allocated next.")
            @Nullable String allocation,

            @Default("0s")
            @Pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$") @Size(max = 32) @JsonPropertyDescription(
                    "How long an address is not reused by another Service after its release, as in Gateway API: 90s,"
                            + " 10m, 1h30m. A Service of the same name gets it back at once.")
            @Nullable String reuseAfter,

            @Nullable @JsonPropertyDescription("How many addresses of each family a namespace may have. If unset, any number.")
            Quota quota) {}

    /** Limits by namespace. Reserved and cooling addresses count, a shared one counts once. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Quota(
            @Nullable @Min(0) @Max(1000000000) @JsonPropertyDescription("For each namespace that is not named. If unset, there is no limit.")
            Integer perNamespace,

            @Nullable @Size(max = 1024) @JsonPropertyDescription("For the namespaces named.")
            List<NamespaceQuota> namespaces) {}

    /** The limit of one namespace. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NamespaceQuota(
            @Required @Size(min = 1, max = 63) @JsonPropertyDescription("The name of the namespace.")
            String namespace,

            @Required @Min(0) @Max(1000000000) @JsonPropertyDescription("Of each family.")
            Integer addresses) {}

    /**
     * Kubernetes' label selector, written out here for its schema: the client's own class would let in an operator
     * that there is not.
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record LabelSelector(
            @Nullable @JsonPropertyDescription("Labels that must be there, with these values.")
            Map<String, String> matchLabels,

            @Nullable @Size(max = 64) @JsonPropertyDescription("Conditions on labels; all of them must hold.")
            List<Requirement> matchExpressions) {}

    /** One condition on one label. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Requirement(
            @Required @Size(min = 1, max = 317) @JsonPropertyDescription("The key of the label.")
            String key,

            @Required
            @Pattern("^(In|NotIn|Exists|DoesNotExist)$") @Size(max = 16) @JsonPropertyDescription("The condition on its value. Exists: the label is there, with any value.")
            String operator,

            @Nullable @Size(max = 256) @JsonPropertyDescription("The values for In and NotIn. Must be unset for other operators.")
            List<String> values) {}

    /**
     * How full the pool is, as Berth sees it. Absent until Berth has seen the pool. It is written by merge patches:
     * what is no longer so has to be in them, as null.
     */
    @JsonClassDescription("How full the pool is. Unset until Berth has seen the pool.")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Status(
            @Nullable @JsonPropertyDescription("The metadata.generation that the status describes.")
            Long observedGeneration,

            @Nullable @JsonPropertyDescription("spec.addresses in one line, for kubectl get: the first three, and how many more.")
            String addresses,

            @Nullable @Size(max = 256) @JsonPropertyDescription(
                    "What is out of the ordinary, for kubectl get, separated by commas. Suspended: spec.suspended."
                            + " NoAutoAssign: spec.autoAssign is false. InvalidAddresses, Unreadable: the reason of"
                            + " the condition Valid. Unset if nothing is.")
            String state,

            @Nullable @JsonPropertyDescription(
                    "Addresses of both families in the pool that Services have. Stranded ones are no longer in it, and come on top.")
            Long allocated,

            @Nullable @JsonPropertyDescription("Its IPv4 addresses. Unset if it has none.")
            Family ipv4,

            @Nullable @JsonPropertyDescription("Its IPv6 addresses. Unset if it has none.")
            Family ipv6,

            @Nullable @JsonPropertyDescription(
                    "Addresses that came from this pool, are no longer in any pool, and are kept by Services. Unset"
                            + " if there are none.")
            Stranded stranded,

            @Nullable @Size(max = 64) @JsonPropertyDescription(
                    "The annotation berth.dev/release-stranded that took effect: all stranded addresses are"
                            + " reclaimed, and it has no further effect.")
            String releasedStranded,

            @Nullable @Size(max = 8) List<Condition> conditions)
            implements HasConditions {}

    /** What an edit left outside of the pool. */
    public record Stranded(
            @JsonPropertyDescription("How many there are.") Integer total,

            @Size(max = 10) @JsonPropertyDescription("The lowest of them.")
            List<StrandedAddress> addresses) {}

    /** One of them. */
    public record StrandedAddress(
            @JsonPropertyDescription("In canonical form.") String address,

            @Size(max = 64) @JsonPropertyDescription("Who has it: namespace/name.")
            List<String> services) {}

    /** One family of a pool. Decimal numbers as text, for a /64 has more addresses than an integer holds. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Family(
            @JsonPropertyDescription("How many addresses the pool can allocate, excluded ones left out.")
            String capacity,

            @JsonPropertyDescription("How many of them Services have.")
            String allocated,

            @JsonPropertyDescription("How many are left.") String available,

            @JsonPropertyDescription("How many are reserved for future Services, or not allocated at all.")
            String reserved,

            @JsonPropertyDescription("How many were released and may not be reused yet.")
            String cooling,

            @JsonPropertyDescription("How many Services wait for one.")
            Integer waiting) {}

    /** Any content. */
    static final class Reader extends OwnResource.Reader<AddressPool, Spec, Status> {
        Reader() {
            super(AddressPool::new, Spec.class, Status.class);
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
