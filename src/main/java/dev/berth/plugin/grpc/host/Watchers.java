package dev.berth.plugin.grpc.host;

import dev.berth.plugin.grpc.v1.WatchChangesResponse;
import dev.berth.plugin.grpc.wire.ChangesMapping;
import dev.berth.provider.ServiceIdentity;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Those who watch for changes. What one of them has not taken yet is kept for it, each Service once. */
final class Watchers {
    /** More than Berth has Services at one provider; what is left out, it finds when it next compares all of them. */
    private static final int MOST_KEPT = 100_000;

    private final Set<Watcher> all = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    /** Until it goes, or {@link #end}. */
    void add(StreamObserver<WatchChangesResponse> observer) {
        Watcher watcher = new Watcher((ServerCallStreamObserver<WatchChangesResponse>) observer);
        watcher.stream.setOnCancelHandler(() -> all.remove(watcher));
        watcher.stream.setOnReadyHandler(watcher::send);
        all.add(watcher);
        if (ended) {
            watcher.end();
        }
    }

    /** Called by the provider, on any thread: it neither waits nor throws. */
    void changed(@Nullable ServiceIdentity service) {
        if (service != null && service.namespace() != null && service.name() != null && service.uid() != null) {
            all.forEach(watcher -> watcher.keep(service));
        }
    }

    /** None of them is notified any more, and none that comes. */
    void end() {
        ended = true;
        all.forEach(Watcher::end);
        all.clear();
    }

    private static final class Watcher {
        private final ServerCallStreamObserver<WatchChangesResponse> stream;

        /** Guarded by this, as is the stream. */
        private final SequencedSet<ServiceIdentity> kept = new LinkedHashSet<>();

        private boolean isOver;

        private Watcher(ServerCallStreamObserver<WatchChangesResponse> stream) {
            this.stream = stream;
        }

        private synchronized void keep(ServiceIdentity service) {
            if (kept.size() < MOST_KEPT) {
                kept.add(service);
            }
            send();
        }

        private synchronized void send() {
            while (!isOver && !kept.isEmpty() && stream.isReady() && !stream.isCancelled()) {
                List<ServiceIdentity> some = new ArrayList<>();
                while (!kept.isEmpty() && some.size() < ChangesMapping.MOST_SERVICES) {
                    some.add(kept.removeFirst());
                }
                stream.onNext(ChangesMapping.write(some));
            }
        }

        private synchronized void end() {
            if (!isOver) {
                isOver = true;
                stream.onCompleted();
            }
        }
    }
}
