package dev.berth.kube;

import dev.berth.loadbalancer.ServiceState;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** Tells people what happened. An event may be lost: it is never the only place where something is said. */
public interface Events {
    /**
     * What an event is about.
     *
     * @param namespace empty for a cluster-scoped object
     */
    record About(String apiVersion, String kind, String namespace, String name, String uid) {
        public static About service(ServiceState service) {
            return new About(
                    "v1", "Service", service.key().namespace(), service.key().name(), service.uid());
        }

        public static About object(HasMetadata object) {
            return new About(
                    object.getApiVersion(),
                    object.getKind(),
                    object.getMetadata().getNamespace() == null
                            ? ""
                            : object.getMetadata().getNamespace(),
                    object.getMetadata().getName(),
                    object.getMetadata().getUid());
        }
    }

    /** Something went as it should. */
    void normal(About about, Reason reason, String message);

    /** Something wants a person's attention. */
    void warning(About about, Reason reason, String message);
}
