package dev.berth.claim;

import static dev.berth.claim.Sample.claim;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClaimTest {
    @Test
    void classIsThatOfItsSpec() {
        assertThat(claim("192.0.2.0", "a", 1).loadBalancerClass()).isEqualTo("berth.dev/pool");
    }

    @Test
    void newer_isWhatHasTheHigherResourceVersion() {
        assertThat(claim("192.0.2.0", "a", 10).isNewerThan(claim("192.0.2.0", "a", 9)))
                .isTrue();
        assertThat(claim("192.0.2.0", "a", 9).isNewerThan(claim("192.0.2.0", "a", 9)))
                .isFalse();
        assertThat(claim("192.0.2.0", "a", 9).isNewerThan(claim("192.0.2.0", "a", 10)))
                .isFalse();
    }

    @Test
    void resourceVersionThatIsNoNumber_isNewerThanNone() {
        Claim known = claim("192.0.2.0", "a", 1);
        Claim opaque = new Claim(known.ip(), known.uid(), "abc", known.spec());
        assertThat(opaque.isNewerThan(known)).isFalse();
        assertThat(known.isNewerThan(opaque)).isFalse();
    }
}
