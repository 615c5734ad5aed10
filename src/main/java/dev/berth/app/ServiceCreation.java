package dev.berth.app;

import dev.berth.address.Ip;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterIpAllocator;
import dev.berth.clusterip.ClusterIps;
import dev.berth.clusterip.Reservations;
import dev.berth.clusterip.StaticChoice;
import dev.berth.clusterip.StaticRequest;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.NewServices;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates one Service with static addresses. It never deletes anything but a reservation of Berth's for this very
 * Service. Once that is deleted, anybody can get the address: whoever was faster is named.
 */
final class ServiceCreation {
    /** So often another address is tried. */
    static final int TRIES = 10;

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final String ALREADY_ALLOCATED = "provided IP is already allocated";

    /** Waits. */
    interface Pause {
        void of(Duration duration) throws InterruptedException;
    }

    private final NewServices api;
    private final InstantSource clock;
    private final Pause pause;
    private final Service manifest;

    /** Refused by the API server, whatever the IPAddresses say. */
    private final Set<Ip> tried = new LinkedHashSet<>();

    private StaticRequest request;
    private int tries;
    private String lastRefusal = "";

    /** When a reservation was deleted for the first time; null: none was. */
    private @Nullable Instant handedOver;

    /** @param manifest of {@code request}'s Service */
    ServiceCreation(NewServices api, InstantSource clock, Pause pause, Service manifest, StaticRequest request) {
        this.api = api;
        this.clock = clock;
        this.pause = pause;
        this.manifest = manifest;
        this.request = request;
    }

    /**
     * Does it.
     *
     * @return the Service as it is now
     * @throws CannotLook if it cannot be created, with why
     */
    Service create() throws CannotLook, InterruptedException {
        while (true) {
            StaticChoice.Chosen chosen = choose();
            if (!chosen.reservations().isEmpty()) {
                handOver(chosen);
            }
            Service wanted = with(chosen.ips());
            switch (api.create(wanted)) {
                case Write.Done<Service>(Service created) -> {
                    return created;
                }
                case Write.Conflict<Service>(String message) -> lastRefusal = message;
                case Write.NotFound<Service>(String message) -> throw failed(message);
                case Write.Refused<Service>(String message) -> refused(chosen.ips(), message);
                case Write.Unknown<Service>(String message) -> lastRefusal = message;
            }
            // The answer may have been lost, and the client asks once more by itself.
            if (api.read(request.service()) instanceof Read.Found<Service>(Service there)) {
                if (ClusterServices.clusterIps(there).equals(ClusterServices.clusterIps(wanted))) {
                    return there;
                }
                throw failed(exists(there));
            }
            awaitNextTry();
        }
    }

    /** That there is a Service of this name, as the end of a sentence. */
    static String exists(Service there) {
        return "it exists already, with " + String.join(", ", ClusterServices.clusterIps(there))
                + "; a Service's cluster IP cannot be changed: delete it first, or leave it";
    }

    private StaticChoice.Chosen choose() throws CannotLook {
        ClusterIpAllocator allocator =
                new ClusterIpAllocator(CannotLook.found("listing ServiceCIDRs", api.readServiceCidrs()), taken());
        return switch (StaticChoice.of(request, allocator, tried)) {
            case StaticChoice.Chosen chosen -> chosen;
            case StaticChoice.None(String why) -> throw failed(why);
        };
    }

    /** There may be tens of thousands; of those that are named, and asked for again and again, no others matter. */
    private ClusterIps taken() throws CannotLook {
        ClusterIps ips = new ClusterIps();
        if (request.named().size() == request.families().size()) {
            for (Ip ip : request.named()) {
                CannotLook.found("reading IPAddress " + ip, api.readClusterIp(ip))
                        .forEach(ips::put);
            }
        } else {
            CannotLook.found("listing IPAddresses", api.readClusterIps()).forEach(ips::put);
        }
        return ips;
    }

    private void handOver(StaticChoice.Chosen chosen) throws CannotLook {
        if (handedOver == null) {
            rehearse();
            handedOver = clock.instant();
        }
        request =
                request.naming(chosen.reservations().stream().map(ClusterIp::ip).toList());
        for (ClusterIp reservation : chosen.reservations()) {
            // What is not done shows in the next list.
            if (api.release(reservation) instanceof Write.Refused<ClusterIp>(String message)) {
                throw new CannotLook("deleting IPAddress " + reservation.ip() + ", which keeps the address for "
                        + request.service() + ": " + message);
            }
        }
    }

    /** A reservation is not given up for a Service that is refused anyway. */
    private void rehearse() throws CannotLook {
        switch (api.rehearse(with(List.of()))) {
            case Write.Conflict<Service>(String message) -> throw failed(message);
            case Write.Refused<Service>(String message) -> throw failed(message);
            case Write.NotFound<Service>(String message) -> throw failed(message);
            // Or so it is where nothing is free but what is kept.
            case Write.Unknown<Service> unclear -> {}
            case Write.Done<Service> fine -> {}
        }
    }

    private void refused(List<Ip> asked, String message) throws CannotLook {
        if (!message.contains(ALREADY_ALLOCATED)) {
            throw failed(message);
        }
        List<Ip> named = asked.stream()
                .filter(ip -> message.contains(" " + ip + ": " + ALREADY_ALLOCATED))
                .toList();
        tried.addAll(named.isEmpty() ? asked : named);
        lastRefusal = message;
    }

    private void awaitNextTry() throws CannotLook, InterruptedException {
        tries++;
        if (handedOver == null ? tries >= TRIES : clock.instant().isAfter(handedOver.plus(Reservations.HANDOVER))) {
            throw failed("given up after " + tries + " tries: " + lastRefusal);
        }
        pause.of(PAUSE);
    }

    private CannotLook failed(String why) {
        return new CannotLook("creating Service " + request.service() + ": " + why
                + (handedOver == null
                        ? ""
                        : ". Its reservation was deleted for it, and from then on anybody could get the address;"
                                + " the ServiceCIDRPolicy keeps it again after a minute if it is free"));
    }

    private Service with(List<Ip> ips) {
        List<String> texts = ips.stream().map(Ip::toString).toList();
        return new ServiceBuilder(manifest)
                .editMetadata()
                .withNamespace(request.service().namespace())
                .endMetadata()
                .editSpec()
                .withClusterIP(texts.isEmpty() ? null : texts.getFirst())
                .withClusterIPs(texts)
                .endSpec()
                .build();
    }
}
