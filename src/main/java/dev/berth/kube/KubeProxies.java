package dev.berth.kube;

import dev.berth.loadbalancer.HealthCheckPolicy;
import dev.berth.loadbalancer.KubeProxyRules;
import dev.berth.loadbalancer.KubeProxyRules.Answer;
import dev.berth.provider.LoadBalancerRequest.Node;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * Asks nodes whether kube-proxy is there. A cluster without it (its network plug-in does the same) would otherwise have all
 * nodes found unable to receive traffic by load balancers that ask for it.
 */
public final class KubeProxies {
    /** All nodes of a cluster are alike in this. */
    private static final int ASKED = 5;

    private final int port;
    private final Duration patience;
    private volatile boolean areThere = true;

    public KubeProxies() {
        this(HealthCheckPolicy.KUBE_PROXY, Duration.ofSeconds(2));
    }

    /**
     * Asks elsewhere.
     *
     * @param patience with each node
     */
    KubeProxies(int port, Duration patience) {
        this.port = port;
        this.patience = patience;
    }

    /** As the nodes said last; before that: yes. */
    public boolean areThere() {
        return areThere;
    }

    /** What the nodes said last, and what follows from it, for the log. */
    public String described() {
        return areThere
                ? "nodes have a kube-proxy: health checks of type Auto ask it"
                : "nodes have no kube-proxy: health checks of type Auto look whether a node port takes connections";
    }

    /**
     * Asks some of {@code nodes}, one after the other; takes seconds where they do not answer.
     *
     * @return whether they say something else than before
     */
    public synchronized boolean ask(List<Node> nodes) {
        boolean now = KubeProxyRules.isThere(nodes.stream()
                .filter(node -> !node.addresses().isEmpty())
                .limit(ASKED)
                .map(node -> ask(node.addresses().getFirst()))
                .toList());
        boolean isOtherwise = now != areThere;
        areThere = now;
        return isOtherwise;
    }

    private Answer ask(String address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port), (int) patience.toMillis());
            return Answer.LISTENS;
        } catch (ConnectException failure) {
            // A network that cannot be reached is one, too.
            return String.valueOf(failure.getMessage()).contains("refused") ? Answer.REFUSED : Answer.NONE;
        } catch (IOException | IllegalArgumentException silent) {
            return Answer.NONE;
        }
    }
}
