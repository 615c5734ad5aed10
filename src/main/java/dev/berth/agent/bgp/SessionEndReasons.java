package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.GoBgpServiceGrpc.GoBgpServiceStub;
import dev.berth.agent.bgp.v1.Peer;
import dev.berth.agent.bgp.v1.PeerState;
import dev.berth.agent.bgp.v1.WatchEventRequest;
import dev.berth.agent.bgp.v1.WatchEventResponse;
import dev.berth.announce.Neighbour;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Why sessions ended: the daemon says so only while it happens. */
final class SessionEndReasons {
    /** GoBGP's DisconnectReason: none, and that a timer makes it try once more. */
    private static final List<Integer> NO_ENDING = List.of(0, 7);

    private final GoBgpServiceStub daemon;
    private final Runnable changed;
    private final Map<Neighbour, String> byPeer = new ConcurrentHashMap<>();
    private final AtomicBoolean isWatching = new AtomicBoolean();

    SessionEndReasons(GoBgpServiceStub daemon, Runnable changed) {
        this.daemon = daemon;
        this.changed = changed;
    }

    /** Listens, if it does not. */
    void watch() {
        if (isWatching.compareAndSet(false, true)) {
            daemon.watchEvent(
                    WatchEventRequest.newBuilder()
                            .setPeer(WatchEventRequest.Sessions.getDefaultInstance())
                            .build(),
                    new StreamObserver<>() {
                        @Override
                        public void onNext(WatchEventResponse event) {
                            if (event.hasPeer()) {
                                hear(event.getPeer().getPeer());
                            }
                        }

                        @Override
                        public void onError(Throwable failure) {
                            isWatching.set(false);
                            changed.run();
                        }

                        @Override
                        public void onCompleted() {
                            isWatching.set(false);
                        }
                    });
        }
    }

    private void hear(Peer peer) {
        PeerState state = peer.getState();
        if (state.getSessionState() != PeerState.SessionState.SESSION_STATE_ESTABLISHED
                && !NO_ENDING.contains(state.getDisconnectReason())) {
            Neighbour.find(peer.getConf().getNeighborAddress())
                    .ifPresent(router -> byPeer.put(router, state.getDisconnectMessage()));
        }
        changed.run();
    }

    /** Why the last session with a peer ended; empty: none has, or it is not known. */
    String of(Neighbour router) {
        return byPeer.getOrDefault(router, "");
    }

    void forget(Neighbour router) {
        byPeer.remove(router);
    }
}
