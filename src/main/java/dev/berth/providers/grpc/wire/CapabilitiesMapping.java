package dev.berth.providers.grpc.wire;

import dev.berth.provider.Capabilities;

/** What a provider can do, both ways. */
public final class CapabilitiesMapping {
    private static final int MOST_ANNOTATIONS = 100;

    private CapabilitiesMapping() {}

    /** What a plug-in reports about itself. */
    public static dev.berth.providers.grpc.v1.Capabilities write(Capabilities capabilities) {
        return dev.berth.providers.grpc.v1.Capabilities.newBuilder()
                .setAddressSource(Words.ADDRESS_SOURCES.write(capabilities.addresses()))
                .addAllIpModes(Words.IP_MODES.write(capabilities.ipModes()))
                .setTargets(Words.TARGETS.write(capabilities.targets()))
                .addAllProtocols(Words.PROTOCOLS.write(capabilities.protocols()))
                .addAllFamilies(Words.FAMILIES.write(capabilities.families()))
                .addAllFeatures(Words.FEATURES.write(capabilities.features()))
                .addAllAnnotations(capabilities.annotations())
                .setImmediate(capabilities.immediate())
                .build();
    }

    /**
     * What a plug-in says that it can do; without what this Berth does not know.
     *
     * @throws Nonsense if nothing is left of what a provider has at least one of, or an annotation cannot be
     */
    public static Capabilities read(dev.berth.providers.grpc.v1.Capabilities wire) {
        Nonsense.refuseMoreThan(MOST_ANNOTATIONS, wire.getAnnotationsCount(), "annotations");
        try {
            return new Capabilities(
                    Words.ADDRESS_SOURCES.read(wire.getAddressSource(), "address_source"),
                    Words.IP_MODES.known(wire.getIpModesList()),
                    Words.TARGETS.read(wire.getTargets(), "targets"),
                    Words.PROTOCOLS.known(wire.getProtocolsList()),
                    Words.FAMILIES.known(wire.getFamiliesList()),
                    Words.FEATURES.known(wire.getFeaturesList()),
                    wire.getAnnotationsList().stream().map(Texts::annotation).toList(),
                    wire.getImmediate());
        } catch (IllegalArgumentException incomplete) {
            throw new Nonsense(String.valueOf(incomplete.getMessage()));
        }
    }
}
