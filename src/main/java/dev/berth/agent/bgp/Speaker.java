package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.AddPeerRequest;
import dev.berth.agent.bgp.v1.DeletePathRequest;
import dev.berth.agent.bgp.v1.DeletePeerRequest;
import dev.berth.agent.bgp.v1.GetBgpRequest;
import dev.berth.agent.bgp.v1.Global;
import dev.berth.agent.bgp.v1.GoBgpServiceGrpc;
import dev.berth.agent.bgp.v1.GoBgpServiceGrpc.GoBgpServiceBlockingStub;
import dev.berth.agent.bgp.v1.ListPeerRequest;
import dev.berth.agent.bgp.v1.Peer;
import dev.berth.agent.bgp.v1.PeerState;
import dev.berth.agent.bgp.v1.Policy;
import dev.berth.agent.bgp.v1.PolicyAssignment;
import dev.berth.agent.bgp.v1.PolicyDirection;
import dev.berth.agent.bgp.v1.ResetPeerRequest;
import dev.berth.agent.bgp.v1.RouteAction;
import dev.berth.agent.bgp.v1.SetPoliciesRequest;
import dev.berth.agent.bgp.v1.SetPolicyAssignmentRequest;
import dev.berth.agent.bgp.v1.StartBgpRequest;
import dev.berth.agent.bgp.v1.TableType;
import dev.berth.agent.bgp.v1.UpdatePeerRequest;
import dev.berth.announce.Neighbour;
import dev.berth.announce.PeerVerdict.Session;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GoBGP's daemon as it is driven here. It knows nothing when it starts, and keeps what it was told while the agent is away.
 * One thread.
 */
