package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the status of objects of our own kinds: a merge patch of the status alone. */
public final class StatusWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);

    private final KubernetesClient client;
    private final ApiBudget budget;

    public StatusWriter(KubernetesClient client, ApiBudget budget) {
        this.client = client;
        this.budget = budget;
    }

    /**
     * Writes it. A failure is logged, and left to the next look at the object: a status only tells.
     *
     * @param object as it was read; if it is gone or another by now nothing is written
     * @return false if it has to be tried again
     */
    public boolean write(HasMetadata object, Object status) {
        Map<String, Object> patch =
                Map.of("metadata", Map.of("uid", object.getMetadata().getUid()), "status", status);
        try {
            String json = client.getKubernetesSerialization().asJson(patch);
            budget.call(() ->
                    client.resource(object).subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), json));
            return true;
        } catch (KubernetesClientException failure) {
            if (failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return true;
            }
            LOG.warn(
                    "status of {} {}: {}",
                    object.getKind(),
                    object.getMetadata().getName(),
                    failure.getMessage());
            return false;
        }
    }
}
