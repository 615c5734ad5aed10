package dev.berth.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
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
 * A cluster IP that is kept for one Service. Cluster-scoped: it outlives the namespace of the Service, and needs no
 * ServiceCIDRPolicy.
 */
@JsonClassDescription("A cluster IP of a static band that is reserved for one Service: no other Service gets it.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("ClusterIPReservation")
@Plural("clusteripreservations")
@ShortNames("cipr")
@Categories("berth")
@AdditionalPrinterColumn(name = "Address", jsonPath = ".spec.address", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Namespace",
        jsonPath = ".spec.service.namespace",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Service", jsonPath = ".spec.service.name", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type=='Ready')].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Reason",
        jsonPath = ".status.conditions[?(@.type=='Ready')].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Message",
        jsonPath = ".status.conditions[?(@.type=='Ready')].message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = ClusterIPReservation.Reader.class)
public class ClusterIPReservation extends OwnResource<ClusterIPReservation.Spec, ClusterIPReservation.Status> {
    // A pattern of the schema would be shown to who breaks it. isIP() is there from Kubernetes 1.31 on only.
    private static final String IS_IP = "self.matches('^[0-9a-f:.]+$')";
    private static final String NO_IP = "must be one address, in lower case, such as 10.96.0.10 or fd00:10:96::a";

    private static final String NAME_OF_OBJECT = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$";

    /** The desired state. */
    @JsonClassDescription("The desired state.")
    public record Spec(
            @Required
            @Size(min = 1, max = 43) @ValidationRule(value = IS_IP, message = NO_IP, messageExpression = "'\"' + self + '\" " + NO_IP + "'")
            @JsonPropertyDescription("The cluster IP. It must be in the static band of a ServiceCIDR.")
            String address,

            @Required @JsonPropertyDescription("The Service that it is reserved for. It need not exist.")
            ServiceReference service) {}

    /** A Service, by name. */
    public record ServiceReference(
            @Required
            @Pattern(NAME_OF_OBJECT) @Size(min = 1, max = 63) @JsonPropertyDescription("The namespace of the Service.")
            String namespace,

            @Required
            @Pattern(NAME_OF_OBJECT) @Size(min = 1, max = 63) @JsonPropertyDescription("The name of the Service.")
            String name) {}

    /** What became of it. Absent until Berth has seen it. */
    @JsonClassDescription("What became of it. Unset until Berth has seen it.")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Status(
            @Nullable Long observedGeneration,

            @Nullable @Size(max = 8) @JsonPropertyDescription("Ready: whether the address is reserved, or the Service has it.")
            List<Condition> conditions)
            implements HasConditions {}

    /** Any content. */
    static final class Reader extends OwnResource.Reader<ClusterIPReservation, Spec, Status> {
        Reader() {
            super(ClusterIPReservation::new, Spec.class, Status.class);
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
