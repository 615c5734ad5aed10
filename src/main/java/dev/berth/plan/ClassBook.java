package dev.berth.plan;

import dev.berth.plan.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * All LoadBalancerClasses: those that are ours to judge, the oldest first, and which values another Berth
 * serves, one of another controller name. Immutable.
 */
public final class ClassBook {
    private final SequencedMap<String, ServedClass> byValue;
    private final SequencedMap<String, Verdict> verdicts;
    private final @Nullable Default defaultClass;

    /** Why not, by value: those that are ours and cannot be served. */
    private final Map<String, String> notAccepted;

    /** What other Berths declare, by value. */
    private final Map<String, ClassDeclaration> elsewhere;

    /** The default of another Berth, if it comes before any of ours. */
    private final @Nullable ClassDeclaration defaultElsewhere;

    private record Default(ServedClass served, Classless classless) {}

    /**
     * What was made of one class.
     *
     * @param accepted whether Services of its value are served by it
     * @param reason one PascalCase word
     * @param isDefault whether it is the one for Services that name no class
     * @param defaultMessage why it is, or is not, the default; empty: it does not ask to be
     */
    public record Verdict(boolean accepted, String reason, String message, boolean isDefault, String defaultMessage) {}

    private ClassBook(
            SequencedMap<String, ServedClass> byValue,
            SequencedMap<String, Verdict> verdicts,
            @Nullable Default defaultClass,
            Map<String, String> notAccepted,
            Map<String, ClassDeclaration> elsewhere,
            @Nullable ClassDeclaration defaultElsewhere) {
        this.byValue = byValue;
        this.verdicts = verdicts;
        this.defaultClass = defaultClass;
        this.notAccepted = notAccepted;
        this.elsewhere = elsewhere;
        this.defaultElsewhere = defaultElsewhere;
    }

    public static ClassBook empty() {
        return of(List.of(), "", Map.of());
    }

    /**
     * Judges the classes that name {@code controllerName}. Of two for one value, and of two defaults, the
     * older one wins, whichever Berth it names: so two of them never serve one Service.
     *
     * @param providers what there is, by name
     */
    public static ClassBook of(
            List<ClassDeclaration> declarations, String controllerName, Map<String, Capabilities> providers) {
        SequencedMap<String, ServedClass> byValue = new LinkedHashMap<>();
        SequencedMap<String, Verdict> verdicts = new LinkedHashMap<>();
        Map<String, String> notAccepted = new LinkedHashMap<>();
        Map<String, ClassDeclaration> elsewhere = new LinkedHashMap<>();
        Default chosen = null;
        ClassDeclaration chosenElsewhere = null;
        for (ClassDeclaration declaration :
                declarations.stream().sorted(ClassDeclaration.BY_AGE).toList()) {
            if (!declaration.controllerName().equals(controllerName)) {
                if (!byValue.containsKey(declaration.value())) {
                    elsewhere.putIfAbsent(declaration.value(), declaration);
                }
                if (declaration.isDefault() && chosen == null && chosenElsewhere == null) {
                    chosenElsewhere = declaration;
                }
                continue;
            }
            Optional<Fault> fault = taken(declaration, byValue, elsewhere).or(() -> fault(declaration, providers));
            Optional<ServedClass> served = fault.isPresent() ? Optional.empty() : serve(declaration, providers);
            served.ifPresent(found -> byValue.put(found.value(), found));
            fault.ifPresent(found -> notAccepted.putIfAbsent(
                    declaration.value(),
                    "LoadBalancerClass \"" + declaration.name() + "\" is not accepted: " + found.message()));
            boolean becomesDefault =
                    served.isPresent() && declaration.isDefault() && chosen == null && chosenElsewhere == null;
            if (becomesDefault) {
                chosen = new Default(served.get(), declaration.classless());
            }
            verdicts.put(
                    declaration.name(),
                    new Verdict(
                            served.isPresent(),
                            fault.map(Fault::reason).orElse("Accepted"),
                            fault.map(Fault::message)
                                    .orElse("serves Services with spec.loadBalancerClass \"" + declaration.value()
                                            + "\""),
                            becomesDefault,
                            defaultMessage(declaration, becomesDefault, chosen, chosenElsewhere)));
        }
        return new ClassBook(byValue, verdicts, chosen, notAccepted, elsewhere, chosenElsewhere);
    }

