package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.AddPathRequest;
import dev.berth.agent.bgp.v1.AddPathResponse;
import dev.berth.agent.bgp.v1.AddPeerRequest;
import dev.berth.agent.bgp.v1.AddPeerResponse;
import dev.berth.agent.bgp.v1.DeletePathRequest;
import dev.berth.agent.bgp.v1.DeletePathResponse;
import dev.berth.agent.bgp.v1.DeletePeerRequest;
import dev.berth.agent.bgp.v1.DeletePeerResponse;
import dev.berth.agent.bgp.v1.Destination;
import dev.berth.agent.bgp.v1.GetBgpRequest;
import dev.berth.agent.bgp.v1.GetBgpResponse;
import dev.berth.agent.bgp.v1.Global;
import dev.berth.agent.bgp.v1.GoBgpServiceGrpc;
import dev.berth.agent.bgp.v1.ListPathRequest;
import dev.berth.agent.bgp.v1.ListPathResponse;
import dev.berth.agent.bgp.v1.ListPeerRequest;
import dev.berth.agent.bgp.v1.ListPeerResponse;
import dev.berth.agent.bgp.v1.Path;
import dev.berth.agent.bgp.v1.Peer;
import dev.berth.agent.bgp.v1.PeerConf;
import dev.berth.agent.bgp.v1.PeerState;
import dev.berth.agent.bgp.v1.ResetPeerRequest;
import dev.berth.agent.bgp.v1.ResetPeerResponse;
import dev.berth.agent.bgp.v1.SetPoliciesRequest;
import dev.berth.agent.bgp.v1.SetPoliciesResponse;
import dev.berth.agent.bgp.v1.SetPolicyAssignmentRequest;
import dev.berth.agent.bgp.v1.SetPolicyAssignmentResponse;
import dev.berth.agent.bgp.v1.StartBgpRequest;
import dev.berth.agent.bgp.v1.StartBgpResponse;
import dev.berth.agent.bgp.v1.UpdatePeerRequest;
import dev.berth.agent.bgp.v1.UpdatePeerResponse;
import dev.berth.agent.bgp.v1.WatchEventRequest;
import dev.berth.agent.bgp.v1.WatchEventResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Remembers what it is told, as GoBGP's daemon does. Each session is established at once. */
final class FakeSpeaker extends GoBgpServiceGrpc.GoBgpServiceImplBase {
    /** What changed it, in order, without rules. */
    final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    private final Map<String, Path> paths = new TreeMap<>();
    private final Map<String, Peer> peers = new TreeMap<>();
    /** Whose session is over for a moment, as its terms were changed. */
    private final Set<String> resetting = new TreeSet<>();

    private Global global = Global.getDefaultInstance();
    private SetPoliciesRequest rules = SetPoliciesRequest.getDefaultInstance();

    /** An address that it will have no route and no peer for. */
    private volatile String refused = "";

    synchronized void restart() {
        paths.clear();
        peers.clear();
        global = Global.getDefaultInstance();
        calls.clear();
    }

    /** Answers no call any more. */
    void hang() {
        isHanging = true;
    }

    void refuse(String address) {
        refused = address;
    }

    private volatile boolean isHanging;

    /** Those that listen, or have. */
    final List<StreamObserver<WatchEventResponse>> watchers = new CopyOnWriteArrayList<>();

    /** How often it was looked at. */
    final AtomicInteger looks = new AtomicInteger();

    private <T> void answer(StreamObserver<T> caller, T answer) {
        caller.onNext(answer);
        caller.onCompleted();
    }

    private boolean refuses(StreamObserver<?> caller, String address) {
        if (!refused.isEmpty() && address.equals(refused)) {
            caller.onError(Status.UNKNOWN.withDescription("no " + address).asRuntimeException());
            return true;
        }
        return false;
    }

    @Override
    public synchronized void getBgp(GetBgpRequest request, StreamObserver<GetBgpResponse> caller) {
        looks.incrementAndGet();
        if (isHanging) {
            return;
        }
        answer(caller, GetBgpResponse.newBuilder().setGlobal(global).build());
    }

    @Override
    public synchronized void startBgp(StartBgpRequest request, StreamObserver<StartBgpResponse> caller) {
        global = request.getGlobal();
        calls.add("start");
        answer(caller, StartBgpResponse.getDefaultInstance());
    }

    @Override
    public void watchEvent(WatchEventRequest request, StreamObserver<WatchEventResponse> caller) {
        watchers.add(caller);
    }

