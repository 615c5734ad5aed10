package dev.berth.agent;

/**
 * A kind of the API server, and what is read of its objects.
 *
 * @param path like /api/v1/nodes; with a query it has those objects that the query selects
 * @param fields of an object
 */
record WatchedKind(String path, Fields fields) {
    static final WatchedKind NODES = new WatchedKind(
            "/api/v1/nodes",
            Fields.of()
                    .with("metadata", metadata("deletionTimestamp", "labels", "uid"))
                    .with("spec", Fields.of("unschedulable").with("taints", Fields.of("key")))
                    .with(
                            "status",
                            Fields.of()
                                    .with("addresses", Fields.of("type", "address"))
                                    .with("conditions", Fields.of("type", "status"))));

    static final WatchedKind SERVICES = new WatchedKind(
            "/api/v1/services",
            Fields.of().with("metadata", metadata("uid")).with("spec", Fields.of("type", "externalTrafficPolicy")));

    static final WatchedKind SLICES = new WatchedKind(
            "/apis/discovery.k8s.io/v1/endpointslices",
            Fields.of("addressType")
                    .with("metadata", metadata().with("labels", Fields.of("kubernetes.io/service-name")))
                    .with(
                            "endpoints",
                            Fields.of("nodeName").with("conditions", Fields.of("ready", "serving", "terminating"))));

    static final WatchedKind ADDRESSES = new WatchedKind(
            "/apis/berth.dev/v1alpha1/addresses",
            Fields.of()
                    .with("metadata", metadata())
                    .with(
                            "spec",
                            Fields.of("address", "class")
                                    .with("claims", Fields.of("kind", "namespace", "name", "uid"))));

    static final WatchedKind CLASSES = new WatchedKind(
            "/apis/berth.dev/v1alpha1/loadbalancerclasses",
            Fields.of()
                    .with("metadata", metadata("creationTimestamp"))
                    .with("spec", Fields.of("loadBalancerClass", "provider", "parameters"))
                    .with("status", Fields.of().with("conditions", Fields.of("type", "status", "reason"))));

    static final WatchedKind PEERS = new WatchedKind(
            "/apis/berth.dev/v1alpha1/bgppeers",
            Fields.of("spec", "status").with("metadata", metadata("generation", "creationTimestamp", "labels")));

    /** Those of a namespace that may have passwords. */
    static WatchedKind secrets(String namespace) {
        return new WatchedKind(
                "/api/v1/namespaces/" + namespace + "/secrets",
                Fields.of().with("metadata", metadata()).with("data", Fields.of("password")));
    }

    /** The Node of this name alone. */
    static WatchedKind node(String name) {
        return new WatchedKind(
                "/api/v1/nodes?fieldSelector=metadata.name%3D" + name,
                Fields.of()
                        .with("metadata", metadata("labels"))
                        .with("status", Fields.of().with("addresses", Fields.of("type", "address"))));
    }

    /** Of every object, and these. */
    static Fields metadata(String... more) {
        Fields fields = Fields.of("namespace", "name", "resourceVersion");
        for (String name : more) {
            fields = fields.with(name, Fields.ALL);
        }
        return fields;
    }

    /** Of what a watch says, an object or what is wrong. */
    Fields event() {
        return Fields.of("type").with("object", fields.with("message", Fields.ALL));
    }
}
