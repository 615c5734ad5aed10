package dev.berth.app;

import dev.berth.announce.Announcement;
import dev.berth.announce.Announcements;
import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Timing;
import dev.berth.controller.Wakeups;
import dev.berth.controller.address.AddressConditions;
import dev.berth.controller.announcement.AnnouncementControl;
import dev.berth.controller.announcement.ReportReconciler;
import dev.berth.controller.bgppeer.PeerControl;
import dev.berth.controller.bgppeer.PeerReconciler;
import dev.berth.ip.Ip;
import dev.berth.kube.AgentLeases;
import dev.berth.kube.AgentReports;
import dev.berth.kube.Caches;
import dev.berth.kube.FieldManagers;
import dev.berth.kube.StatusWriter;
import dev.berth.kube.Trimmed;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.telemetry.AnnouncementMeters;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who is given what of what reads the agents' reports: who announces each address, and how the sessions with routers are. */
final class AnnouncementWiring implements AnnouncementMeters.Counts {
    /** How many AgentReports and BGPPeers are listed at once: each may name 1,000 addresses or nodes. */
    private static final long PAGE = 50;

    private final Caches caches;
    private final AnnouncementControl announcements;
    private final PeerControl peers;
    private final Supplier<ClassSet> classes;
    private final Wakeups<AgentReport> reportWakeups;
    private final Wakeups<BGPPeer> peerWakeups;

    /** @param changed notified of the addresses of which something else may be said; be quick */
    AnnouncementWiring(
            LoopParts parts,
            AgentLeases agents,
            Ledger ledger,
            StatusWriter statuses,
            Supplier<ClassSet> classes,
            Consumer<Collection<Ip>> changed) {
        caches = parts.caches();
        this.classes = classes;
        Timing timing = parts.timing();
        reportWakeups = new Wakeups<>("agent-report-wakeups", timing.later());
        peerWakeups = new Wakeups<>("bgp-peer-wakeups", timing.later());
        announcements = new AnnouncementControl(
                parts.gate(),
                new AnnouncementControl.Agents(
                        node -> caches.agentReports()
                                .get(null, node)
                                .filter(report -> isNode(node))
                                .map(AgentReports::of),
                        () -> caches.agentReports()
                                .list()
                                .map(report -> report.getMetadata().getName())
                                .toList(),
                        agents::renewals),
                () -> ledger.holdings().stream().map(Holding::ip).toList(),
                classes,
                changed,
                timing);
        peers = new PeerControl(
                parts.gate(),
                this::isNode,
                agents::renewals,
                new PeerControl.Writes() {
                    @Override
                    public boolean summary(BGPPeer peer, Map<String, Object> fields) {
                        return statuses.write(peer, fields);
                    }

                    @Override
                    public boolean entries(BGPPeer peer, List<Map<String, Object>> operations) {
                        return statuses.change(peer, operations);
                    }

                    @Override
                    public boolean entry(BGPPeer peer, BGPPeer.NodeSession session) {
                        return statuses.apply(
                                peer, FieldManagers.agent(session.node()), Map.of("nodes", List.of(session)));
                    }
                },
                timing.clock(),
                timing.steady());
    }

    /** Has its kinds watched. */
    void register(Controllers controllers) {
        controllers.register(
                new ReportReconciler(caches, announcements, reportWakeups),
                "agentreport",
                InformerConfiguration.builder(AgentReport.class)
                        .withInformerListLimit(PAGE)
                        .withItemStore(Trimmed.any())
                        .buildForController());
        controllers.register(
                new PeerReconciler(peers, peerWakeups),
                "bgppeer",
                InformerConfiguration.builder(BGPPeer.class)
                        .withInformerListLimit(PAGE)
                        .withItemStore(Trimmed.any())
                        .buildForController());
    }

    /** Before the gate opens: what was reported until now. */
    void adopt() {
        announcements.adopt();
    }

    /** What agents say, as it is known now. */
    Announcements known() {
        return announcements.known();
    }

    /** Who announces an address that was claimed for a class; absent: agents do not announce addresses of that class. */
    Optional<Announcement> of(Ip ip, @Nullable String classValue) {
        return announcements.of(ip, classValue);
    }

    @Override
    public long unannounced() {
        return shown(AnnouncementWiring::isUnannounced);
    }

    @Override
    public long silentAgents() {
        return announcements.silentAgents();
    }

    @Override
    public long conflicting() {
        return shown(said -> Announcement.isDisturbed(Objects.requireNonNullElse(said.reason(), "")));
    }

    @Override
    public long sessions(String state) {
        return peers.countSessions(state);
    }

    /** How many addresses show this of who announces them; what another Berth shows that one counts. */
    private long shown(Predicate<Address.Announcement> what) {
        ClassSet now = classes.get();
        return caches.addresses()
                .list()
                .filter(address -> AddressConditions.isOurs(address, now::isServedElsewhere))
                .map(Address::getStatus)
                .filter(status -> status != null && status.announcement() != null && what.test(status.announcement()))
                .count();
    }

    private static boolean isUnannounced(Address.Announcement said) {
        return Announcement.NOBODY.equals(said.by())
                && !Announcement.isForWantOfEndpoints(Objects.requireNonNullElse(said.reason(), ""));
    }

    private boolean isNode(String name) {
        return caches.nodes().get(null, name).isPresent();
    }
}
