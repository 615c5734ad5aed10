package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.AddPathRequest;
import dev.berth.agent.bgp.v1.DeletePathRequest;
import dev.berth.agent.bgp.v1.ListPathRequest;
import dev.berth.agent.bgp.v1.TableType;
import dev.berth.announce.Prefix;
import dev.berth.announce.Route;
import dev.berth.ip.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What gobgpd announces, as it was told. One thread. */
final class AnnouncedRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(AnnouncedRoutes.class);

    private final Daemon daemon;

    /** What it announces; absent: a route of which the agent before this one told it. */
    private final SequencedMap<Prefix, Optional<Route>> announced = new TreeMap<>();

    /** It announces these and no others; null: that has to be looked at. */
    private @Nullable List<Route> kept;

    /** What it refused last of a route; empty: nothing. */
    private String refused = "";

    AnnouncedRoutes(Daemon daemon) {
        this.daemon = daemon;
    }

    /** Nothing is known of it. */
    void forget() {
        announced.clear();
        kept = null;
    }

    /** What the agent before this one, or this one before it lost sight of the daemon, has told it. */
    void read() {
        forget();
        for (IpFamily family : IpFamily.values()) {
            daemon.call()
                    .listPath(ListPathRequest.newBuilder()
                            .setTableType(TableType.TABLE_TYPE_GLOBAL)
                            .setFamily(Messages.family(family))
                            .build())
                    .forEachRemaining(route -> {
                        announced.put(Prefix.parse(route.getDestination().getPrefix()), Optional.empty());
                    });
        }
    }

    /** Has it announce these and no others. */
    void keep(List<Route> routes) {
        if (routes.equals(kept)) {
            return;
        }
        kept = null;
        Map<Prefix, Route> wanted = routes.stream().collect(Collectors.toMap(Route::prefix, route -> route));
        List<String> refusals = new ArrayList<>();
        for (Prefix prefix : List.copyOf(announced.sequencedKeySet())) {
            if (!wanted.containsKey(prefix)) {
                Daemon.refusal(() -> withdraw(prefix)).ifPresentOrElse(refusals::add, () -> announced.remove(prefix));
            }
        }
        for (Route route : routes) {
            if (!Optional.of(route).equals(announced.get(route.prefix()))) {
                Daemon.refusal(() -> announce(route))
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

    private void announce(Route route) {
        var _ = daemon.call()
                .addPath(AddPathRequest.newBuilder()
                        .setTableType(TableType.TABLE_TYPE_GLOBAL)
                        .setPath(Messages.path(route))
                        .build());
    }

    private void withdraw(Prefix prefix) {
        var _ = daemon.call()
                .deletePath(DeletePathRequest.newBuilder()
                        .setTableType(TableType.TABLE_TYPE_GLOBAL)
                        .setFamily(Messages.family(prefix.network().family()))
                        .setPath(Messages.withdrawal(prefix))
                        .build());
    }
}
