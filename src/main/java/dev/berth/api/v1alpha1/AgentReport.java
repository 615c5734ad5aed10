package dev.berth.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the agent of one node announces, and why not. Cluster-scoped; its name is the Node's, with which it goes. Only the
 * agent writes it, and only the operator reads it. All is in the spec, as in a Lease: one write makes it.
 */
@JsonClassDescription(
        "What the agent of a node announces, and why it does not announce the rest. Its name is that of the Node,"
                + " whose agent writes it.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("AgentReport")
@Plural("agentreports")
@Categories("berth")
@AdditionalPrinterColumn(name = "ARP-NDP", jsonPath = ".spec.l2.announced", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "BGP", jsonPath = ".spec.bgp.announced", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = AgentReport.Reader.class)
public class AgentReport extends OwnResource<AgentReport.Spec, Void> {
    private static final String RUN = "^[0-9A-Fa-f.:]+(-[0-9A-Fa-f.:]+)?$";

    /** By protocol. */
    @JsonClassDescription("What it announces, by protocol.")
    public record Spec(
            @Nullable @JsonPropertyDescription("By ARP and NDP. Unset if the agent has not decided yet, or has ended.")
            Part l2,

            @Nullable @JsonPropertyDescription("By BGP. Unset if the agent has no speaker, has not decided yet, or has ended.")
            Part bgp) {}

    /** Of one protocol. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Part(
            @Required @Min(0) @Max(1_000_000_000) @JsonPropertyDescription("How many addresses it announces.")
            Integer announced,

            @Nullable @Size(max = 10_000) @JsonPropertyDescription(
                    "The addresses that it announces: single ones, and runs of them like 192.0.2.1-192.0.2.9.")
            List<@Pattern(RUN) @Size(max = 91) String> addresses,

            @Nullable @Size(max = 10_000) @JsonPropertyDescription(
                    "Those of them that another machine claims, too: a conflict. Nodes whose agent is heard do not count, nor"
                            + " those that have the address without their agent.")
            List<@Pattern(RUN) @Size(max = 91) String> conflicting,

            @Nullable @Size(max = 64) @JsonPropertyDescription(
                    "Those that it does not, by reason; without what another node announces by ARP and NDP.")
            List<Silent> silent) {}

    /** For one reason. */
    public record Silent(
            @Required
            @Pattern("^[A-Za-z][A-Za-z0-9]*$") @Size(min = 1, max = 64) @JsonPropertyDescription("Why it does not.")
            String reason,

            @Nullable @Size(max = 10_000) @JsonPropertyDescription("The addresses, as those that it announces.")
            List<@Pattern(RUN) @Size(max = 91) String> addresses) {}

    /** Any content. */
    static final class Reader extends OwnResource.Reader<AgentReport, Spec, Void> {
        Reader() {
            super(AgentReport::new, Spec.class, Void.class);
        }
    }

    @Override
    protected @Nullable Spec initSpec() {
        return null;
    }

    @Override
    protected @Nullable Void initStatus() {
        return null;
    }
}
