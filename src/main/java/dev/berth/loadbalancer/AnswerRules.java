package dev.berth.loadbalancer;

import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.ServiceIdentity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What of a provider's answer may be published: the rules of docs/SPEC.md that can be checked by looking at it, no
 * matter who
 * the provider is. Pure.
 */
public final class AnswerRules {
    private static final int MOST_INGRESS = 100;
    private static final int LONGEST_PORT_ERROR = 316;

    /** How much of a wrong value a message shows. */
    private static final int SHOWN = 80;

    private static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
    private static final Pattern HOSTNAME = Pattern.compile("(?=.{1,253}$)" + LABEL + "(\\." + LABEL + ")*");

    private final LoadBalancerStatus status;
    private final LoadBalancerRequest request;
    private final Capabilities can;
    private final AnsweredAddresses addresses;

    /**
     * A rule that an answer breaks.
     *
     * @param name by which docs/SPEC.md has it
     * @param message what was answered, and what would have been right
     */
    public record Broken(String name, String message) {
        @Override
        public String toString() {
            return message + " (rule " + name + ")";
        }
    }

    private AnswerRules(
            LoadBalancerStatus status, LoadBalancerRequest request, Capabilities can, AnsweredAddresses addresses) {
        this.status = status;
        this.request = request;
        this.can = can;
        this.addresses = addresses;
    }

    /**
     * The first rule that {@code status} breaks as the answer to {@code request}; absent: it may be published.
     *
     * <p>A provider whose own addresses are the Nodes', a proxy on a host port of each for one, may show them, with ipMode
     * Proxy. With VIP every kube-proxy would take what is sent to such an address for the Service's: SSH, the kubelet's
     * port or the API server's.
     *
     * @param addresses who has those that it names
     */
    public static Optional<Broken> broken(
            LoadBalancerStatus status, LoadBalancerRequest request, Capabilities can, AnsweredAddresses addresses) {
        return new AnswerRules(status, request, can, addresses).broken();
    }

    private Optional<Broken> broken() {
        if (status.ingress().size() > MOST_INGRESS) {
            return wrong("ensure06", status.ingress().size() + " ways in; " + MOST_INGRESS + " at most");
        }
        return (can.addresses() == AddressSource.POOLS ? claimed() : ofItsOwn())
                .or(this::repeated)
                .or(this::modes)
                .or(this::portErrors);
    }

    private static Optional<Broken> wrong(String rule, String message) {
        return Optional.of(new Broken(rule, message));
    }

    private static String shown(String text) {
        return "\"" + OneLine.of(text, SHOWN) + "\"";
    }

    private Optional<Broken> claimed() {
        List<String> ips = new ArrayList<>();
        for (Ingress entry : status.ingress()) {
            if (entry.hostname() != null) {
                return wrong("ensure04", "the hostname " + shown(entry.hostname()) + ", but has addresses to serve");
            }
            ips.add(Objects.requireNonNull(entry.ip()));
        }
        for (String ip : ips) {
            if (!request.addresses().contains(ip)) {
                return wrong(
                        "ensure04",
                        "the address " + shown(ip) + ", but was given " + String.join(" and ", request.addresses()));
            }
        }
        for (String ip : request.addresses()) {
            if (!ips.contains(ip)) {
                return wrong("ensure05", String.join(" and ", ips) + ", and not " + ip + ", which it was given");
            }
        }
        return Optional.empty();
    }

    private Optional<Broken> ofItsOwn() {
        for (Ingress entry : status.ingress()) {
            Optional<Broken> broken = ofItsOwn(entry);
            if (broken.isPresent()) {
                return broken;
            }
        }
        return Optional.empty();
    }

    private Optional<Broken> ofItsOwn(Ingress entry) {
        String name = entry.hostname();
        if (name != null) {
            return HOSTNAME.matcher(name).matches() && Ip.find(name).isEmpty()
                    ? Optional.empty()
                    : wrong("ensure06", shown(name) + ", which is not a hostname");
        }
        String text = Objects.requireNonNull(entry.ip());
        Optional<Ip> found = Ip.find(text).filter(ip -> ip.toString().equals(text));
        if (found.isEmpty()) {
            return wrong("ensure06", shown(text) + ", which is not an IP address in canonical text");
        }
        Ip ip = found.get();
        if (!request.families().contains(ip.family() == IpFamily.IPV4 ? Family.IPV4 : Family.IPV6)) {
            return wrong("ensure06", "the address " + ip + ", but was asked for " + request.families());
        }
        if (ip.isSpecial()) {
            return wrong("ensure06", "the address " + ip + ", which cannot be reached from outside");
        }
        if (entry.ipMode() != IpMode.PROXY && addresses.isNodes(ip)) {
            return wrong(
                    "ensure25",
                    "the address " + ip + " of a Node with ipMode VIP, by which kube-proxy would treat traffic to"
                            + " that Node as traffic to the Service; answer ipMode Proxy, if what listens there is a"
                            + " proxy");
        }
        return addresses
                .whose(ip, owner())
                .flatMap(owner -> wrong("ensure25", "the address " + ip + " as its own, but it belongs to " + owner));
    }

    private Owner owner() {
        ServiceIdentity service = request.service();
        return new Owner(new ServiceKey(service.namespace(), service.name()), service.uid());
    }

    private Optional<Broken> repeated() {
        Set<String> seen = new HashSet<>();
        for (Ingress entry : status.ingress()) {
            String way = entry.ip() != null ? entry.ip() : String.valueOf(entry.hostname());
            if (!seen.add(way)) {
                return wrong("ensure06", shown(way) + " twice");
            }
        }
        return Optional.empty();
    }

    private Optional<Broken> modes() {
        for (Ingress entry : status.ingress()) {
            if (entry.ip() != null && Objects.requireNonNullElse(entry.ipMode(), IpMode.VIP) != request.ipMode()) {
                return wrong(
                        "ensure07",
                        entry.ip()
                                + (entry.ipMode() == null
                                        ? " without ipMode, which means VIP"
                                        : " with ipMode " + entry.ipMode())
                                + ", but was asked for ipMode " + request.ipMode());
            }
        }
        return Optional.empty();
    }

    private Optional<Broken> portErrors() {
        for (PortError error : status.portErrors()) {
            Optional<Broken> broken = portError(error);
            if (broken.isPresent()) {
                return broken;
            }
        }
        return Optional.empty();
    }

    private Optional<Broken> portError(PortError error) {
        boolean isAsked = request.ports().stream()
                .anyMatch(port -> port.port() == error.port() && port.protocol() == error.protocol());
        if (!isAsked) {
            return wrong(
                    "ensure08",
                    "an error of port " + error.protocol() + "/" + error.port() + ", which was not asked for");
        }
        return error.error().length() > LONGEST_PORT_ERROR
                ? wrong("ensure08", "the error " + shown(error.error()) + " of a port; use one word")
                : Optional.empty();
    }
}
