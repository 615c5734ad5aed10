package dev.berth.app;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapperCustomizer;
import jakarta.inject.Singleton;

/**
 * Leaves {@code metadata.managedFields} out of what is read: it is half of an object, in time and in memory, and
 * nothing here reads it. A write without it leaves it to the API server, which keeps it.
 */
@Singleton
public final class WithoutManagedFields implements KubernetesClientObjectMapperCustomizer {
    @Override
    public void customize(ObjectMapper mapper) {
        mapper.addMixIn(ObjectMeta.class, Left.class);
    }

    @JsonIgnoreProperties("managedFields")
    private interface Left {}
}
