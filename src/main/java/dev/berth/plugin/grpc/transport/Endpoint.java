package dev.berth.plugin.grpc.transport;

import java.net.URI;
import java.nio.file.Path;

/** Where a plug-in is served. */
public sealed interface Endpoint {
    /** A socket in the file system: who may open it is the matter of its permissions. */
    record Unix(Path path) implements Endpoint {
        @Override
        public String toString() {
            return "unix://" + path;
        }
    }

    /**
     * A port on the network.
     *
     * @param host a name or an address, IPv6 without brackets
     * @param port 0 to 65535; 0, for a server: any that is free
     */
    record Network(String host, int port) implements Endpoint {
        @Override
        public String toString() {
            return "dns:///" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /**
     * Reads {@code unix:///run/berth/lb.sock}, {@code dns:///lb.example.com:8443} or {@code lb.example.com:8443}.
     *
     * @throws IllegalArgumentException if it is something else; the message says what is expected
     */
    static Endpoint parse(String text) {
        if (text.startsWith("unix:///")) {
            return new Unix(Path.of(text.substring("unix://".length())));
        }
        String place = text.startsWith("dns:///") ? text.substring("dns:///".length()) : text;
        URI uri;
        try {
            uri = URI.create("berth://" + place);
        } catch (IllegalArgumentException unreadable) {
            throw unexpected(text);
        }
        String host = uri.getHost();
        if (host == null
                || uri.getPort() < 0
                || uri.getPort() > 65535
                || !uri.getAuthority().equals(place)) {
            throw unexpected(text);
        }
        return new Network(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, uri.getPort());
    }

    private static IllegalArgumentException unexpected(String text) {
        return new IllegalArgumentException(
                "\"" + text + "\" is neither unix:///PATH nor HOST:PORT, of which HOST may follow dns:///");
    }
}
