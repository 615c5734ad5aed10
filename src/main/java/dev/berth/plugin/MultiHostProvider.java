package dev.berth.plugin;

import dev.berth.plugin.Replies.Answered;
import dev.berth.plugin.Replies.Away;
import dev.berth.plugin.Replies.Failed;
import dev.berth.plugin.Replies.Reply;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One provider over several hosts, each of which has all of its load balancers: whichever of them has an address carries
 * its traffic, and which that is, they settle among themselves. A call goes to all of them at once. What a host missed
 * while it was away, it is asked for again when it is back, before anybody else asks.
 */
public final class MultiHostProvider implements RemoteProvider {
    private static final Logger LOG = LoggerFactory.getLogger(MultiHostProvider.class);

    private final String file;
    private final SequencedMap<String, RemoteProvider> hosts;
    private final ConcurrentMap<ServiceIdentity, Asked> asked = new ConcurrentHashMap<>();

    /** The threads that tell hosts what they missed. */
    private final Map<String, Thread> telling = new ConcurrentHashMap<>();

    /** What each host takes at once, if it says so: it may be notified of what it missed while it is asked for something. */
    private final Map<Limit, Semaphore> places = new ConcurrentHashMap<>();

    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
    private final Pauses pauses;
    private volatile Runnable listener = () -> {};
    private volatile boolean closed;

    private record Limit(String host, int callsAtOnce) {}

    /** What was last asked for one Service. */
    private static final class Asked {
        /** No two calls for one Service at a time. */
        final ReentrantLock turn = new ReentrantLock();

        /** That every host is to have; null: none is to have anything. Guarded by {@link #turn}. */
        @Nullable LoadBalancerRequest request;
    }

    /**
     * Over these hosts, from now on.
     *
     * @param file where they are named, as messages name it
     * @param hosts by what people call them; not empty
     */
    public MultiHostProvider(String file, SequencedMap<String, ? extends RemoteProvider> hosts) {
        this(file, hosts, Pauses.REAL);
    }

