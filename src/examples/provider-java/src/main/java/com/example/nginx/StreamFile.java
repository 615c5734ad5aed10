package com.example.nginx;

import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A file for nginx' {@code stream} block. Its first lines are comments that say whose it is; the rest is for nginx.
 *
 * @param text all of it
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_core_module.html">the stream module</a>
 */
record StreamFile(
        String clusterName, ServiceIdentity service, List<String> addresses, List<PortError> portErrors, String text) {
    private static final String MARK = "# berth ";

    StreamFile {
        addresses = List.copyOf(addresses);
        portErrors = List.copyOf(portErrors);
    }

    LoadBalancerStatus status() {
        return LoadBalancerStatus.of(addresses.stream()
                        .map(ip -> Ingress.ofIp(ip, IpMode.PROXY))
                        .toList())
                .withPortErrors(portErrors);
    }

    static StreamFile of(String name, LoadBalancerRequest request, Targets targets) {
        List<PortError> errors = request.ports().stream()
                .filter(port -> targets == Targets.NODE_PORTS && port.nodePort() == 0)
                .map(port -> new PortError(port.port(), port.protocol(), "example.com/NoNodePort"))
                .toList();
        StringBuilder text = new StringBuilder("# Written by Berth. What you change here is overwritten.\n");
        mark(text, "cluster", request.clusterName());
        mark(text, "namespace", request.service().namespace());
        mark(text, "service", request.service().name());
        mark(text, "uid", request.service().uid());
        request.addresses().forEach(address -> mark(text, "address", address));
        errors.forEach(error -> mark(text, "error", error.protocol() + " " + error.port() + " " + error.error()));
        for (Port port : request.ports()) {
            List<String> upstream = targets == Targets.NODE_PORTS ? nodes(port, request) : endpoints(port, request);
            if (!upstream.isEmpty()) {
                server(
                        text,
                        name + "-" + port.protocol().name().toLowerCase(Locale.ROOT) + "-" + port.port(),
                        upstream,
                        port,
                        request);
            }
        }
        return new StreamFile(request.clusterName(), request.service(), request.addresses(), errors, text.toString());
    }

    private static void mark(StringBuilder text, String key, String value) {
        text.append(MARK).append(key).append(' ').append(value).append('\n');
    }

    /** Lines for nginx; none if the port has no node port. */
    private static List<String> nodes(Port port, LoadBalancerRequest request) {
        return port.nodePort() == 0
                ? List.of()
                : request.nodes().stream()
                        .flatMap(node ->
                                node.addresses().stream().map(address -> line(address, port.nodePort(), node.name())))
                        .toList();
    }

    private static List<String> endpoints(Port port, LoadBalancerRequest request) {
        return request.endpoints().stream()
                .filter(endpoint -> endpoint.port().equals(port.name()))
                .map(endpoint -> line(endpoint.address(), endpoint.targetPort(), endpoint.node()))
                .toList();
    }

    private static String line(String address, int port, String node) {
        return "  server " + socket(address, port) + "; # " + node + "\n";
    }

    private static void server(
            StringBuilder text, String name, List<String> upstream, Port port, LoadBalancerRequest request) {
        text.append("upstream ").append(name).append(" {\n");
        upstream.forEach(text::append);
        text.append("}\nserver {\n");
        for (String address : request.addresses()) {
            text.append("  listen ").append(socket(address, port.port()));
            text.append(port.protocol() == Protocol.UDP ? " udp;\n" : ";\n");
        }
        request.sourceRanges()
                .forEach(range -> text.append("  allow ").append(range).append(";\n"));
        if (!request.sourceRanges().isEmpty()) {
            text.append("  deny all;\n");
        }
        text.append("  proxy_pass ").append(name).append(";\n}\n");
    }

    private static String socket(String address, int port) {
        return (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
    }

    /**
     * Reads what {@link #of} wrote.
     *
     * @throws IllegalArgumentException if it is no such file
     */
    static StreamFile parse(String text) {
        List<PortError> errors = new ArrayList<>();
        for (String error : marks(text, "error")) {
            String[] parts = error.split(" ", 3);
            errors.add(new PortError(Integer.parseInt(parts[1]), Protocol.valueOf(parts[0]), parts[2]));
        }
        return new StreamFile(
                only(text, "cluster"),
                new ServiceIdentity(only(text, "namespace"), only(text, "service"), only(text, "uid")),
                marks(text, "address"),
                errors,
                text);
    }

    private static String only(String text, String key) {
        List<String> values = marks(text, key);
        if (values.size() != 1) {
            throw new IllegalArgumentException("it has not one line \"" + MARK + key + "\"");
        }
        return values.getFirst();
    }

    private static List<String> marks(String text, String key) {
        String start = MARK + key + " ";
        return text.lines()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .toList();
    }
}
