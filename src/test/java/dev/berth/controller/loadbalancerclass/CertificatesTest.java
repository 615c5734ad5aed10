package dev.berth.controller.loadbalancerclass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.TlsSecret;
import dev.berth.reason.Reason;
import dev.berth.testing.SampleCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificatesTest {
    private record Task(Duration delay, Runnable what) {}

    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private final List<String> changed = new ArrayList<>();
    private final List<Task> later = new ArrayList<>();
    private TlsSecret secret = TlsSecret.missing("berth-system/web");
    private final Certificates certificates = new Certificates(
            new Certificates.Source() {
                @Override
                public String fullName(String name) {
                    return "berth-system/" + name;
                }

                @Override
                public TlsSecret read(String name) {
                    return secret;
                }
            },
            () -> now,
            (delay, what) -> {
                later.add(new Task(delay, what));
                return () -> {};
            },
            changed::add);

    private TlsSecret valid(int fromHours, int untilHours) {
        SampleCertificate sample = SampleCertificate.of(
                "a.example.com", now.plus(Duration.ofHours(fromHours)), now.plus(Duration.ofHours(untilHours)));
        return TlsSecret.read("berth-system/web", TlsSecret.TYPE, sample.pem(), sample.key());
    }

    private ClassCertificate look() {
        return certificates.of("web");
    }

    @Test
    void theLastGoodOne_isRemembered_whateverBecomesOfTheSecret() {
        secret = valid(-1, 5);
        ClassCertificate good = look();
        for (TlsSecret bad : List.of(TlsSecret.missing("x"), TlsSecret.forbidden("x"), valid(-2, -1))) {
            secret = bad;
            assertThat(look().used()).isEqualTo(good.used());
            assertThat(look().usable()).isFalse();
        }
        assertThat(changed).isEmpty();

        secret = valid(-1, 6);
        assertThat(look().used()).isNotEqualTo(good.used());
        assertThat(changed).containsExactly("web");
    }

    @Test
    void oneThatNoClassNames_isForgotten() {
        secret = valid(-1, 5);
        look();
        certificates.retain(List.of());
        secret = TlsSecret.missing("x");

        assertThat(look().used()).isEmpty();
    }

    @Test
    void itsClass_isLookedAtAgain_whenItExpires_byTheClock() {
        secret = valid(-1, 30);
        look();
        look();
        assertThat(later).hasSize(1);
        assertThat(later.getFirst().delay()).isEqualTo(Duration.ofDays(1));

        now = now.plus(Duration.ofDays(1));
        later.removeFirst().what().run();
        assertThat(later.getFirst().delay()).isEqualTo(Duration.ofHours(6).plusSeconds(1));
        assertThat(changed).isEmpty();

        now = now.plus(Duration.ofHours(6)).plusSeconds(1);
        later.removeFirst().what().run();
        assertThat(changed).containsExactly("web");
        assertThat(look().reason()).isEqualTo(Reason.CertificateExpired);
    }

    @Test
    void itsClass_isLookedAtWhenItExpires_alsoAfterTheClockWasSetBack() {
        secret = valid(-1, 5);
        look();

        now = now.plus(Duration.ofHours(2));
        later.removeFirst().what().run();
        look();
        assertThat(changed).isEmpty();
        assertThat(later.getFirst().delay()).isEqualTo(Duration.ofHours(3).plusSeconds(1));

        now = now.plus(Duration.ofHours(3)).plusSeconds(1);
        later.removeFirst().what().run();
        assertThat(changed).containsExactly("web");
    }
}