    MultiHostProvider(String file, SequencedMap<String, ? extends RemoteProvider> hosts, Pauses pauses) {
        this.file = file;
        this.pauses = pauses;
        this.hosts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(hosts));
        this.hosts.forEach((name, host) -> host.whenChanged(() -> changed(name, host)));
    }

    private void changed(String name, RemoteProvider host) {
        listener.run();
        if (host.isAvailable() && !asked.isEmpty() && !closed) {
            Thread teller = Thread.ofVirtual().name("tell-" + name).unstarted(() -> tell(name, host));
            Thread former = telling.put(name, teller);
            if (former != null) {
                former.interrupt();
            }
            teller.start();
        }
    }

    /** Tells a host that is back all that there is: it may have missed some of it, or have lost its disk. */
    private void tell(String name, RemoteProvider host) {
        List<ServiceIdentity> all = List.copyOf(asked.keySet());
        LOG.info("{} is back, and is notified of {} load balancers", name, all.size());
        try {
            new HostResync(host::isAvailable, service -> tell(name, host, service), pauses).of(all);
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Duration> tell(String name, RemoteProvider host, ServiceIdentity service)
            throws InterruptedException {
        Asked what = asked.get(service);
        if (what == null) {
            return Optional.empty();
        }
        what.turn.lockInterruptibly();
        try {
            LoadBalancerRequest request = what.request;
            return request != null
                            && inPlace(name, capabilities(), () -> host.ensureLoadBalancer(request))
                                    instanceof EnsureOutcome.Pending pending
                    ? Optional.of(pending.retryAfter())
                    : Optional.empty();
        } catch (RuntimeException failure) {
            // Of any kind: the other Services are to be told, and this one again.
            LOG.warn("{} is back, and is notified of Service {}: {}", name, service, failure.toString());
            return again(failure);
        } finally {
            what.turn.unlock();
        }
    }

    /** What it rejects it rejects until it is asked for something else: {@link #ensureLoadBalancer} does that. */
    private static Optional<Duration> again(RuntimeException failure) {
        return switch (failure) {
            case ProviderException rejected
            when rejected.kind() == ProviderException.Kind.PERMANENT -> rejected.retryAfter();
            case ProviderException other -> Optional.of(other.retryAfter().orElse(Duration.ZERO));
            default -> Optional.of(Duration.ZERO);
        };
    }

    @Override
    public SequencedMap<String, RemoteProvider> hosts() {
        return new LinkedHashMap<>(hosts);
    }

    @Override
    public void whenChanged(Runnable listener) {
        this.listener = listener;
    }

    @Override
    public boolean isAvailable() {
        return hosts.values().stream().anyMatch(RemoteProvider::isAvailable);
    }

    @Override
    public boolean awaitConnected(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        boolean any = false;
        for (RemoteProvider host : hosts.values()) {
            any |= host.awaitConnected(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
        return any;
    }

    /** Of the first host that has said it. */
    @Override
    public Capabilities capabilities() {
        ProviderException first = null;
        for (RemoteProvider host : hosts.values()) {
            try {
                return host.capabilities();
            } catch (ProviderException notYet) {
                first = first == null ? notYet : first;
            }
        }
        throw first == null ? new ProviderException("there is no host in " + file) : first;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return ask(host -> host.getLoadBalancerName(service)).answers().getFirst();
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return inTurn(request.service(), what -> Replies.existing(ask(host -> host.getLoadBalancer(request))));
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        return inTurn(request.service(), what -> {
            what.request = request;
            return Replies.ensured(ask(host -> host.ensureLoadBalancer(request)));
        });
    }

    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        inTurn(request.service(), what -> {
            what.request = request;
            return ask(host -> {
                        host.updateLoadBalancer(request);
                        return true;
                    })
                    .answers();
        });
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        inTurn(request.service(), what -> {
            what.request = null;
            ask(host -> {
                        host.ensureLoadBalancerDeleted(request);
                        return true;
                    })
                    .requireAll(file);
            return true;
        });
    }

    /** What any host has, of those that are there. */
    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        SequencedMap<String, ListedLoadBalancer> all = new LinkedHashMap<>();
        ask(host -> host.listLoadBalancers(clusterName))
                .answers()
                .forEach(some -> some.forEach(one -> all.putIfAbsent(one.name(), one)));
        return List.copyOf(all.values());
    }

    @Override
    public void onChange(Consumer<ServiceIdentity> listener) {
        hosts.values().forEach(host -> host.onChange(listener));
    }

    private <T> T inTurn(ServiceIdentity service, Function<Asked, T> call) {
        Asked what = turn(service);
        try {
            return call.apply(what);
        } finally {
            if (what.request == null) {
                asked.remove(service, what);
            }
            what.turn.unlock();
        }
    }

    /** Takes its turn with the one that hosts are notified of: who had it before may have taken it away. */
    private Asked turn(ServiceIdentity service) {
        try {
            while (true) {
                Asked what = asked.computeIfAbsent(service, none -> new Asked());
                what.turn.lockInterruptibly();
                if (what.equals(asked.get(service))) {
                    return what;
                }
                what.turn.unlock();
            }
        } catch (InterruptedException givenUp) {
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", givenUp);
        }
    }

    /** One that is not there says so at once, and whether it is back is found by asking it. */
    private <T> Replies<T> ask(Function<LoadBalancerProvider, T> call) {
        List<Future<Reply<T>>> asking = new ArrayList<>();
        Capabilities usual = capabilities();
        hosts.forEach((name, host) -> asking.add(calls.submit(() -> ask(name, host, usual, call))));
        try {
            List<Reply<T>> replies = new ArrayList<>();
            for (Future<Reply<T>> one : asking) {
                replies.add(one.get());
            }
            return new Replies<>(replies);
        } catch (InterruptedException givenUp) {
            asking.forEach(one -> one.cancel(true));
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", givenUp);
        } catch (ExecutionException bug) {
            throw new IllegalStateException(bug.getCause());
        }
    }

    private <T> Reply<T> ask(
            String name, RemoteProvider host, Capabilities usual, Function<LoadBalancerProvider, T> call) {
        try {
            if (host.isAvailable() && !host.capabilities().equals(usual)) {
                return new Failed<>(
                        name,
                        new ProviderException("it can do something else than the first of the hosts;"
                                + " give all hosts the same version and settings"));
            }
            return new Answered<>(name, inPlace(name, usual, () -> call.apply(host)));
        } catch (ProviderException failure) {
            return host.isAvailable() ? new Failed<>(name, failure) : new Away<>(name, failure);
        }
    }

    /** Makes the call once it is one of those that the host takes at once. */
    private <T> T inPlace(String host, Capabilities usual, Supplier<T> call) {
        if (usual.callLimit().isEmpty()) {
            return call.get();
        }
        Semaphore place = places.computeIfAbsent(
                new Limit(host, usual.callLimit().getAsInt()), limit -> new Semaphore(limit.callsAtOnce(), true));
        try {
            place.acquire();
        } catch (InterruptedException givenUp) {
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", givenUp);
        }
        try {
            return call.get();
        } finally {
            place.release();
        }
    }

    @Override
    public void close() {
        closed = true;
        telling.values().forEach(Thread::interrupt);
        calls.shutdownNow();
        hosts.values().forEach(RemoteProvider::close);
    }
}
