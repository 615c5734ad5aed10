package dev.berth.app;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one of our kinds, beside those that an API server knows of it. It drops the others from what it is sent,
 * without an error.
 */
final class KindFields {
    private final List<String> missing = new ArrayList<>();

    private KindFields() {}

    /**
     * The fields, as paths like {@code spec.claims.uid}, that {@code kind} has and {@code served} lacks, in the order of
     * the class. Of one that is missing, those within are not named.
     *
     * @param served what the API server publishes of a group and version, in OpenAPI 3
     * @return absent: the kind is not in it
     */
    static Optional<List<String>> missing(Class<? extends CustomResource<?, ?>> kind, JsonNode served) {
        return schema(kind, served).map(schema -> {
            KindFields fields = new KindFields();
            Type[] parts = ((ParameterizedType) kind.getGenericSuperclass()).getActualTypeArguments();
            fields.compare("spec", parts[0], schema.path("properties").get("spec"));
            fields.compare("status", parts[1], schema.path("properties").get("status"));
            return List.copyOf(fields.missing);
        });
    }

    /** By what the API server says the schema is of, for its name is the API server's own choice. */
    private static Optional<JsonNode> schema(Class<? extends CustomResource<?, ?>> kind, JsonNode served) {
        for (JsonNode schema : served.path("components").path("schemas")) {
            for (JsonNode of : schema.path("x-kubernetes-group-version-kind")) {
                if (of.path("kind").asText().equals(HasMetadata.getKind(kind))) {
                    return Optional.of(schema);
                }
            }
        }
        return Optional.empty();
    }

    private void compare(String path, Type type, @Nullable JsonNode schema) {
        // An AgentReport has no status, and a laxer schema drops nothing.
        if (type == Void.class
                || (schema != null
                        && schema.path("x-kubernetes-preserve-unknown-fields").asBoolean())) {
            return;
        }
        if (schema == null) {
            missing.add(path);
        } else if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            compare(path, list.getActualTypeArguments()[0], schema.path("items"));
        } else if (type instanceof Class<?> part && part.isRecord()) {
            Arrays.stream(part.getRecordComponents())
                    .forEach(component -> compare(
                            path + "." + name(component),
                            component.getGenericType(),
                            schema.path("properties").get(name(component))));
        }
    }

    private static String name(RecordComponent component) {
        JsonProperty other = component.getAccessor().getAnnotation(JsonProperty.class);
        return other == null || other.value().isEmpty() ? component.getName() : other.value();
    }
}
