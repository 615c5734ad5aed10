package dev.berth.loadbalancer;

import dev.berth.announce.Protocol;
import dev.berth.claim.Holding;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All LoadBalancerClasses: those that are ours to judge, the oldest first, and which values another Berth
 * serves, one of another controller name. Immutable.
 */
public final class ClassSet {
    private final SequencedMap<String, ServedClass> byValue;
    private final SequencedMap<String, Verdict> verdicts;
    private final @Nullable Default defaultClass;

    /** Why not, by value: those that are ours and cannot be served. */
    private final Map<String, String> notAccepted;

    /** The values of ours whose provider is not there yet. */
    private final Set<String> awaited;

    /** What other Berths declare, by value. */
    private final Map<String, ClassDeclaration> elsewhere;

    /** The default of another Berth, if it comes before any of ours. */
    private final @Nullable ClassDeclaration defaultElsewhere;

    /** The class that asks to be the default, and cannot be; null: one is, or none asks. */
    private final @Nullable NotAccepted defaultNotAccepted;

    private record NotAccepted(NotServedReason why, Classless classless) {}

    private record Default(ServedClass served, Classless classless, boolean hasServedClassless) {}

    /**
     * What was made of one class.
     *
     * @param accepted whether Services of its value are served by it
     * @param isDefault whether it is the one for Services that name no class
     * @param defaultMessage why it is, or is not, the default; empty: it does not ask to be
     */
    public record Verdict(boolean accepted, Reason reason, String message, boolean isDefault, String defaultMessage) {}

    private ClassSet(
            SequencedMap<String, ServedClass> byValue,
            SequencedMap<String, Verdict> verdicts,
            @Nullable Default defaultClass,
            Map<String, String> notAccepted,
            Set<String> awaited,
            Map<String, ClassDeclaration> elsewhere,
            @Nullable ClassDeclaration defaultElsewhere,
            @Nullable NotAccepted defaultNotAccepted) {
        this.byValue = byValue;
        this.verdicts = verdicts;
        this.defaultClass = defaultClass;
        this.notAccepted = notAccepted;
        this.awaited = awaited;
        this.elsewhere = elsewhere;
        this.defaultElsewhere = defaultElsewhere;
        this.defaultNotAccepted = defaultNotAccepted;
    }

    public static ClassSet empty() {
        return of(List.of(), "", KnownProviders.NONE);
    }

    /**
     * Judges the classes that name {@code controllerName}. Of two for one value, and of two defaults, the
     * older one wins, whichever Berth it names, and also while its provider is not there yet: so two of them never
     * serve one Service.
     */
    public static ClassSet of(List<ClassDeclaration> declarations, String controllerName, KnownProviders providers) {
        SequencedMap<String, ServedClass> byValue = new LinkedHashMap<>();
        SequencedMap<String, Verdict> verdicts = new LinkedHashMap<>();
        Map<String, String> notAccepted = new LinkedHashMap<>();
        Set<String> awaited = new LinkedHashSet<>();
        Map<String, ClassDeclaration> elsewhere = new LinkedHashMap<>();
        // Who has a value, and who is the default, for messages.
        Map<String, String> holders = new LinkedHashMap<>();
        String defaultHolder = null;
        Default chosen = null;
        ClassDeclaration chosenElsewhere = null;
        NotAccepted noDefault = null;
        for (ClassDeclaration declaration :
                declarations.stream().sorted(ClassDeclaration.BY_AGE).toList()) {
            String value = declaration.value();
            if (!declaration.controllerName().equals(controllerName)) {
                // The other Berth cannot tell that an older one of ours is faulty, and leaves its Services to us.
                if (!notAccepted.containsKey(value) && holders.putIfAbsent(value, named(declaration)) == null) {
                    elsewhere.put(value, declaration);
                }
                if (declaration.isDefault() && defaultHolder == null && noDefault == null) {
                    chosenElsewhere = declaration;
                    defaultHolder = named(declaration);
                }
                continue;
            }
            Optional<Fault> fault = taken(declaration, holders).or(() -> fault(declaration, providers));
            Optional<ServedClass> served =
                    fault.isPresent() ? Optional.empty() : serve(declaration, providers.capabilities());
            boolean waits = fault.filter(Fault::isAwaited).isPresent();
            served.ifPresent(found -> byValue.put(value, found));
            if (fault.isPresent()) {
                NotServedReason why = NotServedReason.notAccepted(
                        declaration.name(), fault.get().message());
                notAccepted.putIfAbsent(value, why.message());
                if (declaration.isDefault() && noDefault == null) {
                    noDefault = new NotAccepted(why, declaration.classless());
                }
            }
            boolean becomesDefault = served.isPresent() && declaration.isDefault() && defaultHolder == null;
            verdicts.put(
                    declaration.name(),
                    new Verdict(
                            served.isPresent(),
                            fault.map(Fault::reason).orElse(Reason.Accepted),
                            fault.map(Fault::message)
                                    .orElse("serves Services with spec.loadBalancerClass \"" + value + "\""),
                            becomesDefault,
                            defaultMessage(declaration, becomesDefault, defaultHolder)));
            if (becomesDefault) {
                chosen = new Default(served.get(), declaration.classless(), declaration.hasServedClassless());
            }
            if (waits) {
                awaited.add(value);
            }
            if (waits || served.isPresent()) {
                holders.put(value, quoted(declaration));
                if (declaration.isDefault() && defaultHolder == null) {
                    defaultHolder = quoted(declaration);
                }
            }
        }
        return new ClassSet(
                byValue,
                verdicts,
                chosen,
                notAccepted,
                awaited,
                elsewhere,
                chosenElsewhere,
                chosen == null && chosenElsewhere == null ? noDefault : null);
    }

