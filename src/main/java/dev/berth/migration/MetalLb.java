package dev.berth.migration;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** How MetalLB announces addresses, in Berth's kinds. Pools are not exported: docs/migration/metallb.md. */
public final class MetalLb {
    private MetalLb() {}

    /**
     * What becomes of each object, peers first, in the order that they were given in.
     *
     * @param objects as the API server has them; a kind may be missing
     */
    public static List<Exported> export(Map<MetalLbKind, List<JsonNode>> objects) {
        SequencedMap<String, List<String>> peerNames = new LinkedHashMap<>();
        List<Exported> exported = new ArrayList<>();
        List<Foreign> peers = of(objects, MetalLbKind.BGP_PEER);
        List<String> taken = peers.stream().map(Foreign::name).toList();
        peers.forEach(object -> {
            MetalLbPeer peer = new MetalLbPeer(object, taken::contains);
            peerNames.put(object.name(), peer.names());
            exported.add(peer.export());
        });
        of(objects, MetalLbKind.BFD_PROFILE)
                .forEach(
                        profile -> exported.add(
                                new Exported(
                                        "BFDProfile \"" + profile.name() + "\"",
                                        List.of(),
                                        List.of(
                                                "not exported: Berth's speaker has no BFD; a shorter holdTime notices a dead node sooner"))));
        List<Foreign> pools = of(objects, MetalLbKind.IP_ADDRESS_POOL);
        List<MetalLbAdvertisement> advertisements = Stream.of(
                        MetalLbKind.BGP_ADVERTISEMENT, MetalLbKind.L2_ADVERTISEMENT)
                .flatMap(
                        kind -> of(objects, kind).stream().map(object -> new MetalLbAdvertisement(kind, object, pools)))
                .toList();
        Map<String, String> communities = communities(of(objects, MetalLbKind.COMMUNITY));
        advertisements.forEach(one -> exported.add(one.export(peerNames, communities)));
        pools.forEach(pool -> {
            List<MetalLbAdvertisement> all = advertisements.stream()
                    .filter(one -> one.isFor(pool.name()))
                    .toList();
            if (all.size() > 1) {
                exported.add(new Exported(
                        "IPAddressPool \"" + pool.name() + "\"",
                        List.of(),
                        List.of(
                                "its addresses are announced by %s at once; a Service has one class, so choose one of %s"
                                        .formatted(
                                                String.join(", ", each(all, true)),
                                                String.join(", ", each(all, false))))));
            }
        });
        return exported;
    }

    private static List<String> each(List<MetalLbAdvertisement> all, boolean origins) {
        return all.stream().map(one -> origins ? one.origin() : one.className()).toList();
    }

    private static List<Foreign> of(Map<MetalLbKind, List<JsonNode>> objects, MetalLbKind kind) {
        return objects.getOrDefault(kind, List.of()).stream().map(Foreign::new).toList();
    }

    private static Map<String, String> communities(List<Foreign> objects) {
        Map<String, String> byName = new TreeMap<>();
        objects.stream()
                .flatMap(object -> object.elements("communities"))
                .forEach(one -> byName.putIfAbsent(
                        one.path("name").asText(""), one.path("value").asText("")));
        return byName;
    }
}
