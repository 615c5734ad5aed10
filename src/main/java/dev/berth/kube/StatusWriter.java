package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what objects of our own kinds show: merge patches of the status alone, or of labels alone. */
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
        return patch(
                object,
                "status",
                Map.of("metadata", Map.of("uid", object.getMetadata().getUid()), "status", status));
    }

    /** As {@link #write} does, for a status that is read again: nothing is written if the object has changed. */
    public boolean writeIfUnchanged(HasMetadata object, Object status) {
        return patch(
                object,
                "status",
                Map.of(
                        "metadata",
                        Map.of(
                                "uid",
                                object.getMetadata().getUid(),
                                "resourceVersion",
                                object.getMetadata().getResourceVersion()),
                        "status",
                        status));
    }

    /**
     * Writes labels, as {@link #write} does.
     *
     * @param labels those that change; a value of null: the label goes
     */
    public boolean label(HasMetadata object, Map<String, @Nullable String> labels) {
        return patch(
                object,
                "",
                Map.of("metadata", Map.of("uid", object.getMetadata().getUid(), "labels", labels)));
    }

    private boolean patch(HasMetadata object, String subresource, Map<String, Object> patch) {
        try {
            String json = client.getKubernetesSerialization().asJson(patch);
            PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
            budget.call(() -> subresource.isEmpty()
                    ? client.resource(object).patch(merge, json)
                    : client.resource(object).subresource(subresource).patch(merge, json));
            return true;
        } catch (KubernetesClientException failure) {
            if (failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return true;
            }
            if (failure.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                LOG.debug(
                        "{} {} has changed",
                        object.getKind(),
                        object.getMetadata().getName());
                return false;
            }
            LOG.warn(
                    "{} of {} {}: {}",
                    subresource.isEmpty() ? "labels" : subresource,
                    object.getKind(),
                    object.getMetadata().getName(),
                    failure.getMessage());
            return false;
        }
    }
}
