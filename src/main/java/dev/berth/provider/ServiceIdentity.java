package dev.berth.provider;

/** A Service, and not another of the same name. */
public record ServiceIdentity(String namespace, String name, String uid) {
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
