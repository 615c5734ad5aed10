package dev.berth.app;

import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Conditions;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Unserved;
import dev.berth.loadbalancer.WellKnownNames;
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
record StatusReport(List<ClassDeclaration> classes, List<ServiceState> services, int pools, int addresses) {
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
                                        + defaultClass(),
                                count(pools, "AddressPool", "AddressPools") + ", "
                                        + count(addresses, "Address", "Addresses"),
                                count(wanting.size(), "LoadBalancer Service", "LoadBalancer Services") + ", "
                                        + wanting.stream()
                                                .filter(one -> !one.ingress().isEmpty())
                                                .count()
                                        + " with an address"),
                        wanting.stream().flatMap(one -> waits(one).stream()),
                        wanting.stream().flatMap(one -> notServed(one).stream()))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    private boolean hasDefault() {
        return classes.stream().anyMatch(ClassDeclaration::isDefault);
    }

    private String defaultClass() {
        return classes.stream()
                .filter(ClassDeclaration::isDefault)
                .min(Comparator.comparing(ClassDeclaration::created).thenComparing(ClassDeclaration::name))
                .map(one -> "\"" + one.name() + "\" is the default")
                .orElse("none is the default");
    }

    private static Optional<String> waits(ServiceState service) {
        return service.condition(WellKnownNames.ADDRESS_ASSIGNED)
                .flatMap(said -> Conditions.waitsFor(said).map(reason -> line("waits", service, said)));
    }

    private static String line(String what, ServiceState service, Condition said) {
        return what + "\t" + service.key() + "\t" + said.reason() + ": " + said.message();
    }

    private Optional<String> notServed(ServiceState service) {
        return service.foreignMark().isPresent() || service.hasOurConditions()
                ? Optional.empty()
                : Unserved.of(
                                service.loadBalancerClass(),
                                classes.stream().map(ClassDeclaration::value).toList(),
                                hasDefault())
                        .map(why ->
                                "not served by Berth\t" + service.key() + "\t" + why.reason() + ": " + why.message());
    }
}
