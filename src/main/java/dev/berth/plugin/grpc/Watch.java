package dev.berth.plugin.grpc;

import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc.LoadBalancerProviderBlockingStub;
import dev.berth.plugin.grpc.v1.WatchChangesRequest;
import dev.berth.plugin.grpc.v1.WatchChangesResponse;
import dev.berth.plugin.grpc.wire.ChangesMapping;
import dev.berth.plugin.grpc.wire.ProtocolViolation;
import dev.berth.provider.ServiceIdentity;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from a plug-in whose load balancers have changed, as long as it is connected. One that does not say so is asked once
 * on each connection. Whatever comes of it, it does not count as trouble of the plug-in.
 */
final class Watch {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

    /** After each message: what floods is read no faster, and gRPC holds up the plug-in. */
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

    /** For each Service in it. */
    private static final Duration PAUSE = Duration.ofNanos(100_000);

    private final Failures failures;
    private final LoadBalancerProviderBlockingStub stub;
    private volatile @Nullable Consumer<ServiceIdentity> listener;

    /** Null: none was begun. Guarded by this. */
    private @Nullable Thread reader;

    /** On which the reader is, or was; 0: none. Guarded by this. */
    private long connection;

    /** Whether the plug-in says there that it does not report changes. Guarded by this. */
    private boolean isRefused;

    Watch(Failures failures, LoadBalancerProviderBlockingStub stub) {
        this.failures = failures;
        this.stub = stub;
    }

    void tell(Consumer<ServiceIdentity> changed) {
        listener = changed;
    }

    /** Reads on this connection, unless it does, or nobody listens. */
    synchronized void keepUp(long current) {
        Consumer<ServiceIdentity> told = listener;
        Thread former = reader;
        boolean isAnother = current != connection;
        if (told == null || (!isAnother && (isRefused || (former != null && former.isAlive())))) {
            return;
        }
        if (former != null) {
            former.interrupt();
        }
        connection = current;
        isRefused = false;
        reader = Thread.ofVirtual().name("watch-" + failures.plugin()).start(() -> read(told, current));
    }

    private void read(Consumer<ServiceIdentity> told, long on) {
        // When it ends, the call does.
        try (Context.CancellableContext call = Context.ROOT.withCancellation()) {
            call.run(() -> readWithin(told, on));
        }
    }

    private synchronized void refused(long on) {
        isRefused |= on == connection;
    }

    private void readWithin(Consumer<ServiceIdentity> told, long on) {
        try {
            Iterator<WatchChangesResponse> changes = stub.watchChanges(WatchChangesRequest.getDefaultInstance());
            while (changes.hasNext()) {
                List<ServiceIdentity> services = ChangesMapping.read(changes.next());
                services.forEach(told);
                Duration pause = PAUSE.multipliedBy(services.size());
                Thread.sleep(pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause);
            }
        } catch (StatusRuntimeException ended) {
            if (ended.getStatus().getCode() == Status.Code.UNIMPLEMENTED) {
                refused(on);
            }
            LOG.debug("watching for changes: {}", failures.message(ended));
        } catch (ProtocolViolation violation) {
            LOG.warn("watching for changes: {}", failures.message(violation));
        } catch (InterruptedException another) {
            Thread.currentThread().interrupt();
        }
    }
}
