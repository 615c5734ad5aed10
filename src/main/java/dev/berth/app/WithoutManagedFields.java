package dev.berth.app;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.kube.FieldNames;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapperCustomizer;
import jakarta.inject.Singleton;

/**
 * Leaves {@code metadata.managedFields} out of what is read: it is half of an object, in time and in memory, and
 * nothing here reads it. A patch without it leaves it as it is. Its names are read over, and may be of any length: the
 * uid of an owner is in one, and an API server bounds neither. The same for {@code metadata.ownerReferences}, of which
 * an object may have 30,000.
 */
@Singleton
public final class WithoutManagedFields implements KubernetesClientObjectMapperCustomizer {
    @Override
    public void customize(ObjectMapper mapper) {
        mapper.addMixIn(ObjectMeta.class, Left.class);
        FieldNames.readInFull(mapper.getFactory());
    }

    /** For a client that Quarkus does not make. */
    static KubernetesSerialization serialization() {
        ObjectMapper mapper = new ObjectMapper();
        new WithoutManagedFields().customize(mapper);
        return new KubernetesSerialization(mapper, true);
    }

    @JsonIgnoreProperties({"managedFields", "ownerReferences"})
    private interface Left {}
}
