package dev.berth.plugin.grpc.wire;

import dev.berth.provider.Capabilities;

/** What a provider can do, both ways. */
public final class CapabilitiesMapping {
    private static final int MOST_ANNOTATIONS = 100;

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
                .build();
    }

    /**
     * What a plug-in says that it can do; without what this Berth does not know.
     *
     * @throws ProtocolViolation if nothing is left of what a provider has at least one of, or an annotation cannot be
     */
    public static Capabilities read(dev.berth.plugin.grpc.v1.Capabilities wire) {
        ProtocolViolation.refuseMoreThan(MOST_ANNOTATIONS, wire.getAnnotationsCount(), "annotations");
        try {
            return new Capabilities(
                    EnumMapping.ADDRESS_SOURCES.read(wire.getAddressSource(), "address_source"),
                    EnumMapping.IP_MODES.known(wire.getIpModesList()),
                    EnumMapping.TARGETS.read(wire.getTargets(), "targets"),
                    EnumMapping.PROTOCOLS.known(wire.getProtocolsList()),
                    EnumMapping.FAMILIES.known(wire.getFamiliesList()),
                    EnumMapping.FEATURES.known(wire.getFeaturesList()),
                    wire.getAnnotationsList().stream()
                            .map(TextLimits::annotation)
                            .toList(),
                    wire.getImmediate());
        } catch (IllegalArgumentException incomplete) {
            throw new ProtocolViolation(String.valueOf(incomplete.getMessage()));
        }
    }
}
