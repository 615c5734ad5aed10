package dev.berth.controller.loadbalancerclass;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.kube.Caches;
import dev.berth.kube.Classes;
import dev.berth.kube.Conditions;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.KnownProviders;
import dev.berth.loadbalancer.Spelling;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Judges all classes together, and shows each one what was made of it. Free of the operator SDK. */
public final class ClassControl {
    /** True while Services of the class are skipped, as another controller serves them; else absent. */
    private static final String SERVICES_SKIPPED = "ServicesSkipped";

    /** True while calls to its provider exceeded their deadline and have not returned; else absent. */
    private static final String CALLS_STUCK = "CallsStuck";

    /** Whether the Secret that its spec.tls names has a certificate that clients accept; absent without spec.tls. */
    private static final String CERTIFICATE_USABLE = "CertificateUsable";

    /** False while a pool that it names does not exist; else absent. */
    private static final String POOLS_FOUND = "PoolsFound";

    /** How many of these are named. */
    private static final int NAMED = 3;

    /** After a status that could not be written, and while a Secret cannot be read: no event will come. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final Caches caches;
    private final String controllerName;
    private final Inputs inputs;
    private final StartGate gate;
    private final BiPredicate<LoadBalancerClass, LoadBalancerClass.Status> statuses;
    private final Events events;
    private final InstantSource clock;
    private final Listener listener;

    private volatile ClassSet classSet = ClassSet.empty();
    private @Nullable List<ClassDeclaration> last;

    /** Notified of changes to the classes. */
    public interface Listener {
        /** A class of this value came, went, or serves otherwise than before. */
        void classChanged(String value);

        /** The classes are judged again: other Services without a class may be left to another controller now. */
        void judgedAgain();

        /** The class object of this name has another status to show, for another class changed. */
        void verdictChanged(String name);
    }

    /**
     * What classes are judged by. Each is asked again whenever it is needed.
     *
     * @param providers what is known of them, given all classes that there are
     * @param certificates of classes with TLS, by the name of their Secret
     * @param pools the names of all pools; not those of the cache: whoever keeps them notifies of others
     */
    public record Inputs(
            Function<List<ClassDeclaration>, KnownProviders> providers,
            Function<String, ClassCertificate> certificates,
            Supplier<? extends Collection<String>> pools) {}

    /**
     * Of no classes yet.
     *
     * @param statuses writes a status onto the object as it was read; false: it has to be tried again
     */
    public ClassControl(
            LoopParts parts,
            String controllerName,
            Inputs inputs,
            BiPredicate<LoadBalancerClass, LoadBalancerClass.Status> statuses,
            Listener listener) {
        this.caches = parts.caches();
        this.controllerName = controllerName;
        this.inputs = inputs;
        this.gate = parts.gate();
        this.statuses = statuses;
        this.events = parts.events();
        this.clock = parts.timing().clock();
        this.listener = listener;
    }

    /** The classes as they are judged now. */
    public ClassSet classSet() {
        return classSet;
    }

    /** Judges the classes again, if any changed; the Services of those that did are looked at again. */
    public void refresh() {
        refresh(null);
    }

    /**
     * The same.
     *
     * @param own whose status is about to be written; null: of none
     */
    private synchronized void refresh(@Nullable String own) {
        List<ClassDeclaration> now = Classes.declarations(caches.classes().list()).stream()
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
        List<ClassDeclaration> before = last == null ? List.of() : last;
        if (now.equals(last)) {
            return;
        }
        last = now;
        ClassSet former = classSet;
        classSet = ClassSet.of(now, controllerName, inputs.providers().apply(now));
        Stream.concat(servedOtherwise(now, before), servedOtherwise(before, now))
                .distinct()
                .forEach(listener::classChanged);
        listener.judgedAgain();
        if (gate.isOpen()) {
            // Before, none has been looked at, and each will be.
            now.stream()
                    .map(ClassDeclaration::name)
                    .filter(name -> !name.equals(own))
                    .filter(name -> !former.verdict(name).equals(classSet.verdict(name)))
                    .forEach(listener::verdictChanged);
        }
    }