public final class Speaker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Speaker.class);

    /** It connects to routers and lets none connect: port 179 of the node may be another's. */
    private static final int NO_PORT = -1;

    private final ManagedChannel channel;
    private final Daemon daemon;
    private final SessionEndReasons endings;
    private final AnnouncedRoutes routes;

    /** Of all calls but the last ones. */
    private final Context.CancellableContext calls = Context.current().withCancellation();

    /** Peers, as they were told last. */
    private final Map<Neighbour, Session> told = new HashMap<>();

    private @Nullable SetPoliciesRequest rules;

    /** The next hop that the rules put into IPv4 routes; absent: none. */
    private Optional<Ip> ipv6 = Optional.empty();

    /** Whether it was started here, and its routers may have routes of the process before it. */
    private boolean isFresh;

    /**
     * Calls nothing yet.
     *
     * @param changed called when a session is otherwise than before: be quick
     */
    public Speaker(ManagedChannel channel, Runnable changed) {
        this.channel = channel;
        this.daemon = new Daemon(channel);
        this.routes = new AnnouncedRoutes(daemon);
        this.endings = new SessionEndReasons(GoBgpServiceGrpc.newStub(channel), changed);
    }

    private GoBgpServiceBlockingStub daemon() {
        return daemon.call();
    }

    /**
     * Has it do what is wanted, and nothing else.
     *
     * @return how each session does, by the name of its peer
     * @throws IOException if it does not answer, or refuses; all of it is done again next time
     */
    public SequencedMap<String, SessionState> bring(Wanted wanted) throws IOException {
        Context before = calls.attach();
        try {
            if (!isStarted()) {
                forget();
                if (wanted.sessions().isEmpty()) {
                    return new TreeMap<>();
                }
                start(wanted);
            }
            endings.watch();
            keepRules(wanted);
            // Routes before peers: what a router kept while the daemon was away it drops when it hears no more of it.
            routes.keep(wanted.routes());
            SequencedMap<String, SessionState> states = keepPeers(wanted.sessions());
            isFresh = false;
            return states;
        } catch (StatusRuntimeException failure) {
            rules = null;
            throw thrown(failure);
        } finally {
            calls.detach(before);
        }
    }

    private IOException thrown(StatusRuntimeException failure) {
        channel.resetConnectBackoff();
        return new IOException(
                (Daemon.isAway(failure) ? "gobgpd does not respond: " : "gobgpd rejected a request: ")
                        + Daemon.told(failure),
                failure);
    }

    /**
     * The routers that it has sessions with, or tries to: also those of which an agent before this one told it.
     *
     * @throws IOException if it does not answer
     */
    public List<Neighbour> routers() throws IOException {
        Context before = calls.attach();
        try {
            return List.copyOf(peers().keySet());
        } catch (StatusRuntimeException failure) {
            throw thrown(failure);
        } finally {
            calls.detach(before);
        }
    }

    /** Ends what another thread is about to have it do, and lets it do nothing more but {@link #withdraw}. */
    public void stop() {
        calls.cancel(null);
    }

    private boolean isStarted() {
        return daemon().getBgp(GetBgpRequest.getDefaultInstance()).getGlobal().getAsn() != 0;
    }

    private void forget() {
        routes.forget();
        told.clear();
        rules = null;
    }

    private void start(Wanted wanted) {
        var _ = daemon().startBgp(StartBgpRequest.newBuilder()
                .setGlobal(Global.newBuilder()
                        // Each peer has its own.
                        .setAsn((int) wanted.sessions().getFirst().peer().myAsn())
                        .setRouterId(wanted.routerId().toString())
                        .setListenPort(NO_PORT))
                .build());
        isFresh = true;
        ipv6 = wanted.ipv6();
        LOG.info("gobgpd is started, with router ID {}", wanted.routerId());
    }

    private void keepRules(Wanted all) {
        SetPoliciesRequest wanted = Messages.rules(all.sessions(), all.ipv6());
        if (wanted.equals(rules)) {
            return;
        }
        // Also while that of an earlier agent is not known.
        boolean isNextHopOther = (rules == null && !isFresh) || !ipv6.equals(all.ipv6());
        var _ = daemon().setPolicies(wanted);
        if (rules == null) {
            assign(PolicyDirection.POLICY_DIRECTION_EXPORT, Messages.EXPORT);
            assign(PolicyDirection.POLICY_DIRECTION_IMPORT, Messages.IMPORT);
            told.clear();
            routes.read();
        }
        if (isNextHopOther && all.sessions().stream().anyMatch(Messages::isByIpv6)) {
            sendRoutesAgain();
        }
        ipv6 = all.ipv6();
        rules = wanted;
    }

    /** Rules are for what is sent after they are set; the sessions go on (a soft reset outbound). */
    private void sendRoutesAgain() {
        var _ = daemon().resetPeer(ResetPeerRequest.newBuilder()
                .setSoft(true)
                .setDirection(ResetPeerRequest.Direction.DIRECTION_OUT)
                .build());
    }

    private void assign(PolicyDirection direction, String policy) {
        var _ = daemon().setPolicyAssignment(SetPolicyAssignmentRequest.newBuilder()
                .setAssignment(PolicyAssignment.newBuilder()
                        .setName("global")
                        .setDirection(direction)
                        .setDefaultAction(RouteAction.ROUTE_ACTION_REJECT)
                        .addPolicies(Policy.newBuilder().setName(policy)))
                .build());
    }

    private SequencedMap<String, SessionState> keepPeers(List<Session> wanted) {
        Map<Neighbour, Peer> there = peers();
        boolean isChanged = false;
        for (Neighbour router : there.keySet()) {
            if (wanted.stream().noneMatch(session -> session.router().equals(router))) {
                Daemon.refusal(() -> delete(router))
                        .ifPresent(why -> LOG.warn("gobgpd did not remove a peer, retrying: {}", why));
            }
        }
        Map<Neighbour, String> refusals = new HashMap<>();
        for (Session session : wanted) {
            Neighbour router = session.router();
            if (!there.containsKey(router) || !session.equals(told.get(router))) {
                isChanged = true;
                Daemon.refusal(() -> tell(session, there.containsKey(router)))
                        .ifPresentOrElse(why -> refusals.put(router, why), () -> {
                            Session before = told.put(router, session);
                            if (before != null && !before.equals(session)) {
                                // That session had other terms: why it has ended is not why this one does not begin.
                                endings.forget(router);
                            }
                        });
            }
        }
        // A session whose terms were changed is over by now.
        Map<Neighbour, Peer> now = isChanged ? peers() : there;
        SequencedMap<String, SessionState> states = new TreeMap<>();
        wanted.forEach(session -> states.put(session.peer().name(), state(session, refusals, now)));
        return states;
    }

    private Map<Neighbour, Peer> peers() {
        Map<Neighbour, Peer> there = new HashMap<>();
        daemon().listPeer(ListPeerRequest.getDefaultInstance())
                .forEachRemaining(one -> Neighbour.find(one.getPeer().getConf().getNeighborAddress())
                        .ifPresent(router -> there.put(router, one.getPeer())));
        return there;
    }

    private SessionState state(Session of, Map<Neighbour, String> refusals, Map<Neighbour, Peer> now) {
        Neighbour router = of.router();
        String refusal = refusals.get(router);
        if (refusal != null) {
            return SessionState.none("gobgpd refuses the peer: " + refusal);
        }
        Peer peer = now.get(router);
        return peer != null && peer.getState().getSessionState() == PeerState.SessionState.SESSION_STATE_ESTABLISHED
                ? new SessionState(true, endings.of(router), Messages.negotiated(of.peer(), peer.getState()))
                : SessionState.none(endings.of(router));
    }

    private void tell(Session session, boolean isThere) {
        if (isThere) {
            // It compares what it has: a session whose terms are the same goes on.
            var _ = daemon().updatePeer(UpdatePeerRequest.newBuilder()
                    .setPeer(Messages.peer(session, false))
                    .build());
        } else {
            var _ = daemon().addPeer(AddPeerRequest.newBuilder()
                    .setPeer(Messages.peer(session, isFresh))
                    .build());
        }
    }

    private void delete(Neighbour router) {
        var _ = daemon().deletePeer(DeletePeerRequest.newBuilder()
                .setAddress(router.toString())
                .build());
        told.remove(router);
        endings.forget(router);
    }

    /**
     * Takes all routes back; its sessions stay. What of one family fails keeps the other from nothing.
     *
     * @param patience for how long in all it may not answer
     */
    public void withdraw(Duration patience) {
        Deadline end = Deadline.after(patience.toMillis(), TimeUnit.MILLISECONDS);
        for (IpFamily family : IpFamily.values()) {
            try {
                var _ = GoBgpServiceGrpc.newBlockingStub(channel)
                        .withDeadline(end)
                        .deletePath(DeletePathRequest.newBuilder()
                                .setTableType(TableType.TABLE_TYPE_GLOBAL)
                                .setFamily(Messages.family(family))
                                .build());
            } catch (StatusRuntimeException gone) {
                LOG.info("routes of {} are not withdrawn: gobgpd: {}", family, Daemon.told(gone));
            }
        }
    }

    /** Lets go of it, as it is. */
    @Override
    public void close() {
        stop();
        channel.shutdownNow();
    }
}