    /** Nothing else happens to its sessions. */
    void tell(String address, PeerState state) {
        watchers.getLast()
                .onNext(WatchEventResponse.newBuilder()
                        .setPeer(WatchEventResponse.PeerEvent.newBuilder()
                                .setPeer(Peer.newBuilder()
                                        .setConf(PeerConf.newBuilder().setNeighborAddress(address))
                                        .setState(state)))
                        .build());
    }

    @Override
    public synchronized void setPolicies(SetPoliciesRequest request, StreamObserver<SetPoliciesResponse> caller) {
        rules = request;
        answer(caller, SetPoliciesResponse.getDefaultInstance());
    }

    @Override
    public void setPolicyAssignment(
            SetPolicyAssignmentRequest request, StreamObserver<SetPolicyAssignmentResponse> caller) {
        answer(caller, SetPolicyAssignmentResponse.getDefaultInstance());
    }

    @Override
    public synchronized void addPath(AddPathRequest request, StreamObserver<AddPathResponse> caller) {
        String address = request.getPath().getNlri().getPrefix().getPrefix();
        if (!refuses(caller, address)) {
            paths.put(address, request.getPath());
            calls.add("route " + address);
            answer(caller, AddPathResponse.getDefaultInstance());
        }
    }

    @Override
    public synchronized void deletePath(DeletePathRequest request, StreamObserver<DeletePathResponse> caller) {
        String address = request.getPath().getNlri().getPrefix().getPrefix();
        if (isHanging || refuses(caller, address)) {
            return;
        }
        if (address.isEmpty()) {
            paths.clear();
        }
        paths.remove(address);
        calls.add("no route " + address);
        answer(caller, DeletePathResponse.getDefaultInstance());
    }

    @Override
    public synchronized void listPath(ListPathRequest request, StreamObserver<ListPathResponse> caller) {
        paths.values().stream()
                .filter(path -> path.getFamily().equals(request.getFamily()))
                .map(path -> path.getNlri().getPrefix())
                .forEach(prefix -> caller.onNext(ListPathResponse.newBuilder()
                        .setDestination(
                                Destination.newBuilder().setPrefix(prefix.getPrefix() + "/" + prefix.getPrefixLen()))
                        .build()));
        caller.onCompleted();
    }

    @Override
    public synchronized void addPeer(AddPeerRequest request, StreamObserver<AddPeerResponse> caller) {
        String address = request.getPeer().getConf().getNeighborAddress();
        if (!refuses(caller, address)) {
            peers.put(address, request.getPeer());
            boolean isRestarting = request.getPeer().getGracefulRestart().getLocalRestarting();
            calls.add((isRestarting ? "peer, restarting, " : "peer ") + address);
            answer(caller, AddPeerResponse.getDefaultInstance());
        }
    }

    @Override
    public synchronized void updatePeer(UpdatePeerRequest request, StreamObserver<UpdatePeerResponse> caller) {
        String of = request.getPeer().getConf().getNeighborAddress();
        Peer before = peers.put(of, request.getPeer());
        if (before != null && !before.getConf().equals(request.getPeer().getConf())) {
            resetting.add(of);
        }
        calls.add("peer again " + request.getPeer().getConf().getNeighborAddress());
        answer(caller, UpdatePeerResponse.getDefaultInstance());
    }

    @Override
    public synchronized void resetPeer(ResetPeerRequest request, StreamObserver<ResetPeerResponse> caller) {
        calls.add("%s %s, next hop %s"
                .formatted(
                        request.getSoft() ? "soft" : "hard",
                        request.getDirection(),
                        rules.getPoliciesList().stream()
                                .flatMap(policy -> policy.getStatementsList().stream())
                                .map(statement ->
                                        statement.getActions().getNexthop().getAddress())
                                .filter(nextHop -> !nextHop.isEmpty())
                                .findFirst()
                                .orElse("of the route")));
        answer(caller, ResetPeerResponse.getDefaultInstance());
    }

    @Override
    public synchronized void deletePeer(DeletePeerRequest request, StreamObserver<DeletePeerResponse> caller) {
        if (refuses(caller, request.getAddress())) {
            return;
        }
        peers.remove(request.getAddress());
        calls.add("no peer " + request.getAddress());
        answer(caller, DeletePeerResponse.getDefaultInstance());
    }

    @Override
    public synchronized void listPeer(ListPeerRequest request, StreamObserver<ListPeerResponse> caller) {
        peers.forEach((address, peer) -> caller.onNext(ListPeerResponse.newBuilder()
                .setPeer(peer.toBuilder()
                        .setState(PeerState.newBuilder()
                                .setSessionState(
                                        resetting.contains(address)
                                                ? PeerState.SessionState.SESSION_STATE_IDLE
                                                : PeerState.SessionState.SESSION_STATE_ESTABLISHED)))
                .build()));
        resetting.clear();
        caller.onCompleted();
    }
}
