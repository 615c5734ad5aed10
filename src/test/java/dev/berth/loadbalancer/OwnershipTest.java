package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** By which class a Service is ours that only the list of a provider reports. */
class OwnershipTest {
    private static final String VALUE = "example.com/cloud";
    private static final Capabilities CLOUD = Capabilities.ofItsOwn(IpMode.PROXY);

    private ClassSet classes = classes(CLOUD, Classless.ALWAYS);
    private SampleService service = new SampleService();

    private static ClassSet classes(Capabilities capabilities, Classless classless) {
        return SampleClasses.one(VALUE, "cloud", capabilities, null, classless);
    }

    private Optional<String> listedBy(String provider) {
        return Ownership.ofListed(provider, service.build(), classes);
    }

    @Test
    void serviceWithoutMarks_isOursByTheClassThatItNames_orWouldHave() {
        assertThat(listedBy("cloud")).contains(VALUE);

        service = service.loadBalancerClass(VALUE);
        classes = classes(CLOUD, Classless.NEVER);
        assertThat(listedBy("cloud")).contains(VALUE);
    }

    @Test
    void serviceOfAClassOfAnotherProvider_orOfNone_isNot() {
        assertThat(listedBy("other")).isEmpty();

        service = service.loadBalancerClass("example.com/other");
        assertThat(listedBy("cloud")).isEmpty();
    }

    @Test
    void serviceWithoutAClass_isNot_whereThereIsNoDefault() {
        classes = classes(CLOUD, Classless.NEVER);

        assertThat(listedBy("cloud")).isEmpty();
    }

    @Test
    void serviceWhoseAddressesAreOfPools_isNot_forAnAddressTells() {
        classes = classes(Capabilities.fromPools(IpMode.PROXY), Classless.ALWAYS);

        assertThat(listedBy("cloud")).isEmpty();
    }

    @Test
    void serviceThatIsNoLoadBalancer_orBearsMarks_isNot() {
        ServiceState unmarked = service.build();
        service = service.typeLoadBalancer(false);
        assertThat(listedBy("cloud")).isEmpty();

        service = SampleService.from(unmarked).finalizers(List.of("service.example.com/load-balancer-cleanup"));
        assertThat(listedBy("cloud")).isEmpty();

        service = SampleService.from(unmarked)
                .finalizers(List.of(WellKnownNames.FINALIZER))
                .conditions(List.of(new Condition(
                        WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.FALSE, "Pending", "", Instant.EPOCH)));
        assertThat(listedBy("cloud")).isEmpty();
    }
}