    /**
     * Why a class is not served.
     *
     * @param isAwaited whether it will be, once its provider is there
     */
    private record Fault(Reason reason, String message, boolean isAwaited) {
        Fault(Reason reason, String message) {
            this(reason, message, false);
        }
    }

    private static Optional<Fault> taken(ClassDeclaration declaration, Map<String, String> holders) {
        return Optional.ofNullable(holders.get(declaration.value()))
                .map(older -> new Fault(
                        Reason.ValueTaken,
                        "LoadBalancerClass " + older + " is older and has the value \"" + declaration.value()
                                + "\"; delete one of the two, or use another spec.loadBalancerClass"));
    }

    private static String quoted(ClassDeclaration declaration) {
        return "\"" + declaration.name() + "\"";
    }

    private static String named(ClassDeclaration elsewhere) {
        return quoted(elsewhere) + " (of controllerName \"" + elsewhere.controllerName() + "\")";
    }

    private static Optional<Fault> fault(ClassDeclaration declaration, KnownProviders providers) {
        if (!declaration.unreadable().isEmpty()) {
            return Optional.of(new Fault(Reason.Unreadable, String.join("; ", declaration.unreadable())));
        }
        String away = providers.away().get(declaration.provider());
        if (away != null) {
            return Optional.of(new Fault(Reason.ProviderUnavailable, away, true));
        }
        Capabilities capabilities = providers.capabilities().get(declaration.provider());
        if (capabilities == null) {
            return Optional.of(new Fault(
                    Reason.UnknownProvider,
                    "there is no provider \"" + declaration.provider() + "\"; this Berth has " + providers.names()));
        }
        Optional<String> unreadable =
                Protocol.find(declaration.provider()).flatMap(protocol -> protocol.fault(declaration.parameters()));
        if (unreadable.isPresent()) {
            return Optional.of(new Fault(
                    Reason.InvalidParameters,
                    unreadable.get() + "; parameters cannot be changed: delete the class, and make it again"));
        }
        IpMode mode = declaration.ipMode();
        if (mode != null && !capabilities.ipModes().contains(mode)) {
            return Optional.of(new Fault(
                    Reason.UnsupportedIPMode,
                    "provider \"" + declaration.provider() + "\" cannot do ipMode " + mode + ", only "
                            + capabilities.ipModes() + "; use that, or Auto"));
        }
        if (declaration.tls() != null) {
            if (!capabilities.has(Feature.TLS_TERMINATION)) {
                return Optional.of(
                        new Fault(
                                Reason.TLSNotSupported,
                                "provider \"" + declaration.provider()
                                        + "\" does not terminate TLS, which spec.tls asks for; use another, or leave spec.tls out"));
            }
            if (mode == IpMode.VIP || !capabilities.ipModes().contains(IpMode.PROXY)) {
                return Optional.of(new Fault(
                        Reason.UnsupportedIPMode,
                        "TLS is terminated with ipMode Proxy alone: with VIP, kube-proxy sends clients inside the cluster"
                                + " around it; use "
                                + (mode == IpMode.VIP ? "Proxy, or Auto" : "another provider")));
            }
        }
        if (declaration.releasesNodePorts() && capabilities.targets() == Targets.NODE_PORTS) {
            return Optional.of(new Fault(
                    Reason.NodePortsRequired,
                    "provider \"" + declaration.provider()
                            + "\" sends packets to node ports, which nodePorts: Release releases; use Keep"));
        }
        return Optional.empty();
    }

