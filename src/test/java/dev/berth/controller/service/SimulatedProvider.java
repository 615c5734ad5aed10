package dev.berth.controller.service;

import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.testing.QuietProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A provider that touches the world, takes its time, fails now and then, and refuses a deposed leader. */
final class SimulatedProvider implements QuietProvider {
    /** What carries traffic: the addresses, by the uid of the Service. */
    final Map<String, List<String>> carried = new TreeMap<>();

    private final SimulatedWorld world;
    private final boolean bringsAddresses;
    private final Map<String, String> given = new TreeMap<>();
    private final Map<String, Long> newestLeaders = new TreeMap<>();
    private long changes;

    SimulatedProvider(SimulatedWorld world, boolean bringsAddresses) {
        this.world = world;
        this.bringsAddresses = bringsAddresses;
    }

    /** Grows with each change of what carries traffic. */
    long changes() {
        return changes;
    }

    /** Whether it brought this address for the Service of this uid. */
    boolean gave(String ip, String uid) {
        return uid.equals(given.get(ip));
    }

    @Override
    public Capabilities capabilities() {
        return bringsAddresses
                ? Capabilities.ofItsOwn(IpMode.PROXY, IpMode.VIP)
                : Capabilities.fromPools(IpMode.PROXY, IpMode.VIP);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        int luck = world.faults ? world.random.nextInt(8) : 7;
        world.trace("provider ensures ", request.service(), " ", request.addresses(), ": ", luck);
        String uid = request.service().uid();
        call(request, luck, () -> carried.put(uid, bringsAddresses ? bring(request) : request.addresses()));
        if (luck == 3) {
            return answerThatIsWrong(request);
        }
        if (luck == 2) {
            return EnsureOutcome.pending(Duration.ofSeconds(3), "on its way");
        }
        return EnsureOutcome.ready(LoadBalancerStatus.of(carried.getOrDefault(uid, List.of()).stream()
                .map(ip -> Ingress.ofIp(ip, request.ipMode()))
                .toList()));
    }

    /** What the contract forbids; null, too. */
    @SuppressWarnings("NullAway")
    private EnsureOutcome answerThatIsWrong(LoadBalancerRequest request) {
        int kind = world.random.nextInt(8);
        world.trace("and gives wrong answer ", kind);
        return switch (kind) {
            case 0 -> null;
            case 1 -> EnsureOutcome.ready(null);
            case 2 -> EnsureOutcome.pending(Duration.ZERO, "at once");
            case 3 -> EnsureOutcome.pending(null, "some time");
            case 4 -> ready(Ingress.ofHostname(bringsAddresses ? "-" : "lb.example.com"));
            case 5 ->
                // One that is in no pool would be right for a provider that brings its own.
                ready(Ingress.ofIp(
                        bringsAddresses ? "203.000.112.001" : "192.0.2." + world.random.nextInt(4), request.ipMode()));
            case 6 -> ready(Ingress.ofIp("8.8.8.8", request.ipMode() == IpMode.VIP ? IpMode.PROXY : IpMode.VIP));
            default -> ready(Ingress.ofIp("127.0.0.1", request.ipMode()));
        };
    }

    private static EnsureOutcome ready(Ingress... ingress) {
        return EnsureOutcome.ready(LoadBalancerStatus.of(List.of(ingress)));
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        int luck = world.faults ? world.random.nextInt(8) : 7;
        world.trace("provider deletes ", request.service(), ": ", luck);
        call(request, luck, () -> carried.remove(request.service().uid()));
    }

    /** With luck 0 it is not done, with luck 1 it is, and nobody hears of it. */
    private void call(LoadBalancerRequest request, int luck, Runnable effect) {
        world.sending(world.random, () -> unlessDeposed(request, effect));
        if (luck == 0) {
            world.answering(world.random);
            throw new ProviderException("no luck");
        }
        boolean isDone = unlessDeposed(request, effect);
        world.answering(world.random);
        if (!isDone) {
            throw new ProviderException("another leader has been here");
        }
        if (luck == 1) {
            throw new ProviderException("no answer");
        }
    }

    private boolean unlessDeposed(LoadBalancerRequest request, Runnable effect) {
        String uid = request.service().uid();
        if (request.fencingToken() < newestLeaders.getOrDefault(uid, 0L)) {
            return false;
        }
        newestLeaders.put(uid, request.fencingToken());
        changes++;
        effect.run();
        return true;
    }

    /** What it has already, and new ones for the families that it has none of. */
    private List<String> bring(LoadBalancerRequest request) {
        List<String> had = carried.getOrDefault(request.service().uid(), List.of());
        return request.families().stream()
                .map(family -> {
                    boolean isIpv6 = family == Capabilities.Family.IPV6;
                    return had.stream()
                            .filter(ip -> ip.contains(":") == isIpv6)
                            .findFirst()
                            .orElseGet(() -> bring(isIpv6, request.service().uid()));
                })
                .toList();
    }

    private String bring(boolean isIpv6, String uid) {
        int number = given.size() + 1;
        String ip = isIpv6 ? "2001:db8:1::" + Integer.toHexString(number) : "203.0.112." + number;
        given.put(ip, uid);
        return ip;
    }
}
