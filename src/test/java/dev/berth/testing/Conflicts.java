package dev.berth.testing;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import org.awaitility.Awaitility;

/** For edits of objects that others write, too. */
public final class Conflicts {
    private Conflicts() {}

    /** Edits again while the API server refuses it because another has written the object in between. */
    public static void untilNone(Runnable edit) {
        Awaitility.await()
                .ignoreExceptionsMatching(failure -> failure instanceof KubernetesClientException refused
                        && refused.getCode() == HttpURLConnection.HTTP_CONFLICT)
                .until(() -> {
                    edit.run();
                    return true;
                });
    }
}
