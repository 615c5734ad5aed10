package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.AddPathRequest;
import dev.berth.agent.bgp.v1.AddPeerRequest;
import dev.berth.agent.bgp.v1.DeletePathRequest;
import dev.berth.agent.bgp.v1.DeletePeerRequest;
import dev.berth.agent.bgp.v1.GetBgpRequest;
import dev.berth.agent.bgp.v1.Global;
import dev.berth.agent.bgp.v1.GoBgpServiceGrpc;
import dev.berth.agent.bgp.v1.GoBgpServiceGrpc.GoBgpServiceBlockingStub;
import dev.berth.agent.bgp.v1.ListPathRequest;
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
import dev.berth.announce.Prefix;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GoBGP's daemon as it is driven here. It knows nothing when it starts, and keeps what it was told while the agent is away.
 * One thread.
 */
public final class Speaker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Speaker.class);

    /** Seconds. It is on the same machine. */
    private static final int PATIENCE = 5;

    /** It connects to routers and lets none connect: port 179 of the node may be another's. */
    private static final int NO_PORT = -1;

    /** What a call ends with that nobody has refused. */
    private static final List<Status.Code> AWAY =
            List.of(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED, Status.Code.CANCELLED);

    private final ManagedChannel channel;
    private final SessionEndReasons endings;

    /** Of all calls but the last ones. */
    private final Context.CancellableContext calls = Context.current().withCancellation();

    /** What it announces; absent: a route of which the agent before this one told it. */
    private final SequencedMap<Prefix, Optional<Route>> announced = new TreeMap<>();

    /** It announces these and no others; null: that has to be looked at. */
    private @Nullable List<Route> kept;

    /** Peers, as they were told last. */
    private final Map<Neighbour, Session> told = new HashMap<>();

    private @Nullable SetPoliciesRequest rules;

    /** The next hop that the rules put into IPv4 routes; absent: none. */
    private Optional<Ip> ipv6 = Optional.empty();

    /** What it refused last of a route; empty: nothing. */
    private String refused = "";

    /** Whether it was started here, and its routers may have routes of the process before it. */
    private boolean isFresh;

    /**
     * Calls nothing yet.
     *
     * @param changed called when a session is otherwise than before: be quick
     */
    public Speaker(ManagedChannel channel, Runnable changed) {
        this.channel = channel;
        this.endings = new SessionEndReasons(GoBgpServiceGrpc.newStub(channel), changed);
    }

    private GoBgpServiceBlockingStub daemon() {
        return GoBgpServiceGrpc.newBlockingStub(channel).withDeadlineAfter(PATIENCE, TimeUnit.SECONDS);
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
            keepRoutes(wanted.routes());
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
        boolean isAway = AWAY.contains(failure.getStatus().getCode());
        return new IOException(
                (isAway ? "gobgpd does not respond: " : "gobgpd rejected a request: ") + told(failure), failure);
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

    private static String told(StatusRuntimeException failure) {
        Status status = failure.getStatus();
        Throwable cause = status.getCause();
        String description = Optional.ofNullable(status.getDescription())
                .orElse(status.getCode().toString());
        return cause == null || cause.getMessage() == null ? description : description + ": " + cause.getMessage();
    }

    private boolean isStarted() {
        return daemon().getBgp(GetBgpRequest.getDefaultInstance()).getGlobal().getAsn() != 0;
    }

    private void forget() {
        announced.clear();
        kept = null;
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
            read();
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

    /** What the agent before this one, or this one before it lost sight of the daemon, has told it. */
    private void read() {
        forget();
        for (IpFamily family : IpFamily.values()) {
            daemon().listPath(ListPathRequest.newBuilder()
                            .setTableType(TableType.TABLE_TYPE_GLOBAL)
                            .setFamily(Messages.family(family))
                            .build())
                    .forEachRemaining(route -> {
                        announced.put(Prefix.parse(route.getDestination().getPrefix()), Optional.empty());
                    });
        }
    }

    private void keepRoutes(List<Route> routes) {
        if (routes.equals(kept)) {
            return;
        }
        kept = null;
        Map<Prefix, Route> wanted = routes.stream().collect(Collectors.toMap(Route::prefix, route -> route));
        List<String> refusals = new ArrayList<>();
        for (Prefix prefix : List.copyOf(announced.sequencedKeySet())) {
            if (!wanted.containsKey(prefix)) {
                refusal(() -> withdraw(prefix)).ifPresentOrElse(refusals::add, () -> announced.remove(prefix));
            }
        }
        for (Route route : routes) {
            if (!Optional.of(route).equals(announced.get(route.prefix()))) {
                refusal(() -> announce(route))
                        .ifPresentOrElse(refusals::add, () -> announced.put(route.prefix(), Optional.of(route)));
            }
        }
        String first = refusals.isEmpty() ? "" : refusals.getFirst();
        if (!first.isEmpty() && !first.equals(refused)) {
            LOG.warn("gobgpd rejected {} calls; the first one: {}", refusals.size(), first);
        }
        refused = first;
        kept = refusals.isEmpty() ? routes : null;
    }

    /** Why it refuses a call, which keeps no other from being made; absent: it does not. */
    private static Optional<String> refusal(Runnable call) {
        try {
            call.run();
            return Optional.empty();
        } catch (StatusRuntimeException failure) {
            throwIfAway(failure);
            return Optional.of(told(failure));
        }
    }

    private void announce(Route route) {
        var _ = daemon().addPath(AddPathRequest.newBuilder()
                .setTableType(TableType.TABLE_TYPE_GLOBAL)
                .setPath(Messages.path(route))
                .build());
    }

    /** Else it is there, and only refuses. */
    private static void throwIfAway(StatusRuntimeException failure) {
        Status.Code code = failure.getStatus().getCode();
        if (AWAY.contains(code)) {
            throw failure;
        }
    }

    private void withdraw(Prefix prefix) {
        var _ = daemon().deletePath(DeletePathRequest.newBuilder()
                .setTableType(TableType.TABLE_TYPE_GLOBAL)
                .setFamily(Messages.family(prefix.network().family()))
                .setPath(Messages.withdrawal(prefix))
                .build());
    }

    private SequencedMap<String, SessionState> keepPeers(List<Session> wanted) {
        Map<Neighbour, Peer> there = peers();
        boolean isChanged = false;
        for (Neighbour router : there.keySet()) {
            if (wanted.stream().noneMatch(session -> session.router().equals(router))) {
                refusal(() -> delete(router))
                        .ifPresent(why -> LOG.warn("gobgpd did not remove a peer, retrying: {}", why));
            }
        }
        Map<Neighbour, String> refusals = new HashMap<>();
        for (Session session : wanted) {
            Neighbour router = session.router();
            if (!there.containsKey(router) || !session.equals(told.get(router))) {
                isChanged = true;
                refusal(() -> tell(session, there.containsKey(router)))
                        .ifPresentOrElse(why -> refusals.put(router, why), () -> told.put(router, session));
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
                LOG.info("routes of {} are not withdrawn: gobgpd: {}", family, told(gone));
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
