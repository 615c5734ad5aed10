package dev.berth.kube;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the API server's objects for the client.
 *
 * <p>It leaves {@code metadata.managedFields} out of what is read: it is half of an object, in time and in memory, and
 * nothing here reads it. A patch without it leaves it as it is. Its names are read over, and may be of any length: the
 * uid of an owner is in one, and an API server bounds neither. The same for {@code metadata.ownerReferences}, of which
 * an object may have 30,000.
 */
public final class ApiSerialization extends KubernetesSerialization {
    /** Berth's own. */
    public static final List<Class<? extends CustomResource<?, ?>>> KINDS = List.of(
            AddressPool.class,
            Address.class,
            AgentReport.class,
            BGPPeer.class,
            ClusterIPReservation.class,
            LoadBalancerClass.class,
            ServiceCIDRPolicy.class);

    /**
     * What is watched, and what the API server says when it ends a watch. A kind that is missing here is still read, by
     * way of a tree. The client would by itself make an object of each of the 321 classes that it has, lists among them.
     */
    static final List<Class<? extends KubernetesResource>> WATCHED = Stream.of(
                    Stream.of(
                            Service.class,
                            EndpointSlice.class,
                            Node.class,
                            Namespace.class,
                            Secret.class,
                            Status.class),
                    KINDS.stream(),
                    Stream.of(NetworkingVersion.values())
                            .flatMap(version -> Stream.of(version.serviceCidr(), version.ipAddress())))
            .<Class<? extends KubernetesResource>>flatMap(kinds -> kinds)
            .toList();

    private final ObjectMapper mapper;

    public ApiSerialization() {
        this(new ObjectMapper());
    }

    private ApiSerialization(ObjectMapper mapper) {
        super(mapper, false);
        this.mapper = mapper;
        mapper.addMixIn(ObjectMeta.class, Left.class);
        FieldNames.readInFull(mapper.getFactory());
        WATCHED.forEach(this::registerKubernetesResource);
    }

    /** As the client does it, but an event of a watch without the client's tree of its object in between. */
    @Override
    public <T> T unmarshal(String text, Class<T> type) {
        WatchEvent event = type == WatchEvent.class ? event(text) : null;
        return event == null ? super.unmarshal(text, type) : type.cast(event);
    }

    /** Null: the client has to read it itself, for its kind does not come first, is not among {@link #WATCHED}, or does not fit. */
    @Nullable WatchEvent event(String text) {
        try {
            Class<? extends KubernetesResource> kind = kind(text);
            if (kind == null) {
                return null;
            }
            try (JsonParser parser = mapper.createParser(text)) {
                String type = beginObject(parser);
                return new WatchEvent(mapper.readValue(parser, kind), type);
            }
        } catch (IOException otherwise) {
            return null;
        }
    }

    private @Nullable Class<? extends KubernetesResource> kind(String text) throws IOException {
        try (JsonParser parser = mapper.createParser(text)) {
            beginObject(parser);
            String first = parser.nextFieldName();
            String valueOfFirst = parser.nextTextValue();
            String second = parser.nextFieldName();
            String valueOfSecond = parser.nextTextValue();
            if ("kind".equals(first) && "apiVersion".equals(second)) {
                return getRegisteredKubernetesResource(valueOfSecond, valueOfFirst);
            }
            return "apiVersion".equals(first) && "kind".equals(second)
                    ? getRegisteredKubernetesResource(valueOfFirst, valueOfSecond)
                    : null;
        }
    }

    /** Reads up to the beginning of the object, and returns the type of the event. */
    private static String beginObject(JsonParser parser) throws IOException {
        if (parser.nextToken() == JsonToken.START_OBJECT && "type".equals(parser.nextFieldName())) {
            String type = parser.nextTextValue();
            if ("object".equals(parser.nextFieldName()) && parser.nextToken() == JsonToken.START_OBJECT) {
                return type;
            }
        }
        throw new IOException("no type and then an object");
    }

    @JsonIgnoreProperties({"managedFields", "ownerReferences"})
    private interface Left {}
}
