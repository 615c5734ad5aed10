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
import org.jspecify.annotations.Nullable;

/**
 * One claimed address. Cluster-scoped.
 *
 * <p>Its name is the address (IPv4 dotted; IPv6 written out in full with {@code -} for {@code :}), so
 * the API server itself makes a second claim impossible. All that must survive is in the spec, and
 * written by the create itself: a status is dropped on create, and backups leave it out.
 */
@JsonClassDescription(
        "One claimed address. Its name is the address: IPv4 as it is, IPv6 written out in full with - for the colons.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("Address")
@Plural("addresses")
@ShortNames("addr")
@Categories("berth")
@ValidationRule(
        value = Address.NAME_IS_THE_ADDRESS,
        message =
                "metadata.name must be spec.address: IPv4 as it is, IPv6 written out in full with '-' for ':' (2001-0db8-0000-0000-0000-0000-0000-0001)")
@ValidationRule(
        value = "!self.metadata.name.startsWith('0000-0000-0000-0000-0000-ffff-')",
        message = "an IPv4-mapped IPv6 address is refused; write it as IPv4")
@AdditionalPrinterColumn(name = "Address", jsonPath = ".spec.address", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Namespace",
        jsonPath = ".spec.claims[*].namespace",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Service",
        jsonPath = ".spec.claims[*].name",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Shared-With",
        jsonPath = ".status.sharedWith",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Pool",
        jsonPath = ".metadata.labels.berth\\.dev/pool",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Class", jsonPath = ".spec.class", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "State",
        jsonPath = ".status.conditions[?(@.status=='True')].type",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Announced-By",
        jsonPath = ".status.announcement.by",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Released",
        jsonPath = ".spec.releasedAt",
        type = AdditionalPrinterColumn.Type.DATE,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Retain",
        jsonPath = ".spec.retain",
        type = AdditionalPrinterColumn.Type.BOOLEAN,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Sharing",
        jsonPath = ".spec.sharing.key",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Kind",
        jsonPath = ".spec.claims[*].kind",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "UID",
        jsonPath = ".spec.claims[*].uid",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Since",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = Address.Reader.class)
public class Address extends OwnResource<Address.Spec, Address.Status> {
    /** The name of an IPv6 address with its groups as the address has them: {@code 2001:db8:0:0:0:0:0:1}. */
    private static final String GROUPS = "('-' + self.metadata.name).replace('-0000', '-z').replace('-000', '-')"
            + ".replace('-00', '-').replace('-0', '-').replace('z', '0').replace('-', ':').substring(1)";

    /** CEL of Kubernetes 1.29 has no IP library; so the text is taken apart. */
    static final String NAME_IS_THE_ADDRESS =
            "!self.spec.address.contains(':') ? self.metadata.name == self.spec.address"
                    + " : !self.spec.address.contains('::') ? self.spec.address == " + GROUPS
                    + " : size(self.metadata.name) == 39"
                    // With the colon: 1::1 is not the address of a name that starts with 0010.
                    + " && (self.spec.address.startsWith('::') || " + GROUPS
                    + ".startsWith(self.spec.address.substring(0, self.spec.address.indexOf('::') + 1)))"
                    + " && " + GROUPS + ".endsWith(self.spec.address.substring(self.spec.address.indexOf('::') + 2))"
                    + " && " + GROUPS + ".substring(self.spec.address.indexOf('::'), size(" + GROUPS
                    + ") - (size(self.spec.address) - self.spec.address.indexOf('::') - 2)).matches('^:?0(:0)*:?$')";

    // A pattern of the schema would be shown to who breaks it.
    private static final String CANONICAL = "^(((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])([.]|$)){4}"
            + "|(0|[1-9a-f][0-9a-f]{0,3})(:(0|[1-9a-f][0-9a-f]{0,3})){7}"
            + "|((0|[1-9a-f][0-9a-f]{0,3})(:(0|[1-9a-f][0-9a-f]{0,3})){0,5})?::((0|[1-9a-f][0-9a-f]{0,3})(:(0|[1-9a-f][0-9a-f]{0,3})){0,5})?)$";

    /** A time in UTC, to the second: {@code 2026-05-04T03:02:01Z}. */
    private static final String UTC_SECONDS = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";

    /** What is claimed, and by whom. */
    @JsonClassDescription("What is claimed, and by whom.")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Spec(
            @Required
            @Size(min = 2, max = 39) @ValidationRule(
                    value = "self.matches('" + CANONICAL + "')",
                    message =
                            "spec.address must be one address in its canonical form, in lower case and as short as it can be: 192.0.2.7, 2001:db8::1")
            @ValidationRule(value = "self == oldSelf", message = "spec.address cannot be changed")
            @JsonPropertyDescription(
                    "The address in its canonical form, in lower case and as short as it can be: 192.0.2.7, 2001:db8::1.")
            String address,

            @Nullable @Size(max = 253) @JsonPropertyDescription("The AddressPool that it came from. Unset if the address was reserved manually.")
            String pool,

            @Nullable @Size(max = 253) @JsonProperty("class")
            @JsonPropertyDescription(
                    "The load balancer class it was claimed for: the value that a Service writes into spec.loadBalancerClass.")
            String loadBalancerClass,

            @Nullable @Size(max = 64) @JsonPropertyDescription(
                    "Who holds it: Services. Or something else, as its kind says; Berth leaves an address of which one claim is of another kind as it is.")
            List<Claim> claims,

            @Nullable @JsonPropertyDescription(
                    "On what terms Services of the namespace share it. If unset, the address is not shared.")
            Sharing sharing,

            @Nullable @Pattern(UTC_SECONDS) @Size(max = 20) @JsonPropertyDescription(
                    "When its last Service was deleted: it is not reused for the pool's reuseAfter, unless a Service"
                            + " of the same name is created.")
            String releasedAt,

            @Nullable @JsonPropertyDescription(
                    "true: it is retained for a Service of the same name after its Service is deleted. A Service"
                            + " requests that with its annotation berth.dev/retain (see docs/annotations.md).")
            Boolean retain) {
        /** Claimed for these, and nothing more to say. */
        public Spec(String address, @Nullable String pool, @Nullable String loadBalancerClass, List<Claim> claims) {
            this(address, pool, loadBalancerClass, claims, null, null, null);
        }
    }

    /** What those who share an address have in common. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Sharing(
            @Required
            @Size(min = 1, max = 253) @JsonPropertyDescription("The Services' annotation berth.dev/sharing-key (see docs/annotations.md).")
            String key,

            @Required
            @Size(min = 1, max = 4096) @JsonPropertyDescription(
                    "What must be the same for all: ipMode, traffic policy, and where it matters the selector.")
            String terms) {}

    /** A port that is in use on a shared address. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Port(
            @Required @Pattern("^(TCP|UDP|SCTP)$") @Size(max = 4) @JsonPropertyDescription("TCP, UDP or SCTP.")
            String protocol,

            @Required @Min(1) @Max(65535) @JsonPropertyDescription("A port of the Service.")
            Integer port) {}

    /** The hold of a Service, or of something else, on the address. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Claim(
            @Default("Service")
            @Pattern("^[A-Z][A-Za-z0-9]*$") @Size(max = 63) @JsonPropertyDescription("The kind of what has the address, such as Service or Gateway.")
            @Nullable String kind,

            @Required @Size(min = 1, max = 63) @JsonPropertyDescription("The namespace of what has the address.")
            String namespace,

            @Required @Size(min = 1, max = 253) @JsonPropertyDescription("The name of what has the address.")
            String name,

            @Nullable @Size(max = 64) @JsonPropertyDescription(
                    "The Service's metadata.uid. If unset, the address is reserved for a future Service of that name.")
            String uid,

            @Nullable @Size(max = 1024) @JsonPropertyDescription("Which ports are its own, on a shared address.")
            List<Port> ports,

            @Nullable @Pattern(UTC_SECONDS) @Size(max = 20) @JsonPropertyDescription(
                    "When the Service that had the address was deleted; it is retained for a Service of the same"
                            + " name. Such claims are dropped when more than 64 share the address. Unset if the"
                            + " Service exists, or if the reservation was made manually.")
            String releasedAt,

            @Nullable @JsonPropertyDescription(
                    "true: this Service's annotation berth.dev/retain (see docs/annotations.md) retains the address."
                            + " When no claim has it set, spec.retain is removed.")
            Boolean retain) {
        /** On the Service of this uid, or null: a reservation. */
        public Claim(@Nullable String kind, String namespace, String name, @Nullable String uid) {
            this(kind, namespace, name, uid, null, null, null);
        }
    }

    /**
     * What the spec and the pools make of the address. Informational: nothing reads it. An address that is just in use has no
     * status, so that it costs no second write, unless agents announce it.
     */
    @JsonClassDescription("What spec and pools make of the address, for people to read.")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Status(
            @Nullable @JsonPropertyDescription(
                    "The AddressPool that contains the address. Unset if spec.pool names one, or no pool contains it.")
            String pool,

            @Nullable @JsonPropertyDescription(
                    "The Services in spec.claims after the first, in one line, for kubectl get: their names, or"
                            + " namespace/name where the namespace is another. Unset if there are none.")
            String sharedWith,

            @Nullable @JsonPropertyDescription(
                    "Which nodes announce it by ARP, NDP or BGP. Unset if agents do not announce addresses of its"
                            + " class, or if no Service has it.")
            Announcement announcement,

            @Nullable @Size(max = 8) @JsonPropertyDescription(
                    "At most one. Reserved: for a future Service, or not allocated to any Service. Cooling: released,"
                            + " and not reused yet. Stranded: a Service has it, but it is no longer in any pool."
                            + " None: a Service has it, or Berth has not seen it yet.")
            List<Condition> conditions)
            implements HasConditions {}

    /** Who announces an address, by what the agents say. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Announcement(
            @Nullable @JsonPropertyDescription(
                    "The node that announces it; how many nodes do, such as 3 nodes; nobody; or unknown. A number may"
                            + " be a few minutes old.")
            String by,

            @Nullable @JsonPropertyDescription("Since when this node does, several do, or nobody does.")
            String since,

            @Nullable @JsonPropertyDescription("Why, in one word.")
            String reason,

            @Nullable @JsonPropertyDescription("The same as a sentence: which nodes, or why nobody does.")
            String message) {}

    /** Any content. */
    static final class Reader extends OwnResource.Reader<Address, Spec, Status> {
        Reader() {
            super(Address::new, Spec.class, Status.class);
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
