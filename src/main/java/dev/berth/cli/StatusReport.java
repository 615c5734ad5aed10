package dev.berth.cli;

import dev.berth.kube.Classes;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.NotServedReason;
import dev.berth.loadbalancer.ServiceConditions;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.reason.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code berth status} prints. Pure.
 *
 * @param services all of the cluster
 * @param pools how many AddressPools there are
 * @param addresses how many Addresses there are
 */
record StatusReport(List<Declared> classes, List<ServiceState> services, int pools, int addresses) {
    /**
     * A LoadBalancerClass.
     *
     * @param conditions empty: no operator has judged it yet
     */
    record Declared(ClassDeclaration declaration, List<io.fabric8.kubernetes.api.model.Condition> conditions) {
        Declared {
            conditions = List.copyOf(conditions);
        }

        private Optional<io.fabric8.kubernetes.api.model.Condition> whyNot(String type) {
            return dev.berth.kube.Conditions.find(conditions, type).filter(said -> "False".equals(said.getStatus()));
        }

        private Optional<io.fabric8.kubernetes.api.model.Condition> whyNotAccepted() {
            return whyNot(Classes.ACCEPTED);
        }

        /** One whose provider is only away stays the default. */
        private boolean cannotBeTheDefault() {
            return whyNotAccepted()
                    .filter(why -> !Reason.ProviderUnavailable.name().equals(why.getReason()))
                    .isPresent();
        }

        private Optional<io.fabric8.kubernetes.api.model.Condition> whyDeferred() {
            return whyNot(Classes.SERVES_CLASSLESS)
                    .filter(said -> Reason.DeferredToOther.name().equals(said.getReason()));
        }

        private String name() {
            return declaration.name();
        }
    }

    StatusReport {
        classes = List.copyOf(classes);
        services = List.copyOf(services);
    }

    String text() {
        List<ServiceState> wanting = services.stream()
                .filter(ServiceState::wantsLoadBalancer)
                .sorted(Comparator.comparing(ServiceState::key))
                .toList();
        return Stream.of(
                        Stream.of(
                                count(classes.size(), "LoadBalancerClass", "LoadBalancerClasses") + ", "
                                        + namedDefault(),
                                count(pools, "AddressPool", "AddressPools") + ", "
                                        + count(addresses, "Address", "Addresses"),
                                count(wanting.size(), "LoadBalancer Service", "LoadBalancer Services") + ", "
                                        + wanting.stream()
                                                .filter(one -> !one.ingress().isEmpty())
                                                .count()
                                        + " with an address"),
                        classes.stream().flatMap(one -> notAccepted(one).stream()),
                        wanting.stream().flatMap(one -> waits(one).stream()),
                        wanting.stream().flatMap(one -> constraints(one).stream()),
                        wanting.stream().flatMap(one -> notServed(one).stream()))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    /** Which class serves Services that name none, or would but for a fault; absent: none asks to. */
    private Optional<Declared> defaultClass() {
        return classes.stream()
                .filter(one -> one.declaration().isDefault())
                .min(Comparator.comparing(Declared::cannotBeTheDefault)
                        .thenComparing(Declared::declaration, ClassDeclaration.BY_AGE));
    }

    private String namedDefault() {
        return defaultClass()
                .map(one -> "\"" + one.name() + "\" is the default"
                        + (one.whyNotAccepted().isPresent() ? " and is not accepted" : ""))
                .orElse("no default class");
    }

    /** Why Services that name no class are not served; absent: they are. */
    private Optional<NotServedReason> withoutClass() {
        Optional<Declared> chosen = defaultClass();
        if (chosen.isEmpty()) {
            return Optional.of(NotServedReason.NO_DEFAULT);
        }
        Declared one = chosen.get();
        return one.whyNotAccepted()
                .map(why -> NotServedReason.notAccepted(one.name(), why.getMessage()))
                .or(() -> one.whyDeferred()
                        .map(why -> new NotServedReason(Reason.DeferredToOther, why.getMessage(), false)));
    }

    private static Optional<String> notAccepted(Declared one) {
        return one.whyNotAccepted()
                .map(why -> "not accepted\t" + one.name() + "\t" + why.getReason() + ": " + why.getMessage());
    }

    private static Optional<String> waits(ServiceState service) {
        return service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                .flatMap(said -> ServiceConditions.waitsFor(said).map(reason -> line("waiting", service, said)));
    }

    private static Optional<String> constraints(ServiceState service) {
        return service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                .flatMap(said ->
                        ServiceConditions.notAsRequested(said).map(reason -> line("not as requested", service, said)));
    }

    private static String line(String what, ServiceState service, Condition said) {
        return what + "\t" + service.key() + "\t" + said.reason() + ": " + said.message();
    }

    private Optional<String> notServed(ServiceState service) {
        return service.hasOurConditions()
                ? Optional.empty()
                : unserved(service)
                        .map(why ->
                                "not served by Berth\t" + service.key() + "\t" + why.reason() + ": " + why.message());
    }

    /** One with a mark of another controller is that one's, unless a class of Berth's is the one that it means. */
    private Optional<NotServedReason> unserved(ServiceState service) {
        Optional<NotServedReason> why = NotServedReason.of(
                service.loadBalancerClass(),
                classes.stream().map(one -> one.declaration().value()).toList(),
                withoutClass());
        if (service.foreignMark().isEmpty()) {
            return why;
        }
        return why.isEmpty() && service.ingress().isEmpty()
                ? service.foreignMark().map(NotServedReason::byAnother)
                : Optional.empty();
    }
}
