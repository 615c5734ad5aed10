package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import org.junit.jupiter.api.Test;

class ParentTest {
    @Test
    void aServiceOfTheCoreGroup_isAService() {
        assertThat(new Parent("", "services", "prod", "web").service()).contains(new ServiceKey("prod", "web"));
        assertThat(Parent.of(new ServiceKey("prod", "web"))).isEqualTo(new Parent("", "services", "prod", "web"));
    }

    @Test
    void whatOnlyIsNamedLikeOne_isNone() {
        assertThat(new Parent("serving.knative.dev", "services", "prod", "web").service())
                .isEmpty();
        assertThat(new Parent("", "pods", "prod", "web").service()).isEmpty();
    }

    @Test
    void itIsShownAsKubectlWouldNameIt() {
        assertThat(new Parent("", "services", "prod", "web")).hasToString("services prod/web");
        assertThat(new Parent("example.org", "hosts", "", "rack-1")).hasToString("hosts.example.org rack-1");
    }
}
