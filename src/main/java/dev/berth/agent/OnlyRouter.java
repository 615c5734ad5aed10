package dev.berth.agent;

import dev.berth.ip.Ip;
import java.util.List;

/**
 * The router that is the peer on an interface.
 *
 * @param since when it became that, or when the interface was last found to be up again; milliseconds, from any moment on
 */
record OnlyRouter(Ip router, long since) {
    /**
     * Whether it stays the peer. It may not have been heard yet, where the agent or the interface has just come up: others that are
     * heard sooner end no session.
     *
     * @param heard the routers that are heard on the interface
     */
    boolean stays(List<Ip> heard, long now) {
        return heard.isEmpty() || heard.contains(router) || now - since < HeardRouters.SILENCE;
    }
}