    private static Optional<ServedClass> serve(ClassDeclaration declaration, Map<String, Capabilities> providers) {
        return Optional.ofNullable(providers.get(declaration.provider())).map(capabilities -> {
            IpMode mode = declaration.ipMode();
            return new ServedClass(
                    declaration.name(),
                    declaration.value(),
                    declaration.provider(),
                    capabilities,
                    declaration.parameters(),
                    declaration.pools(),
                    mode != null
                            ? mode
                            : declaration.tls() != null
                                    ? IpMode.PROXY
                                    : capabilities.ipModes().getFirst(),
                    declaration.healthCheck(),
                    declaration.releasesNodePorts(),
                    declaration.refusesUnenforcedSourceRanges(),
                    declaration.tls());
        });
    }

    private static String defaultMessage(
            ClassDeclaration declaration, boolean becomesDefault, @Nullable String holder) {
        if (!declaration.isDefault()) {
            return "";
        }
        if (becomesDefault) {
            return "the default for Services that name no class";
        }
        return holder == null
                ? "not accepted, so not the default"
                : "LoadBalancerClass " + holder
                        + " is older and is the default; set spec.classless to Never on one of the two";
    }

    /** The class that serves {@code value}; absent: none of ours does. */
    public Optional<ServedClass> byValue(String value) {
        return Optional.ofNullable(byValue.get(value));
    }

    /** Why the class of ours for {@code value} is not accepted; absent: it is, or there is none. */
    Optional<String> whyNotAccepted(String value) {
        return byValue.containsKey(value) ? Optional.empty() : Optional.ofNullable(notAccepted.get(value));
    }

    /** Why Services that name no class are not served; absent: there is a default class, which may leave them to another. */
    Optional<NotServedReason> withoutClass() {
        return defaultClass != null
                ? Optional.empty()
                : Optional.of(defaultNotAccepted == null ? NotServedReason.NO_DEFAULT : defaultNotAccepted.why());
    }

    /** What Services can name, whoever serves it, and whether it can be served or not. */
    List<String> values() {
        return Stream.of(byValue.keySet(), notAccepted.keySet(), elsewhere.keySet())
                .flatMap(Set::stream)
                .distinct()
                .toList();
    }

    /** Whether a class of ours will serve {@code value} once its provider is there. */
    public boolean isAwaited(String value) {
        return awaited.contains(value);
    }

    /** Whether a class for {@code value} is ours to judge, and no other Berth serves it. */
    boolean isOurs(String value) {
        return !isServedElsewhere(value) && (byValue.containsKey(value) || notAccepted.containsKey(value));
    }

    /** Whether another Berth serves {@code value}. */
    public boolean isServedElsewhere(@Nullable String value) {
        return value != null && elsewhere.containsKey(value);
    }

    /** Whether another Berth claimed it, as its Address says; what has none yet is this one's. */
    public boolean isClaimedElsewhere(Holding holding) {
        return holding.claim() != null && isServedElsewhere(holding.loadBalancerClass());
    }

    /** Whether another Berth has the default class. */
    boolean isDefaultElsewhere() {
        return defaultElsewhere != null;
    }

    /** The class for Services that name none; absent: there is none. */
    Optional<ServedClass> defaultClass() {
        return Optional.ofNullable(defaultClass).map(Default::served);
    }

    /** When the default class serves Services that name no class; NEVER: there is no default class. */
    public Classless classless() {
        return defaultClass == null ? Classless.NEVER : defaultClass.classless();
    }

    /**
     * Why Services that name no class are left to another controller; absent: they are not. Without a default class
     * each sign counts: it is not said of them that nobody serves them.
     *
     * <p>What is published counts only until the default class has said that it serves them: the class remembers across
     * restarts, and no user of a namespace can write it. From then on an address that is not Berth's concerns its
     * Service alone.
     *
     * @param cloudNode a Node of a cloud whose controller serves them
     * @param published an address that another controller published on one of them
     */
    public Optional<Deference> deference(Optional<Deference> cloudNode, Optional<Deference> published) {
        if (defaultClass == null) {
            return defaultNotAccepted != null && defaultNotAccepted.classless() == Classless.ALWAYS
                    ? Optional.empty()
                    : cloudNode.or(() -> published);
        }
        return defaultClass.classless() == Classless.AUTO
                ? cloudNode.or(() -> defaultClass.hasServedClassless() ? Optional.empty() : published)
                : Optional.empty();
    }

    /** What was made of the class of this name; absent: it is not ours, or unknown. */
    public Optional<Verdict> verdict(String name) {
        return Optional.ofNullable(verdicts.get(name));
    }

    public List<ServedClass> served() {
        return new ArrayList<>(byValue.values());
    }
}