    private static Stream<String> servedOtherwise(List<ClassDeclaration> some, List<ClassDeclaration> others) {
        return some.stream()
                .filter(one -> others.stream().noneMatch(one::servesAs))
                .map(ClassDeclaration::value);
    }

    /**
     * A provider has come, or can do something else now: judges the classes again; its Services are looked
     * at
     * again, and those of what these were in the way of.
     *
     * @return the names of all classes, for each may be judged otherwise
     */
    public synchronized List<String> providerChanged(String provider) {
        refresh();
        List<ClassDeclaration> all = last == null ? List.of() : last;
        ClassSet before = classSet;
        classSet = ClassSet.of(all, controllerName, inputs.providers().apply(all));
        all.stream()
                .filter(declaration -> declaration.provider().equals(provider)
                        || !before.verdict(declaration.name()).equals(classSet.verdict(declaration.name())))
                .map(ClassDeclaration::value)
                .distinct()
                .forEach(listener::classChanged);
        listener.judgedAgain();
        return all.stream().map(ClassDeclaration::name).toList();
    }

    /** What the Services say about their classes. */
    public interface Services {
        /** Why those without a class are left to another, with these classes; absent: they are not. */
        Optional<Deference> deference(ClassSet judged);

        /** Which Services of this class are another controller's, human-readable; absent: none. */
        Optional<String> servedByAnother(String className);

        /** Which calls to the provider of this class are stuck, human-readable; absent: none. */
        Optional<String> stuckCalls(String className);
    }

    /** Brings the status of the class of this name up to date. */
    public Next reconcile(String name, Services services) {
        gate.await();
        // Before the refresh: the classes are no older than this, and what is said of a newer one is not written onto
        // it.
        Optional<LoadBalancerClass> found = caches.classes().get(null, name);
        refresh(name);
        ClassSet judged = classSet;
        Optional<ClassSet.Verdict> verdict = judged.verdict(name);
        if (found.isEmpty() || verdict.isEmpty()) {
            return Next.ON_EVENT;
        }
        LoadBalancerClass object = found.get();
        Optional<ClassCertificate> certificate = certificate(name);
        List<Says> deciding = deciding(name, verdict.get(), certificate);
        List<Says> others = others(object, judged, verdict.get(), services);
        List<Condition> conditions = conditions(object, deciding, others);
        LoadBalancerClass.Status wanted =
                new LoadBalancerClass.Status(object.getMetadata().getGeneration(), conditions);
        if (!Objects.equals(wanted, object.getStatus())) {
            Stream.concat(deciding.stream(), others.stream())
                    .filter(one -> !one.holds())
                    .forEach(one -> events.warning(About.object(object), one.reason(), one.message()));
            if (!statuses.test(object, wanted)) {
                return Next.after(AGAIN);
            }
        }
        return certificate.filter(one -> !one.usable()).isPresent() ? Next.after(AGAIN) : Next.ON_EVENT;
    }

    /** That of an accepted class with TLS. */
    private Optional<ClassCertificate> certificate(String name) {
        return classSet.served().stream()
                .filter(served -> served.name().equals(name))
                .flatMap(served -> Optional.ofNullable(served.tls()).stream())
                .findFirst()
                .map(tls -> inputs.certificates().apply(tls.secretName()));
    }

    /** What a condition is to say. */
    private record Says(String type, boolean holds, Reason reason, String message) {}

    /** Without which it is not ready. */
    private List<Says> deciding(String name, ClassSet.Verdict verdict, Optional<ClassCertificate> certificate) {
        List<Says> all = new ArrayList<>();
        all.add(new Says(Classes.ACCEPTED, verdict.accepted(), verdict.reason(), verdict.message()));
        certificate.ifPresent(
                found -> all.add(new Says(CERTIFICATE_USABLE, found.usable(), found.reason(), found.message())));
        missingPools(name).ifPresent(message -> all.add(new Says(POOLS_FOUND, false, Reason.PoolNotFound, message)));
        return all;
    }

