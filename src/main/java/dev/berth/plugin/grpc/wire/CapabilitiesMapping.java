package dev.berth.plugin.grpc.wire;

import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.provider.Protocol;

/** What a provider can do, both ways. */
public final class CapabilitiesMapping {
    private static final int MOST_ANNOTATIONS = 100;
    private static final int NO_LIMIT = 0;

    private CapabilitiesMapping() {}

    /** What a plug-in reports about itself. */
    public static dev.berth.plugin.grpc.v1.Capabilities write(Capabilities capabilities) {
        return dev.berth.plugin.grpc.v1.Capabilities.newBuilder()
                .setAddressSource(EnumMapping.ADDRESS_SOURCES.write(capabilities.addresses()))
                .addAllIpModes(EnumMapping.IP_MODES.write(capabilities.ipModes()))
                .setTargets(EnumMapping.TARGETS.write(capabilities.targets()))
                .addAllProtocols(EnumMapping.PROTOCOLS.write(capabilities.protocols()))
                .addAllFamilies(EnumMapping.FAMILIES.write(capabilities.families()))
                .addAllFeatures(EnumMapping.FEATURES.write(capabilities.features()))
                .addAllAnnotations(capabilities.annotations())
                .setImmediate(capabilities.immediate())
                .setCallLimit(capabilities.callLimit().orElse(NO_LIMIT))
                .build();
    }

    /**
     * What a plug-in says that it can do; without what this Berth does not know.
     *
     * @throws ProtocolViolation if nothing is left of what a provider has at least one of, or an annotation or the call limit
     *     cannot be
     */
    public static Capabilities read(dev.berth.plugin.grpc.v1.Capabilities wire) {
        ProtocolViolation.refuseMoreThan(MOST_ANNOTATIONS, wire.getAnnotationsCount(), "annotations");
        try {
            IpMode[] ipModes = EnumMapping.IP_MODES.known(wire.getIpModesList()).toArray(new IpMode[0]);
            Capabilities known = switch (EnumMapping.ADDRESS_SOURCES.read(wire.getAddressSource(), "address_source")) {
                case POOLS -> Capabilities.fromPools(ipModes);
                case PROVIDER -> Capabilities.ofItsOwn(ipModes);
            };
            Capabilities whole = known.withTargets(EnumMapping.TARGETS.read(wire.getTargets(), "targets"))
                    .withProtocols(
                            EnumMapping.PROTOCOLS.known(wire.getProtocolsList()).toArray(new Protocol[0]))
                    .withFamilies(
                            EnumMapping.FAMILIES.known(wire.getFamiliesList()).toArray(new Capabilities.Family[0]))
                    .withFeatures(
                            EnumMapping.FEATURES.known(wire.getFeaturesList()).toArray(new Capabilities.Feature[0]))
                    .withAnnotations(wire.getAnnotationsList().stream()
                            .map(TextLimits::annotation)
                            .toArray(String[]::new))
                    .withImmediate(wire.getImmediate());
            return wire.getCallLimit() == NO_LIMIT ? whole : whole.withCallLimit(wire.getCallLimit());
        } catch (IllegalArgumentException incomplete) {
            throw new ProtocolViolation(String.valueOf(incomplete.getMessage()));
        }
    }
}
