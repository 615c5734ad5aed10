package dev.berth.plugin.grpc;

import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.plugin.grpc.transport.Transport;
import dev.berth.plugin.grpc.v1.ConnectRequest;
import dev.berth.plugin.grpc.v1.ConnectResponse;
import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc;
import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc.LoadBalancerProviderBlockingStub;
import dev.berth.plugin.grpc.wire.CapabilitiesMapping;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.plugin.grpc.wire.ProtocolViolation;
import dev.berth.provider.Capabilities;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import io.grpc.Attributes;
import io.grpc.ClientTransportFilter;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one plug-in. Its own thread keeps it up: each time it is established again, the plug-in is asked
 * what
 * it can do, before any other call.
 */
final class Connection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** How often to try, as long as there is no connection; and at most, however often it breaks and comes about. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

    /** Beside the longest deadline there is, it fits into the time after which Berth gives up any call. */
    private static final Duration OF_A_QUESTION = Duration.ofSeconds(5);

    private final String plugin;
    private final Duration deadline;
    private final Failures failures;
    private final Breaker breaker;
    private final Watch watch;
    private final @Nullable Tls tls;
    private final ManagedChannel channel;
    private final LoadBalancerProviderBlockingStub stub;

    /** How many times it came about. */
    private final AtomicLong connections = new AtomicLong();

    private final CountDownLatch wasUp = new CountDownLatch(1);
    private volatile Known known;
    private volatile Runnable listener = () -> {};
    private final Thread keeper;

    /** When it was last greeted, by {@link System#nanoTime}. The keeper's alone. */
    private long greeted = System.nanoTime() - RETRY.toNanos();

    /** The keeper's alone. */
    private final ChannelWait leaving;

    /**
     * What the plug-in said last.
     *
     * @param capabilities null: there is no talking to it yet, or any more
     * @param connection on which it said so; 0: there is none any more
     * @param trouble why it cannot be called; empty: it can
     */
    private record Known(@Nullable Capabilities capabilities, long connection, String trouble) {}

    Connection(String plugin, GrpcSettings settings, Clock clock) {
        this.plugin = plugin;
        deadline = settings.deadline();
        failures = new Failures(plugin, deadline);
        breaker = new Breaker(failures, clock, this::connect, () -> listener.run());
        tls = settings.files() == null ? null : Tls.ofClient(settings.files(), LOOK_AGAIN);
        channel = Transport.channel(settings.target(), tls, settings.serverName(), settings.keepAlive())
                .addTransportFilter(new ClientTransportFilter() {
                    @Override
                    public Attributes transportReady(Attributes transport) {
                        connections.incrementAndGet();
                        return transport;
                    }
                })
                .build();
        stub = LoadBalancerProviderGrpc.newBlockingStub(channel);
        watch = new Watch(failures, stub);
        leaving = new ChannelWait(channel);
        known = new Known(null, 0, "plug-in \"" + plugin + "\" at " + settings.target() + " has not answered yet");
        keeper = Thread.ofVirtual().name("plugin-" + plugin).start(this::keepUp);
    }

    void whenChanged(Runnable told) {
        listener = told;
    }

    /** Has {@code told} notified whose load balancers have changed, by a plug-in that says so. */
    void onChange(Consumer<ServiceIdentity> told) {
        watch.tell(told);
        Known now = known;
        if (isUp(now)) {
            watch.keepUp(now.connection());
        }
    }

    Capabilities capabilities() {
        Known now = known;
        if (now.capabilities() == null) {
            throw new ProviderException(now.trouble());
        }
        return now.capabilities();
    }

    boolean isAvailable() {
        return isUp(known) && !breaker.leavesAlone();
    }

    boolean awaitUp(Duration atMost) throws InterruptedException {
        return wasUp.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Makes a call, or several that have one deadline together.
     *
     * @param about the Service that it is for; null: none
     * @throws ProviderException if it failed, or the plug-in is away, or calls to it are paused
     */
    <T> T call(@Nullable ServiceIdentity about, Function<LoadBalancerProviderBlockingStub, T> call) {
        Known now = known;
        if (!isUp(now)) {
            throw new ProviderException(
                    now.trouble().isEmpty() ? "plug-in \"" + plugin + "\" is just being connected to" : now.trouble());
        }
        return breaker.call(about, () -> call.apply(beforeDeadline()));
    }

    /**
     * Asks for something that nothing depends on, with a short deadline: whatever comes of it does not say whether the
     * plug-in works.
     *
     * @throws ProviderException if there is no answer, or the plug-in is away, or calls to it are paused
     */
    <T> T ask(Function<LoadBalancerProviderBlockingStub, T> call) {
        if (!isAvailable()) {
            throw new ProviderException("plug-in \"" + plugin + "\" is not called now");
        }
        Duration most = deadline.compareTo(OF_A_QUESTION) < 0 ? deadline : OF_A_QUESTION;
        try {
            return call.apply(stub.withDeadlineAfter(most.toMillis(), TimeUnit.MILLISECONDS));
        } catch (StatusRuntimeException | ProtocolViolation failure) {
            throw new Failures(plugin, most).told(failure);
        }
    }

    private LoadBalancerProviderBlockingStub beforeDeadline() {
        return stub.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS);
    }

    private boolean isUp(Known now) {
        return now.trouble().isEmpty()
                && now.connection() == connections.get()
                && channel.getState(false) == ConnectivityState.READY;
    }

    private void keepUp() {
        try {
            for (ConnectivityState state; (state = channel.getState(true)) != ConnectivityState.SHUTDOWN; ) {
                switch (state) {
                    case READY -> {
                        if (!isUp(known)) {
                            greet();
                        }
                        Known now = known;
                        if (isUp(now)) {
                            watch.keepUp(now.connection());
                        }
                        leaving.await(state, isUp(now) ? LOOK_AGAIN : RETRY);
                    }
                    case TRANSIENT_FAILURE -> {
                        // It fails at once, and says why.
                        greet();
                        leaving.await(state, RETRY);
                        channel.resetConnectBackoff();
                    }
                    default -> {
                        if (!leaving.await(state, deadline)) {
                            lost("plug-in \"" + plugin + "\" has not taken the connection within " + deadline.toMillis()
                                    + " ms");
                        }
                    }
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** A plug-in that comes and goes all the time, each time as another, must not keep all of Berth busy with that. */
    private void greet() throws InterruptedException {
        Thread.sleep(Duration.ofNanos(Math.max(0, greeted + RETRY.toNanos() - System.nanoTime())));
        greeted = System.nanoTime();
        long connection = connections.get();
        try {
            ConnectResponse answer = connect();
            if (connection != connections.get()) {
                // The connection was made by this very call, or again since: it is greeted at the next look.
                return;
            }
            if (!Contract.VERSIONS.contains(answer.getContractVersion())) {
                throw new ProtocolViolation("it has chosen contract version " + answer.getContractVersion());
            }
            Capabilities capabilities = CapabilitiesMapping.read(answer.getCapabilities());
            breaker.tryNow();
            publish(new Known(capabilities, connection, ""));
            wasUp.countDown();
        } catch (StatusRuntimeException failure) {
            if (Failures.isRefusal(failure)) {
                refused(failures.message(failure));
            } else {
                lost(failures.message(failure));
            }
        } catch (ProtocolViolation violation) {
            refused(failures.message(violation));
        }
    }

    private ConnectResponse connect() {
        return beforeDeadline()
                .connect(ConnectRequest.newBuilder()
                        .addAllContractVersions(Contract.VERSIONS)
                        .setBerthVersion(Contract.BERTH_VERSION)
                        .build());
    }

    /** It may come back as it was. */
    private void lost(String trouble) {
        publish(new Known(known.capabilities(), 0, trouble));
    }

    /** There is no talking to it. */
    private void refused(String trouble) {
        publish(new Known(null, 0, trouble + "; this Berth speaks contract version " + Contract.VERSIONS));
    }

    private void publish(Known now) {
        Known before = known;
        known = now;
        if (now.equals(before)) {
            return;
        }
        LOG.info("{}", now.trouble().isEmpty() ? "plug-in \"" + plugin + "\" is connected" : now.trouble());
        if (now.capabilities() == null || now.trouble().isEmpty()) {
            listener.run();
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
        keeper.interrupt();
        if (tls != null) {
            tls.close();
        }
    }
}
