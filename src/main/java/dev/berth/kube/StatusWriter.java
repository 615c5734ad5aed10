package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what objects of our own kinds show: patches of the status alone, or of labels alone. */
public final class StatusWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);

    private static final int UNPROCESSABLE = 422;

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

    /**
     * Changes parts of a status, as {@link #write} does.
     *
     * @param operations of a JSON patch; if a test of theirs fails nothing is written
     */
    public boolean change(HasMetadata object, List<Map<String, Object>> operations) {
        List<Map<String, Object>> all = new ArrayList<>(operations);
        all.addFirst(Map.of(
                "op",
                "test",
                "path",
                "/metadata/uid",
                "value",
                object.getMetadata().getUid()));
        return patch(object, "status", PatchContext.of(PatchType.JSON), all);
    }

    /**
     * Applies a part of a status by server-side apply, and takes over what others own of it; else as {@link #write}.
     *
     * @param manager whose part it is: what is not in it any more goes
     */
    public boolean apply(HasMetadata object, String manager, Object status) {
        return patch(
                object,
                "status",
                new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager(manager)
                        .withForce(true)
                        .build(),
                Map.of(
                        "apiVersion",
                        object.getApiVersion(),
                        "kind",
                        object.getKind(),
                        "metadata",
                        Map.of(
                                "name",
                                object.getMetadata().getName(),
                                "uid",
                                object.getMetadata().getUid()),
                        "status",
                        status));
    }

    private boolean patch(HasMetadata object, String subresource, Map<String, Object> patch) {
        return patch(object, subresource, PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    private boolean patch(HasMetadata object, String subresource, PatchContext context, Object patch) {
        try {
            String json = client.getKubernetesSerialization().asJson(patch);
            budget.call(() -> subresource.isEmpty()
                    ? client.resource(object).patch(context, json)
                    : client.resource(object).subresource(subresource).patch(context, json));
            return true;
        } catch (KubernetesClientException failure) {
            if (failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return true;
            }
            boolean isTestOfAPatch = context.getPatchType() == PatchType.JSON && failure.getCode() == UNPROCESSABLE;
            if (failure.getCode() == HttpURLConnection.HTTP_CONFLICT || isTestOfAPatch) {
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
