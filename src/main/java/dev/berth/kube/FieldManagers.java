package dev.berth.kube;

/** Who owns which fields of an object, where several apply theirs. */
public final class FieldManagers {
    /** The API server takes no longer name. */
    private static final int LONGEST = 128;

    private static final int HASH = 9;

    private FieldManagers() {}

    /** Who owns what the agent of a node applies: each another, so that none takes away what others say. */
    public static String agent(String node) {
        String name = "berth-agent/" + node;
        return name.length() <= LONGEST ? name : name.substring(0, LONGEST - HASH) + "-%08x".formatted(node.hashCode());
    }
}
