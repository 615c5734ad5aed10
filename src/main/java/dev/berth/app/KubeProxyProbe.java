package dev.berth.app;

import dev.berth.controller.StartGate;
import dev.berth.controller.Timer;
import dev.berth.kube.KubeProxies;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.LoadBalancerRequest.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has nodes asked whether kube-proxy is there, while a class is served for which it makes a difference. */
final class KubeProxyProbe {
    private static final Logger LOG = LoggerFactory.getLogger(KubeProxyProbe.class);

    /** Many nodes may change at once. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private final KubeProxies kubeProxies;
    private final StartGate gate;
    private final Timer later;
    private final Supplier<ClassSet> classes;
    private final Supplier<List<Node>> nodes;
    private final Runnable changed;
    private final AtomicBoolean willAsk = new AtomicBoolean();

    /**
     * None is asked yet.
     *
     * @param kubeProxies remember what the nodes say
     * @param nodes those that traffic may be sent to
     * @param changed notified when they say something else than before
     */
    KubeProxyProbe(
            KubeProxies kubeProxies,
            StartGate gate,
            Timer later,
            Supplier<ClassSet> classes,
            Supplier<List<Node>> nodes,
            Runnable changed) {
        this.kubeProxies = kubeProxies;
        this.gate = gate;
        this.later = later;
        this.classes = classes;
        this.nodes = nodes;
        this.changed = changed;
    }

    /** Nodes or classes have changed. */
    void askSoon() {
        if (gate.isOpen() && willAsk.compareAndSet(false, true)) {
            later.after(SOON, () -> {
                willAsk.set(false);
                ask();
            });
        }
    }

    /** Takes seconds where nodes do not answer. */
    void ask() {
        boolean matters = classes.get().served().stream()
                .anyMatch(served -> served.capabilities().targets() == Targets.NODE_PORTS
                        && served.healthCheck().isLeftToTheNodes());
        if (matters && kubeProxies.ask(nodes.get())) {
            LOG.info("{}", kubeProxies.described());
            changed.run();
        }
    }
}
