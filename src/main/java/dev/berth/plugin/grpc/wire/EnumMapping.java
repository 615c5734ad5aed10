package dev.berth.plugin.grpc.wire;

import dev.berth.plugin.grpc.v1.AddressSource;
import dev.berth.plugin.grpc.v1.Family;
import dev.berth.plugin.grpc.v1.Feature;
import dev.berth.plugin.grpc.v1.Targets;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.provider.Protocol;
import java.util.List;
import java.util.Optional;

/**
 * The values of one enum of the SPI, and those of the wire: the same names behind a prefix.
 *
 * @param prefix {@code FAMILY_}
 */
record EnumMapping<S extends Enum<S>, W extends Enum<W>>(Class<S> spi, Class<W> wire, String prefix) {
    static final EnumMapping<Capabilities.AddressSource, AddressSource> ADDRESS_SOURCES =
            new EnumMapping<>(Capabilities.AddressSource.class, AddressSource.class, "ADDRESS_SOURCE_");
    static final EnumMapping<IpMode, dev.berth.plugin.grpc.v1.IpMode> IP_MODES =
            new EnumMapping<>(IpMode.class, dev.berth.plugin.grpc.v1.IpMode.class, "IP_MODE_");
    static final EnumMapping<Capabilities.Targets, Targets> TARGETS =
            new EnumMapping<>(Capabilities.Targets.class, Targets.class, "TARGETS_");
    static final EnumMapping<Protocol, dev.berth.plugin.grpc.v1.Protocol> PROTOCOLS =
            new EnumMapping<>(Protocol.class, dev.berth.plugin.grpc.v1.Protocol.class, "PROTOCOL_");
    static final EnumMapping<Capabilities.Family, Family> FAMILIES =
            new EnumMapping<>(Capabilities.Family.class, Family.class, "FAMILY_");
    static final EnumMapping<Capabilities.Feature, Feature> FEATURES =
            new EnumMapping<>(Capabilities.Feature.class, Feature.class, "FEATURE_");

    W write(S value) {
        return Enum.valueOf(wire, prefix + value.name());
    }

    List<W> write(List<S> values) {
        return values.stream().map(this::write).toList();
    }

    /** Absent: it is unspecified, or newer than this Berth. */
    Optional<S> find(W value) {
        for (S one : spi.getEnumConstants()) {
            if (value.name().equals(prefix + one.name())) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    /**
     * The value.
     *
     * @param what it is, human-readable: "the family"
     * @throws ProtocolViolation if it is unspecified or not known here
     */
    S read(W value, String what) {
        return find(value).orElseThrow(() -> new ProtocolViolation(what + " is " + value));
    }

    List<S> read(List<W> values, String what) {
        return values.stream().map(value -> read(value, what)).toList();
    }

    /** Without those that are not known here. */
    List<S> known(List<W> values) {
        return values.stream().flatMap(value -> find(value).stream()).distinct().toList();
    }
}
