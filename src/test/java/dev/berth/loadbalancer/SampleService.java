package dev.berth.loadbalancer;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes Services for tests: an IPv4 LoadBalancer without a class, unless told otherwise. */
public final class SampleService {
    private ServiceKey key = new ServiceKey("prod", "web");
    private String uid = "u1";
    private String resourceVersion = "1";
    private Instant created = Instant.parse("2026-01-01T00:00:00Z");
    private boolean deleting;
    private boolean typeLoadBalancer = true;
    private @Nullable String loadBalancerClass;
    private List<IpFamily> families = List.of(IpFamily.IPV4);
    private FamilyPolicy familyPolicy = FamilyPolicy.SINGLE_STACK;
    private List<Port> ports = List.of(new Port("", Protocol.TCP, 80, 30080));
    private Map<String, String> labels = Map.of();
    private ServiceState.Asked asked = ServiceState.Asked.NOTHING;
    private ServiceState.Delivery delivery = ServiceState.Delivery.PLAIN;
    private List<String> finalizers = List.of();
    private List<Published> ingress = List.of();
    private List<Condition> conditions = List.of();

    public static SampleService named(ServiceKey key, String uid) {
        SampleService sample = new SampleService();
        sample.key = key;
        sample.uid = uid;
        return sample;
    }

    public static SampleService from(ServiceState state) {
        SampleService sample = named(state.key(), state.uid());
        sample.resourceVersion = state.resourceVersion();
        sample.created = state.created();
        sample.deleting = state.deleting();
        sample.typeLoadBalancer = state.typeLoadBalancer();
        sample.loadBalancerClass = state.loadBalancerClass();
        sample.families = state.families();
        sample.familyPolicy = state.familyPolicy();
        sample.ports = state.ports();
        sample.labels = state.labels();
        sample.asked = state.asked();
        sample.delivery = state.delivery();
        sample.finalizers = state.finalizers();
        sample.ingress = state.ingress();
        sample.conditions = state.conditions();
        return sample;
    }

    public SampleService uid(String value) {
        uid = value;
        return this;
    }

    /** Sets an annotation; null: takes it off. */
    public SampleService annotation(String name, @Nullable String value) {
        Map<String, String> annotations = new LinkedHashMap<>(asked.annotations());
        if (value == null) {
            annotations.remove(name);
        } else {
            annotations.put(name, value);
        }
        asked = new ServiceState.Asked(annotations, asked.loadBalancerIp(), asked.localTraffic(), asked.selector());
        return this;
    }

    /** These annotations, and no others. */
    public SampleService annotations(Map<String, String> values) {
        asked = new ServiceState.Asked(values, asked.loadBalancerIp(), asked.localTraffic(), asked.selector());
        return this;
    }

    public SampleService ports(List<Port> value) {
        ports = value;
        return this;
    }

    public SampleService loadBalancerIp(@Nullable String value) {
        asked = new ServiceState.Asked(asked.annotations(), value, asked.localTraffic(), asked.selector());
        return this;
    }

    public SampleService localTraffic(Map<String, String> selector) {
        asked = new ServiceState.Asked(asked.annotations(), asked.loadBalancerIp(), true, selector);
        return this;
    }

    public SampleService ports(Port... values) {
        ports = List.of(values);
        return this;
    }

    public SampleService delivery(ServiceState.Delivery value) {
        delivery = value;
        return this;
    }

    public SampleService resourceVersion(String value) {
        resourceVersion = value;
        return this;
    }

    public SampleService created(Instant value) {
        created = value;
        return this;
    }

    public SampleService deleting(boolean value) {
        deleting = value;
        return this;
    }

    public SampleService typeLoadBalancer(boolean value) {
        typeLoadBalancer = value;
        return this;
    }

    public SampleService loadBalancerClass(@Nullable String value) {
        loadBalancerClass = value;
        return this;
    }

    public SampleService families(FamilyPolicy policy, IpFamily... values) {
        familyPolicy = policy;
        families = List.of(values);
        return this;
    }

    public SampleService labels(Map<String, String> value) {
        labels = value;
        return this;
    }

    public SampleService finalizers(List<String> value) {
        finalizers = value;
        return this;
    }

    public SampleService finalizer(String added) {
        List<String> all = new ArrayList<>(finalizers);
        all.add(added);
        finalizers = all;
        return this;
    }

    public SampleService ingress(List<Published> value) {
        ingress = value;
        return this;
    }

    public SampleService ingress(String... ips) {
        List<Published> all = new ArrayList<>();
        for (String ip : ips) {
            all.add(new Published(ip, null, null));
        }
        ingress = all;
        return this;
    }

    public SampleService conditions(List<Condition> value) {
        conditions = value;
        return this;
    }

    public ServiceState build() {
        return new ServiceState(
                key,
                uid,
                resourceVersion,
                created,
                deleting,
                typeLoadBalancer,
                loadBalancerClass,
                families,
                familyPolicy,
                ports,
                labels,
                asked,
                delivery,
                finalizers,
                ingress,
                conditions);
    }
}