    private static List<Says> others(
            LoadBalancerClass object, ClassSet judged, ClassSet.Verdict verdict, Services services) {
        List<Says> all = new ArrayList<>();
        if (!verdict.defaultMessage().isEmpty()) {
            all.add(classless(object, judged, verdict, services));
        }
        String name = object.getMetadata().getName();
        services.servedByAnother(name)
                .ifPresent(
                        message -> all.add(new Says(SERVICES_SKIPPED, true, Reason.ServedByOtherController, message)));
        services.stuckCalls(name)
                .ifPresent(message -> all.add(new Says(CALLS_STUCK, true, Reason.DeadlineExceeded, message)));
        return all;
    }

    private List<Condition> conditions(LoadBalancerClass object, List<Says> deciding, List<Says> others) {
        List<Condition> conditions = new ArrayList<>();
        deciding.forEach(one -> conditions.add(condition(object, one)));
        conditions.add(Conditions.ready(
                Conditions.of(object.getStatus()),
                conditions,
                object.getMetadata().getGeneration(),
                clock.instant()));
        others.forEach(one -> conditions.add(condition(object, one)));
        return conditions;
    }

    private Optional<String> missingPools(String className) {
        List<String> asked = declared(className).map(ClassDeclaration::pools).orElse(List.of());
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        List<String> all = inputs.pools().get().stream().sorted().toList();
        List<String> missing =
                asked.stream().filter(name -> !all.contains(name)).distinct().toList();
        int more = missing.size() - NAMED;
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(missing.stream()
                                .limit(NAMED)
                                .map(name -> "AddressPool \"" + name + "\", which it names, does not exist"
                                        + Spelling.didYouMean(name, all))
                                .collect(Collectors.joining("; "))
                        + (more > 0 ? "; and " + more + " more" : "")
                        + (missing.size() == asked.size() ? "; its Services wait" : ""));
    }

    private synchronized Optional<ClassDeclaration> declared(String className) {
        return last == null
                ? Optional.empty()
                : last.stream()
                        .filter(declaration -> declaration.name().equals(className))
                        .findFirst();
    }

    /** Those that say something of pools, and may have to say something else when there are others. */
    public synchronized List<String> namingPools() {
        return last == null
                ? List.of()
                : last.stream()
                        .filter(declaration -> !declaration.pools().isEmpty())
                        .map(ClassDeclaration::name)
                        .toList();
    }

    /** @param judged the one that {@code verdict} is out of: what is said here is not taken back by another sign */
    private static Says classless(
            LoadBalancerClass object, ClassSet judged, ClassSet.Verdict verdict, Services services) {
        if (!verdict.isDefault()) {
            return new Says(
                    Classes.SERVES_CLASSLESS,
                    false,
                    Classes.declaration(object).hasServedClassless() ? Reason.NoLongerTheDefault : Reason.NotTheDefault,
                    verdict.defaultMessage());
        }
        return services.deference(judged)
                .map(sign -> new Says(
                        Classes.SERVES_CLASSLESS,
                        false,
                        Reason.DeferredToOther,
                        "another controller appears to serve Services without a class (" + sign.sign()
                                + "); to serve them anyway, set spec.classless: Always"))
                .orElseGet(() -> new Says(
                        Classes.SERVES_CLASSLESS,
                        true,
                        judged.classless() == Classless.ALWAYS ? Reason.Always : Reason.Auto,
                        verdict.defaultMessage()));
    }

    private Condition condition(LoadBalancerClass object, Says what) {
        return Conditions.of(
                Conditions.of(object.getStatus()),
                what.type(),
                Status.of(what.holds()),
                what.reason(),
                what.message(),
                object.getMetadata().getGeneration(),
                clock.instant());
    }
}
