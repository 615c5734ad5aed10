package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class WithoutManagedFieldsTest {
    @Test
    void managedFields_areNotRead_andNotWritten_andTheRestIs() {
        ObjectMapper mapper = new ObjectMapper();
        new WithoutManagedFields().customize(mapper);
        KubernetesSerialization serialization = new KubernetesSerialization(mapper, true);

        Service service = serialization.unmarshal("""
                {"kind": "Service", "apiVersion": "v1",
                 "metadata": {"name": "web", "uid": "u1", "managedFields": [{"manager": "kubectl"}]},
                 "spec": {"type": "LoadBalancer"}}
                """, Service.class);

        assertThat(service.getMetadata().getManagedFields()).isNullOrEmpty();
        assertThat(service.getMetadata().getUid()).isEqualTo("u1");
        assertThat(service.getSpec().getType()).isEqualTo("LoadBalancer");
        assertThat(serialization.asJson(service)).doesNotContain("managedFields");
    }
}
