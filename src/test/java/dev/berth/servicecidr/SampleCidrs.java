package dev.berth.servicecidr;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes ServiceCIDRs for tests. */
public final class SampleCidrs {
    /** When they were made. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private SampleCidrs() {}

    /** A ServiceCIDR that nobody has looked after yet. */
    public static ServiceCidr cidr(String name, String... ranges) {
        return new ServiceCidr(
                name,
                "uid-" + name,
                Stream.of(ranges).map(ServiceRange::parse).toList(),
                List.of(),
                START,
                null,
                null,
                null,
                false,
                false,
                List.of(),
                null);
    }

    /** The same, made then. */
    public static ServiceCidr created(ServiceCidr cidr, String uid, Instant when) {
        return new ServiceCidr(
                cidr.name(),
                uid,
                cidr.ranges(),
                cidr.unreadable(),
                when,
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                cidr.madeByBerth(),
                cidr.acknowledged(),
                cidr.retire());
    }

    /** One that its controller has found ready. */
    public static ServiceCidr ready(String name, String... ranges) {
        return with(with(cidr(name, ranges), ReadyCondition.READY), true);
    }

    public static ServiceCidr with(ServiceCidr cidr, boolean finalizer) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                finalizer,
                cidr.madeByBerth(),
                cidr.acknowledged(),
                cidr.retire());
    }

    public static ServiceCidr with(ServiceCidr cidr, ReadyCondition ready) {
        return with(cidr, ready, START);
    }

    public static ServiceCidr with(ServiceCidr cidr, ReadyCondition ready, Instant since) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                ready,
                since,
                cidr.finalizer(),
                cidr.madeByBerth(),
                cidr.acknowledged(),
                cidr.retire());
    }

    public static ServiceCidr deleted(ServiceCidr cidr, Instant when) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                when,
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                cidr.madeByBerth(),
                cidr.acknowledged(),
                cidr.retire());
    }

    public static ServiceCidr madeByBerth(ServiceCidr cidr) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                true,
                cidr.acknowledged(),
                cidr.retire());
    }

    public static ServiceCidr acknowledged(ServiceCidr cidr, String... reasons) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                cidr.madeByBerth(),
                List.of(reasons),
                cidr.retire());
    }

    /** One that is asked to retire. */
    public static ServiceCidr retiring(ServiceCidr cidr) {
        return retiring(cidr, "true");
    }

    public static ServiceCidr retiring(ServiceCidr cidr, @Nullable String annotation) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                cidr.madeByBerth(),
                cidr.acknowledged(),
                annotation);
    }

    public static ServiceCidr unreadable(ServiceCidr cidr, String text) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid(),
                cidr.ranges(),
                List.of(text),
                cidr.created(),
                cidr.deletedAt(),
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                cidr.madeByBerth(),
                cidr.acknowledged(),
                cidr.retire());
    }

    public static ServiceCidr reborn(ServiceCidr cidr) {
        return new ServiceCidr(
                cidr.name(),
                cidr.uid() + "-2",
                cidr.ranges(),
                cidr.unreadable(),
                cidr.created(),
                null,
                cidr.ready(),
                cidr.readySince(),
                cidr.finalizer(),
                cidr.madeByBerth(),
                cidr.acknowledged(),
                null);
    }
}
