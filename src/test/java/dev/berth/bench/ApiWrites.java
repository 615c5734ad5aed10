package dev.berth.bench;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.regex.Pattern;

/**
 * How many writes an API server has answered since its start, by its own count.
 *
 * @param objects creates, updates, patches and deletes of anything but events and leases
 * @param events the same of events
 * @param failed how many of both it refused
 */
record ApiWrites(double objects, double events, double failed) {
    private static final Pattern WRITE =
            Pattern.compile("^apiserver_request_total\\{.*\\bverb=\"(?:POST|PUT|PATCH|DELETE|APPLY)\".*");
    private static final Pattern EVENTS = Pattern.compile("\\bresource=\"events\"");
    /** Leases are the API server's own, and a controller's few; so are the questions that are asked by POST. */
    private static final Pattern APART = Pattern.compile("\\bresource=\"(?:leases|[a-z]*reviews|serviceaccounts)\"");

    private static final Pattern FAILED = Pattern.compile("\\bcode=\"[45]");

    static ApiWrites of(KubernetesClient client) {
        double objects = 0;
        double events = 0;
        double failed = 0;
        for (String line : client.raw("/metrics").split("\n", -1)) {
            if (!WRITE.matcher(line).matches() || APART.matcher(line).find()) {
                continue;
            }
            double count = Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            if (EVENTS.matcher(line).find()) {
                events += count;
            } else {
                objects += count;
            }
            if (FAILED.matcher(line).find()) {
                failed += count;
            }
        }
        return new ApiWrites(objects, events, failed);
    }

    ApiWrites since(ApiWrites before) {
        return new ApiWrites(objects - before.objects, events - before.events, failed - before.failed);
    }
}
