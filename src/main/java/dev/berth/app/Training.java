package dev.berth.app;

import dev.berth.api.v1alpha1.Address;
import dev.berth.kube.Claims;
import dev.berth.kube.ServiceStates;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.Operator;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.inject.Inject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the whole operator, reads what watches bring, and ends. */
public final class Training implements QuarkusApplication {
    private static final Logger LOG = LoggerFactory.getLogger(Training.class);

    private static final String SERVICE = """
            {"type": "MODIFIED", "object": {"apiVersion": "v1", "kind": "Service",
             "metadata": {"name": "web", "namespace": "default", "uid": "1", "resourceVersion": "1",
              "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": "web"},
              "finalizers": ["berth.dev/load-balancer-cleanup"],
              "managedFields": [{"manager": "berth", "operation": "Update", "apiVersion": "v1",
               "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:type": {}}}}]},
             "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"],
              "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "selector": {"app": "web"},
              "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80, "nodePort": 30000}]},
             "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1", "ipMode": "VIP"}]},
              "conditions": [{"type": "berth.dev/AddressAssigned", "status": "True", "reason": "Assigned",
               "message": "holds 192.0.2.1", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}}
            """;

    private static final String ADDRESS = """
            {"type": "ADDED", "object": {"apiVersion": "berth.dev/v1alpha1", "kind": "Address",
             "metadata": {"name": "192.0.2.1", "uid": "2", "resourceVersion": "2"},
             "spec": {"address": "192.0.2.1", "pool": "default", "class": "berth.dev/pool",
              "claims": [{"namespace": "default", "name": "web", "uid": "1"}]}}}
            """;

    private final Operator operator;
    private final KubernetesClient client;

    @Inject
    Training(Operator operator, KubernetesClient client) {
        this.operator = operator;
        this.client = client;
    }

    @Override
    public int run(String... args) {
        KubernetesSerialization json = client.getKubernetesSerialization();
        Service service = (Service) json.unmarshal(SERVICE, WatchEvent.class).getObject();
        Address address = (Address) json.unmarshal(ADDRESS, WatchEvent.class).getObject();
        LOG.info(
                "{} controllers; Service {}; Address {}; {} characters written",
                operator.getRegisteredControllersNumber(),
                ServiceStates.of(service).key(),
                Claims.of(address).orElseThrow().ip(),
                json.asJson(service).length() + json.asJson(address).length());
        return 0;
    }
}
