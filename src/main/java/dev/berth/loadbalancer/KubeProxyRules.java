package dev.berth.loadbalancer;

import java.util.List;

/** Whether the nodes have a kube-proxy that says if they are able to receive traffic. Pure. */
public final class KubeProxyRules {
    private KubeProxyRules() {}

    /** What came of asking a node on {@link HealthCheckPolicy#KUBE_PROXY}. */
    public enum Answer {
        /** Something takes connections there. */
        LISTENS,
        /** Nothing listens there. */
        REFUSED,
        /** Nothing was heard: it may be there, behind a firewall. */
        NONE
    }

    /** They have one unless it is sure that they have none: every node that was asked says so, and one was. */
    public static boolean isThere(List<Answer> answers) {
        return answers.isEmpty() || answers.stream().anyMatch(answer -> answer != Answer.REFUSED);
    }
}
