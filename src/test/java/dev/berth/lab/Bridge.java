package dev.berth.lab;

/**
 * A network that namespaces can be plugged into; this JVM's namespace is on it, too.
 *
 * @param name of the interface
 */
record Bridge(String name) implements AutoCloseable {

    /** A new one, with these addresses of this JVM's namespace: a /24 and a /64. */
    static Bridge create(String name, String ipv4, String ipv6) {
        Namespace.HERE.prepare();
        Namespace.HERE.ip("link add " + name + " type bridge");
        Namespace.HERE.ip("link set " + name + " up");
        Namespace.HERE.ip("addr add " + ipv4 + "/24 dev " + name);
        Namespace.HERE.ip("addr add " + ipv6 + "/64 dev " + name + " nodad");
        return new Bridge(name);
    }

    /** Gives a namespace an interface eth0 on it. */
    void plug(Namespace namespace, String ipv4, String ipv6) {
        String port = "to-" + namespace.name();
        Namespace.HERE.ip("link add " + port + " type veth peer name eth0 netns " + namespace.name());
        Namespace.HERE.ip("link set " + port + " master " + name + " up");
        namespace.ip("link set eth0 up");
        namespace.ip("addr add " + ipv4 + "/24 dev eth0");
        namespace.ip("addr add " + ipv6 + "/64 dev eth0 nodad");
    }

    /** Removes a namespace and its interface here, which the kernel would remove some time later. */
    void remove(Namespace plugged) {
        Namespace.HERE.ip("link del to-" + plugged.name());
        plugged.delete();
    }

    /** Removes it; namespaces that are still plugged in stay. */
    @Override
    public void close() {
        Namespace.HERE.ip("link del " + name);
    }
}