    private record Fault(String reason, String message) {}

    private static Optional<Fault> taken(
            ClassDeclaration declaration, Map<String, ServedClass> byValue, Map<String, ClassDeclaration> elsewhere) {
        return Optional.ofNullable(byValue.get(declaration.value()))
                .map(older -> "\"" + older.name() + "\"")
                .or(() ->
                        Optional.ofNullable(elsewhere.get(declaration.value())).map(ClassBook::named))
                .map(older -> new Fault(
                        "ValueTaken",
                        "LoadBalancerClass " + older + " is older and serves \"" + declaration.value()
                                + "\"; delete one of the two, or use another spec.loadBalancerClass"));
    }

    private static String named(ClassDeclaration elsewhere) {
        return "\"" + elsewhere.name() + "\" (of controllerName \"" + elsewhere.controllerName() + "\")";
    }

    private static Optional<Fault> fault(ClassDeclaration declaration, Map<String, Capabilities> providers) {
        Capabilities capabilities = providers.get(declaration.provider());
        if (capabilities == null) {
            List<String> known = providers.keySet().stream().sorted().toList();
            return Optional.of(new Fault(
                    "UnknownProvider",
                    "there is no provider \"" + declaration.provider() + "\"; this Berth has " + known));
        }
        IpMode mode = declaration.ipMode();
        if (mode != null && !capabilities.ipModes().contains(mode)) {
            return Optional.of(new Fault(
                    "UnsupportedIPMode",
                    "provider \"" + declaration.provider() + "\" cannot do ipMode " + mode + ", only "
                            + capabilities.ipModes() + "; use that, or Auto"));
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
                    mode != null ? mode : capabilities.ipModes().getFirst(),
                    declaration.healthCheck());
        });
    }

    private static String defaultMessage(
            ClassDeclaration declaration,
            boolean becomesDefault,
            @Nullable Default chosen,
            @Nullable ClassDeclaration chosenElsewhere) {
        if (!declaration.isDefault()) {
            return "";
        }
        if (becomesDefault) {
            return "the default for Services that name no class";
        }
        return Optional.ofNullable(chosen)
                .map(older -> "\"" + older.served().name() + "\"")
                .or(() -> Optional.ofNullable(chosenElsewhere).map(ClassBook::named))
                .map(older -> "LoadBalancerClass " + older
                        + " is older and is the default; set spec.default to false on one of the two")
                .orElse("not accepted, so not the default");
    }

    /** The class that serves {@code value}; absent: none of ours does. */
    public Optional<ServedClass> byValue(String value) {
        return Optional.ofNullable(byValue.get(value));
    }

    /** Why the class of ours for {@code value} is not accepted; absent: it is, or there is none. */
    public Optional<String> whyNotAccepted(String value) {
        return byValue.containsKey(value) ? Optional.empty() : Optional.ofNullable(notAccepted.get(value));
    }

    /** Whether a class for {@code value} is ours to judge, and no other Berth serves it. */
    public boolean isOurs(String value) {
        return !isServedElsewhere(value) && (byValue.containsKey(value) || notAccepted.containsKey(value));
    }

    /** Whether another Berth serves {@code value}. */
    public boolean isServedElsewhere(@Nullable String value) {
        return value != null && elsewhere.containsKey(value);
    }

    /** Whether another Berth has the default class. */
    public boolean isDefaultElsewhere() {
        return defaultElsewhere != null;
    }

    /** The class for Services that name none; absent: there is none. */
    public Optional<ServedClass> defaultClass() {
        return Optional.ofNullable(defaultClass).map(Default::served);
    }

    /** What the default class does with Services that name no class; NEVER if there is none. */
    public Classless classless() {
        return defaultClass == null ? Classless.NEVER : defaultClass.classless();
    }

    /** What was made of the class of this name; absent: it is not ours, or unknown. */
    public Optional<Verdict> verdict(String name) {
        return Optional.ofNullable(verdicts.get(name));
    }

    public List<ServedClass> served() {
        return new ArrayList<>(byValue.values());
    }
}
