package dev.berth.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
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
 * How the cluster's own Service ranges may grow and shrink, and what to warn of. Cluster-scoped, and there is one: its
 * name is {@value #NAME}.
 */
@JsonClassDescription(
        "How the ranges that Services get their cluster IPs from (ServiceCIDRs) may grow and shrink, and what to warn of. There is one: its name is cluster.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("ServiceCIDRPolicy")
@Plural("servicecidrpolicies")
@ShortNames("cidrpolicy")
@Categories("berth")
@ValidationRule(
        value = "self.metadata.name == 'cluster'",
        fieldPath = ".metadata.name",
        message = "there is one ServiceCIDRPolicy for the cluster, and its name is cluster")
@AdditionalPrinterColumn(
        name = "IPv4-Used",
        jsonPath = ".status.ipv4.allocated",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "IPv4-Free", jsonPath = ".status.ipv4.free", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "IPv6-Used",
        jsonPath = ".status.ipv6.allocated",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "IPv6-Free", jsonPath = ".status.ipv6.free", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Capacity",
        jsonPath = ".status.conditions[?(@.type=='CapacityLow')].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Growth",
        jsonPath = ".status.conditions[?(@.type=='Growth')].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Healthy",
        jsonPath = ".status.conditions[?(@.type=='Healthy')].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type=='Ready')].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "IPv4-Percent",
        jsonPath = ".status.ipv4.usedPercent",
        type = AdditionalPrinterColumn.Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "IPv6-Percent",
        jsonPath = ".status.ipv6.usedPercent",
        type = AdditionalPrinterColumn.Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "IPv4-Full-On",
        jsonPath = ".status.ipv4.fullOn",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "IPv6-Full-On",
        jsonPath = ".status.ipv6.fullOn",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Retired",
        jsonPath = ".status.conditions[?(@.type=='Retired')].reason",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Reserved",
        jsonPath = ".status.conditions[?(@.type=='Reserved')].reason",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Finding",
        jsonPath = ".status.findings.first[0].message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = ServiceCIDRPolicy.Reader.class)
public class ServiceCIDRPolicy extends OwnResource<ServiceCIDRPolicy.Spec, ServiceCIDRPolicy.Status> {
    /** The only name that one can have. */
    public static final String NAME = "cluster";

    // A pattern of the schema would be shown to who breaks it. isCIDR() is there from Kubernetes 1.31 on only.
    private static final String IS_CIDR = ".matches('^[0-9a-f:.]+/[0-9]{1,3}$')";
    private static final String ALL_CIDRS = "self.all(cidr, cidr" + IS_CIDR + ")";
    private static final String NO_CIDR =
            "must be a CIDR with its prefix length, in lower case, such as 10.100.0.0/16 or fd00:10::/56";
    private static final String WHICH_IS_NO_CIDR =
            "'\"' + self.filter(cidr, !cidr" + IS_CIDR + ")[0] + '\" " + NO_CIDR + "'";

    /** The desired state. */
    @JsonClassDescription("The desired state. If empty, Berth only reports what it sees.")
    public record Spec(
            @Nullable @JsonPropertyDescription("When to warn. If unset, at 80 percent, or 14 days before a family is full.")
            Warnings warnings,

            @Nullable @JsonPropertyDescription("How new ServiceCIDRs are created before the last ones are full. If unset, never.")
            Growth growth) {}

    /** Thresholds. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Warnings(
            @Default("80")
            @Min(1) @Max(100) @JsonPropertyDescription("Percent of a family's addresses that are in use.")
            @Nullable Integer usedPercent,

            @Default("14")
            @Min(0) @Max(3650) @JsonPropertyDescription("Days until a family is full, at its recent growth.")
            @Nullable Integer daysUntilFull) {}

    /** Where new ServiceCIDRs come from. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Growth(
            @Default("true")
            @JsonPropertyDescription(
                    "true: new ranges are only reported, not created. Firewalls and network plug-ins have to know a"
                            + " range before it is used.")
            @Nullable Boolean dryRun,

            @Nullable @JsonPropertyDescription("If unset, IPv4 does not grow.")
            @ValidationRule(value = "self.prefixLength <= 30", message = "prefixLength must be 8 to 30 for IPv4")
            FamilyGrowth ipv4,

            @Nullable @JsonPropertyDescription("If unset, IPv6 does not grow.")
            @ValidationRule(value = "self.prefixLength >= 64", message = "prefixLength must be 64 to 126 for IPv6")
            FamilyGrowth ipv6,

            @Nullable @Size(max = 64) @JsonPropertyDescription(
                    "Networks that no new range may overlap, such as those of Pods. ServiceCIDRs, Nodes with their podCIDRs, and AddressPools are never overlapped.")
            @ValidationRule(value = ALL_CIDRS, message = NO_CIDR, messageExpression = WHICH_IS_NO_CIDR)
            List<@Size(min = 1, max = 43) String> excluded) {}

    /** How one family grows. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FamilyGrowth(
            @Required
            @Size(min = 1, max = 16) @JsonPropertyDescription("The CIDRs from which new ranges are taken, in this order, the lowest free first.")
            @ValidationRule(value = ALL_CIDRS, message = NO_CIDR, messageExpression = WHICH_IS_NO_CIDR)
            List<@Size(min = 1, max = 43) String> supernets,

            @Required
            @Min(8) @Max(126) @JsonPropertyDescription("Of a new range: 8 to 30 for IPv4, 64 to 126 for IPv6.")
            Integer prefixLength,

            @Default("80")
            @Min(1) @Max(100) @JsonPropertyDescription("Percent of the family's addresses in use at which the next range is created.")
            @Nullable Integer usedPercent,

            @Default("4")
            @Min(0) @Max(64) @JsonPropertyDescription("The maximum number of ranges that Berth creates; those that retire do not count.")
            @Nullable Integer maxRanges) {}

    /**
     * What Berth sees and does. Absent until it has seen the policy. It is written by merge patches: what is no longer
     * so has to be in them, as null.
     */
    @JsonClassDescription("What Berth sees and does, at most a second late. Unset until it has seen the policy.")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Status(
            @Nullable Long observedGeneration,

            @Nullable @Size(max = 64) @JsonPropertyDescription("Each CIDR of each ServiceCIDR, by name.")
            List<Range> ranges,

            @Nullable @JsonPropertyDescription(
                    "All ranges of the family that are ready; addresses in two of them count once. Unset if there are"
                            + " none.")
            Family ipv4,

            @Nullable @JsonPropertyDescription("As ipv4.") Family ipv6,

            @Nullable @Size(max = 32) @JsonPropertyDescription("How much was in use when: the basis of the growth estimate. Oldest first.")
            List<Sample> history,

            @Nullable @Size(max = 2) @JsonPropertyDescription("The range of each family that is created next, or is being created.")
            List<Proposal> proposed,

            @Nullable @Size(max = 16) @JsonPropertyDescription("What still uses the ranges that retire.")
            List<Retiring> retiring,

            @Nullable @JsonPropertyDescription("What the audit found. Unset if it found nothing.")
            Findings findings,

            @Nullable @Size(max = 8) @JsonPropertyDescription(
                    "Ready, Served, CapacityLow, Healthy, and, where they apply, Growth, Retired and Reserved.")
            List<Condition> conditions)
            implements HasConditions {}

    /** One CIDR of a ServiceCIDR. Numbers are decimal text, for a /64 has more addresses than an integer holds. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Range(
            @JsonPropertyDescription("The name of the ServiceCIDR.") @JsonProperty("serviceCIDR")
            String serviceCidr,

            @JsonPropertyDescription("In canonical form.") String cidr,

            @Pattern("^(Ready|NotReady|Terminating)$") @Size(max = 16) @JsonPropertyDescription("Ready, NotReady or Terminating.")
            String state,

            @JsonPropertyDescription("The lower band: for addresses that are requested explicitly.")
            @JsonProperty("static")
            Band staticBand,

            @JsonPropertyDescription("The upper band: the API server takes from it first.") @JsonProperty("dynamic")
            Band dynamicBand,

            @Nullable @JsonPropertyDescription(
                    "The longest run of free addresses in the static band, as FIRST-LAST. Unset if the band is full,"
                            + " or if there is none.")
            String largestFreeStaticBlock) {}

    /** One band of a range. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Band(
            @JsonPropertyDescription("How many addresses it has.")
            String size,

            @JsonPropertyDescription("How many of them have an IPAddress.")
            String allocated,

            @JsonPropertyDescription("How many are left.") String free,

            @Nullable @JsonPropertyDescription("How many more there are each day, by the history. Unset if not known yet.")
            String growthPerDay,

            @Nullable @JsonPropertyDescription("The day on which it is full at this growth. Unset if never, or if not known yet.")
            String fullOn) {}

    /** One family. It is part of a merge patch: what is no longer known has to be in it, as null. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Family(
            @JsonPropertyDescription("How many addresses there are.")
            String size,

            @JsonPropertyDescription("How many of them have an IPAddress.")
            String allocated,

            @JsonPropertyDescription("How many are left.") String free,

            @JsonPropertyDescription("Percent of them that are in use.")
            Integer usedPercent,

            @Nullable @JsonPropertyDescription("As in a band.")
            String growthPerDay,

            @Nullable @JsonPropertyDescription("As in a band.")
            String fullOn) {}

    /** How much of each range was in use at a time. One that lacks something was edited by somebody. */
    public record Sample(
            @Nullable @JsonPropertyDescription("When that was.")
            String at,

            @Nullable @JsonPropertyDescription("Of the static band, by CIDR.") @JsonProperty("static")
            Map<String, Long> staticBand,

            @Nullable @JsonPropertyDescription("Of the dynamic band, by CIDR.") @JsonProperty("dynamic")
            Map<String, Long> dynamicBand) {}

    /** A range to be. */
    public record Proposal(
            @JsonPropertyDescription("The name of the ServiceCIDR to be.")
            String name,

            @JsonPropertyDescription("Its range.") String cidr,

            @JsonPropertyDescription("Why it is needed, and what becomes of it.")
            String message) {}

    /** A range that retires. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Retiring(
            @JsonPropertyDescription("The name of the ServiceCIDR.") @JsonProperty("serviceCIDR")
            String serviceCidr,

            @JsonPropertyDescription("How many addresses only it has.")
            Long remaining,

            @Size(max = 20) @JsonPropertyDescription("The lowest of them.")
            List<Remaining> first,

            @Nullable @JsonPropertyDescription("Why it is not being deleted. Unset if it is.")
            String message) {}

    /** What keeps a range that retires. */
    public record Remaining(
            @JsonPropertyDescription("In canonical form.") String address,

            @JsonPropertyDescription("Its owner: namespace/name of a Service, or else what the IPAddress names.")
            String owner,

            @Pattern("^(APIServerFlags|DeleteIPAddress|Recreate|RecreateWithOtherAddress|RemoveReservation)$") @Size(max = 32) @JsonPropertyDescription("What must be done to free it; see docs/cluster-addresses-retire.md.")
            String needs) {}

    /** What the audit found. */
    public record Findings(
            @JsonPropertyDescription("How many there are.") Integer total,

            @Size(max = 20) @JsonPropertyDescription("The first of them.")
            List<Finding> first) {}

    /** One of them. */
    public record Finding(
            @Pattern("^(Error|Warning)$") @Size(max = 16) @JsonPropertyDescription("Error or Warning.")
            String severity,

            @JsonPropertyDescription("Such as ClusterIPOutOfRange.")
            String reason,

            @JsonPropertyDescription("KIND/NAME or KIND/NAMESPACE/NAME.")
            String object,

            @JsonPropertyDescription("What is wrong, and what to do.")
            String message) {}

    /** Any content. */
    static final class Reader extends OwnResource.Reader<ServiceCIDRPolicy, Spec, Status> {
        Reader() {
            super(ServiceCIDRPolicy::new, Spec.class, Status.class);
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
