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
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A router that nodes have a BGP session with. Cluster-scoped. The agent of each node reads it, and writes the node's part of
 * its status; the operator writes the rest.
 */
@JsonClassDescription("A router that the agents on the nodes have BGP sessions with, to announce addresses to it.")
@Group(Berth.GROUP)
@Version(Berth.VERSION)
@Kind("BGPPeer")
@Plural("bgppeers")
@ShortNames("bgpp")
@Categories("berth")
@AdditionalPrinterColumn(name = "Peer", jsonPath = ".spec.peerAddress", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Interface",
        jsonPath = ".spec.peerInterface",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(name = "Peer-ASN", jsonPath = ".spec.peerASN", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "My-ASN", jsonPath = ".spec.myASN", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Sessions", jsonPath = ".status.sessions", type = AdditionalPrinterColumn.Type.STRING)
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
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = BGPPeer.Reader.class)
public class BGPPeer extends OwnResource<BGPPeer.Spec, BGPPeer.Status> {
    private static final String IP = "^([0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$";
    private static final long HIGHEST_ASN = 4_294_967_295L;

    // A pattern of the schema would be shown to who breaks it.
    private static final String IS_DURATION = ".matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')";
    private static final String IS_WHOLE_SECONDS =
            "self" + IS_DURATION + " && duration(self).getMilliseconds() % 1000 == 0 && ";
    private static final String WHOLE_SECONDS = "must be a duration of whole seconds from ";
    private static final String IT = "'\"' + self + '\" ";

    private static final String IS_HOLD_TIME =
            IS_WHOLE_SECONDS + "duration(self) >= duration('3s') && duration(self) <= duration('65535s')";
    private static final String HOLD_TIME = WHOLE_SECONDS + "3s to 65535s, such as 90s or 1m30s";
    private static final String IS_KEEPALIVE_TIME =
            IS_WHOLE_SECONDS + "duration(self) >= duration('1s') && duration(self) <= duration('21845s')";
    private static final String KEEPALIVE_TIME = WHOLE_SECONDS + "1s to 21845s, such as 30s";
    private static final String IS_CONNECT_RETRY_TIME =
            IS_WHOLE_SECONDS + "duration(self) >= duration('2s') && duration(self) <= duration('1h')";
    private static final String CONNECT_RETRY_TIME = WHOLE_SECONDS + "2s to 1h, such as 5s";
    private static final String IS_GRACEFUL_RESTART_TIME = IS_WHOLE_SECONDS + "duration(self) <= duration('4095s')";
    private static final String GRACEFUL_RESTART_TIME = WHOLE_SECONDS + "0s to 4095s, such as 30s";

    /** What is no duration is named by the rule of its field, and by no second one. */
    static final String KEEPALIVE_IN_HOLD_TIME = "!self.keepaliveTime" + IS_DURATION + " || !self.holdTime"
            + IS_DURATION + " || duration(self.keepaliveTime) + duration(self.keepaliveTime)"
            + " + duration(self.keepaliveTime) <= duration(self.holdTime)";

    static final String ONE_ROUTER = "has(self.peerAddress) != has(self.peerInterface)";
    static final String SOURCE_IS_OF_THE_FAMILY = "!has(self.sourceAddress) || !has(self.peerAddress)"
            + " || self.sourceAddress.contains(':') == self.peerAddress.contains(':')";
    static final String NOT_LINK_LOCAL =
            "!has(self.peerAddress) || !self.peerAddress.matches('^[Ff][Ee][89ABab][0-9A-Fa-f]:')";
    static final String INTERFACE_ALONE =
            "!has(self.peerInterface) || !has(self.sourceAddress) && !has(self.ebgpMultihop)";

    /** The desired state. */
    @JsonClassDescription("The desired state.")
    @ValidationRule(value = KEEPALIVE_IN_HOLD_TIME, message = "keepaliveTime must be at most a third of holdTime")
    @ValidationRule(value = ONE_ROUTER, message = "one of peerAddress and peerInterface must be set, and not both")
    @ValidationRule(
            value = NOT_LINK_LOCAL,
            message = "peerAddress must not be a link-local address; write the interface as peerInterface instead")
    @ValidationRule(
            value = INTERFACE_ALONE,
            message = "with peerInterface, neither sourceAddress nor ebgpMultihop can be set")
    @ValidationRule(
            value = SOURCE_IS_OF_THE_FAMILY,
            message = "sourceAddress and peerAddress must be of the same IP family")
    public record Spec(
            @Nullable @Pattern(IP) @Size(min = 2, max = 45) @JsonPropertyDescription(
                    "The address of the router, IPv4" + " or IPv6. If unset, the router is found on peerInterface.")
            String peerAddress,

            @Nullable @Pattern("^[^/%:\\s]+$") @Size(min = 1, max = 15) @JsonPropertyDescription(
                    "The interface of the nodes that the router is on, the only router there: an unnumbered peer. Both sides use their link-local addresses, also as next hops of IPv4 routes (RFC 8950).")
            String peerInterface,

            @Required
            @Min(1) @Max(HIGHEST_ASN) @JsonPropertyDescription("The autonomous system of the router. The same as myASN: iBGP.")
            Long peerASN,

            @Required
            @Min(1) @Max(HIGHEST_ASN) @JsonPropertyDescription("The autonomous system that the nodes are in for this router.")
            Long myASN,

            @Default("179") @Min(1) @Max(65535) @JsonPropertyDescription("The TCP port of the router.") @Nullable Integer peerPort,

            @Nullable @JsonPropertyDescription(
                    "A Secret in the agents' namespace, berth-agents, whose key password is that of the session (TCP"
                            + " MD5, RFC 2385). If unset, the session has no password.")
            SecretReference passwordSecret,

            @JsonPropertyDescription(
                    "The nodes that have a session with the router. If unset, all nodes that have an agent.")
            AddressPool.@Nullable LabelSelector nodeSelector,

            @Default("90s")
            @Size(max = 32) @ValidationRule(value = IS_HOLD_TIME, message = HOLD_TIME, messageExpression = IT + HOLD_TIME + "'")
            @JsonPropertyDescription(
                    "After how long without a message from the peer the session is over. It is also how long routes lead to a node whose power was cut. The router may ask for less.")
            @Nullable String holdTime,

            @Default("30s")
            @Size(max = 32) @ValidationRule(
                    value = IS_KEEPALIVE_TIME,
                    message = KEEPALIVE_TIME,
                    messageExpression = IT + KEEPALIVE_TIME + "'")
            @JsonPropertyDescription("The interval of keepalive messages; at most a third of holdTime.")
            @Nullable String keepaliveTime,

            @Default("5s")
            @Size(max = 32) @ValidationRule(
                    value = IS_CONNECT_RETRY_TIME,
                    message = CONNECT_RETRY_TIME,
                    messageExpression = IT + CONNECT_RETRY_TIME + "'")
            @JsonPropertyDescription("How long after a failure to connect again.")
            @Nullable String connectRetryTime,

            @Nullable @Min(2) @Max(255) @JsonPropertyDescription(
                    "How many hops away the router may be, if it is in another autonomous system. If unset, it must"
                            + " be a direct neighbour.")
            Integer ebgpMultihop,

            @Nullable @Size(min = 1, max = 2) @JsonPropertyDescription("Of which addresses are announced. If unset, both.")
            List<@Pattern("^(IPv4|IPv6)$") @Size(max = 4) String> families,

            @Default("30s")
            @Size(max = 32) @ValidationRule(
                    value = IS_GRACEFUL_RESTART_TIME,
                    message = GRACEFUL_RESTART_TIME,
                    messageExpression = IT + GRACEFUL_RESTART_TIME + "'")
            @JsonPropertyDescription(
                    "For how long the router is asked to keep routes while the speaker on the node restarts (RFC 4724); 0s: it drops them at once.")
            @Nullable String gracefulRestartTime,

            @Nullable @Pattern(IP) @Size(min = 2, max = 45) @JsonPropertyDescription("The node's address that the session comes from. If unset, the kernel chooses it.")
            String sourceAddress,

            @Default("IPv4")
            @Pattern("^(IPv4|IPv6)$") @Size(max = 4) @JsonPropertyDescription(
                    "Which address of the node is the next hop of IPv4 routes. IPv6: the router must say that it takes that (RFC 8950). Always so with peerInterface.")
            @Nullable String ipv4NextHop) {}

    /** A Secret by its name. */
    public record SecretReference(
            @Required
            @Size(min = 1, max = 253) @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$") @JsonPropertyDescription("The name of the Secret.")
            String name) {}

    /** What the agents on the nodes say of their sessions. Absent until one has seen the peer. */
    @JsonClassDescription("What the agents on the nodes report on their sessions. Unset until one has seen the peer.")
    public record Status(
            @Nullable Long observedGeneration,

            @Nullable @Size(max = 32) @JsonPropertyDescription("How many sessions are established, of how many.")
            String sessions,

            @Nullable @Size(max = 5000) @JsonPropertyDescription("The nodes that are to have a session, by name.")
            List<NodeSession> nodes,

            @Nullable @Size(max = 8) List<Condition> conditions)
            implements HasConditions {}

    /** The session of one node. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NodeSession(
            @Required @Size(min = 1, max = 253) @JsonPropertyDescription("The name of the Node.")
            String node,

            @Required
            @Pattern("^(Established|Connecting|Unusable|Unknown)$") @Size(max = 16) @JsonPropertyDescription(
                    "Established: routes are announced. Connecting: the router does not respond, or rejects the"
                            + " session. Unusable: the node cannot have this session; see lastError. Unknown: the"
                            + " agent of the node has stopped renewing its Lease.")
            String state,

            @Required @Size(max = 32) @JsonPropertyDescription("Since when the state is this one.")
            String since,

            @JsonPropertyDescription(
                    "How many routes are announced to the router, up to 30 s ago. Unset if there is no session.")
            @Nullable Integer routes,

            @Nullable @Size(max = 512) @JsonPropertyDescription(
                    "Why there is no session, or why the previous one ended. Unset if that is not known, or if there"
                            + " was none.")
            String lastError,

            @Nullable @Size(max = 2) @JsonPropertyDescription(
                    "The families that are announced to the router: those that both sides support. Empty if there are"
                            + " none; unset if there is no session.")
            List<@Pattern("^(IPv4|IPv6)$") @Size(max = 4) String> families,

            @Nullable @JsonPropertyDescription("The metadata.generation that the node has applied.")
            Long observedGeneration) {
        public static final Comparator<NodeSession> BY_NAME =
                Comparator.comparing(NodeSession::node, Comparator.nullsFirst(Comparator.naturalOrder()));
    }

    /** Any content. */
    static final class Reader extends OwnResource.Reader<BGPPeer, Spec, Status> {
        Reader() {
            super(BGPPeer::new, Spec.class, Status.class);
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
