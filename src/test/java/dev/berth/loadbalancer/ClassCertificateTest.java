package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.reason.Reason;
import dev.berth.testing.SampleCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClassCertificateTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final SampleCertificate GOOD = sample("EC", 256);
    private static final SampleCertificate OTHER = sample("EC", 256);
    // Short: without the second compiler, one of 2048 bits takes seconds to generate.
    private static final SampleCertificate GOOD_RSA = sample("RSA", 1024);
    private static final SampleCertificate OTHER_RSA = sample("RSA", 1024);
    private static final String NAME = "berth-system/web";

    private static SampleCertificate sample(String algorithm, int bits) {
        return SampleCertificate.of(algorithm, bits, "a.example.com", days(-1), days(30));
    }

    private static Instant days(int count) {
        return NOW.plus(Duration.ofDays(count));
    }

    private static TlsSecret read(String certificate, String key) {
        return TlsSecret.read(NAME, TlsSecret.TYPE, certificate, key);
    }

    private static TlsSecret valid(int from, int until) {
        SampleCertificate sample = SampleCertificate.of("a.example.com", days(from), days(until));
        return read(sample.pem(), sample.key());
    }

    private static ServerCertificate pair(TlsSecret secret) {
        return ((TlsSecret.Pair) secret).certificate();
    }

    private static Optional<ServerCertificate> good() {
        return Optional.of(pair(read(GOOD.pem(), GOOD.key())));
    }

    private static ClassCertificate judged(TlsSecret secret, Optional<ServerCertificate> last) {
        return ClassCertificate.of(NAME, secret, last, NOW);
    }

    private static void assertUnusable(Reason reason, String message, TlsSecret secret) {
        assertThat(secret).isEqualTo(new TlsSecret.Unusable(reason, message));
    }

    @Test
    void aKey_isReadInEachOfItsForms() {
        for (SampleCertificate sample : List.of(GOOD, sample("EC", 384), GOOD_RSA)) {
            TlsSecret modern = read(sample.pem(), sample.key());

            assertThat(modern).isInstanceOf(TlsSecret.Pair.class);
            assertThat(read(sample.pem(), sample.traditionalKey())).isEqualTo(modern);
        }
        SampleCertificate edwards = sample("Ed25519", 255);
        assertThat(read(edwards.pem(), edwards.key())).isInstanceOf(TlsSecret.Pair.class);
    }

    @Test
    void whatIsPassedOn_isPemAndNothingElse_theServersFirst() {
        ServerCertificate pair = pair(read(
                "Bag Attributes\n friendlyName: x\n\n" + GOOD.pem() + "\n\n" + OTHER.pem(), "junk\n\n" + GOOD.key()));

        assertThat(pair.chain()).isEqualTo(GOOD.pem() + OTHER.pem());
        assertThat(pair.privateKey()).isEqualTo(GOOD.key());
    }

    @Test
    void aKey_isInNoText() {
        String secret = GOOD.key().lines().skip(1).findFirst().orElseThrow();

        assertThat(judged(read(GOOD.pem(), GOOD.key()), Optional.empty()).toString())
                .doesNotContain(secret);
        assertThat(read(OTHER.pem(), GOOD.key()).toString()).doesNotContain(secret);
    }

    @Test
    void whatIsNoKeyPair_isSaidSo() {
        assertUnusable(
                Reason.KeyMismatch,
                "Secret \"berth-system/web\": the key in tls.key is not that of the certificate in tls.crt",
                read(OTHER.pem(), GOOD.key()));
        assertUnusable(
                Reason.KeyMismatch,
                "Secret \"berth-system/web\": the key in tls.key is not that of the certificate in tls.crt",
                read(OTHER_RSA.pem(), GOOD_RSA.key()));
        assertUnusable(
                Reason.KeyUnreadable,
                "Secret \"berth-system/web\": tls.key has no key of the kind that the certificate has, which is EC",
                read(GOOD.pem(), GOOD_RSA.key()));
        assertUnusable(
                Reason.KeyUnreadable,
                "Secret \"berth-system/web\": tls.key has no private key in PEM",
                read(GOOD.pem(), GOOD.pem()));
        assertUnusable(
                Reason.KeyUnreadable,
                "Secret \"berth-system/web\": the key in tls.key is encrypted; store it without a passphrase",
                read(GOOD.pem(), "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"));
        assertUnusable(
                Reason.CertificateUnreadable,
                "Secret \"berth-system/web\": tls.crt has no certificate in PEM",
                read("", GOOD.key()));
        assertUnusable(
                Reason.CertificateUnreadable,
                "Secret \"berth-system/web\": certificate 2 in tls.crt is none",
                read(GOOD.pem() + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", GOOD.key()));
        assertUnusable(
                Reason.SecretTypeMismatch,
                "Secret \"berth-system/web\" is of type Opaque; make one of type kubernetes.io/tls, with kubectl create secret tls",
                TlsSecret.read(NAME, "Opaque", GOOD.pem(), GOOD.key()));
    }

    /** Whoever may write the Secret cannot stop Berth. */
    @Test
    void whateverASecretHas_isReadOrSaidToBeUnusable() {
        Random random = new Random(1);
        String pair = GOOD.pem() + GOOD.traditionalKey();
        for (int i = 0; i < 2_000; i++) {
            StringBuilder broken = new StringBuilder(pair);
            for (int edit = random.nextInt(4); edit >= 0; edit--) {
                int at = random.nextInt(broken.length());
                if (random.nextBoolean()) {
                    broken.setCharAt(at, (char) (32 + random.nextInt(95)));
                } else {
                    broken.delete(at, Math.min(broken.length(), at + random.nextInt(40)));
                }
            }
            assertThat(read(broken.toString(), broken.toString())).isNotNull();
        }
    }

    @Test
    void aGoodCertificate_isUsed_untilItExpires() {
        ClassCertificate judged = judged(valid(-1, 30), Optional.empty());

        assertThat(judged.usable()).isTrue();
        assertThat(judged.message())
                .isEqualTo("the certificate of Secret \"berth-system/web\" is valid until 2030-01-31T00:00:00Z");
        assertThat(judged.changes()).contains(days(30).plusSeconds(1));
    }

    @Test
    void whatIsWrongWithASecret_takesNothingAway() {
        for (TlsSecret bad :
                List.of(TlsSecret.missing(NAME), TlsSecret.forbidden(NAME), read("", ""), valid(-9, -1), valid(1, 9))) {
            ClassCertificate judged = judged(bad, good());

            assertThat(judged.used()).isEqualTo(good());
            assertThat(judged.usable()).isFalse();
            assertThat(judged.message())
                    .contains(NAME)
                    .contains("the last good")
                    .endsWith("is used on");
        }
        assertThat(judged(TlsSecret.missing(NAME), Optional.empty()).used()).isEmpty();
    }

    @Test
    void oneThatExpiresWhileItIsUsed_isUsedOn_andSaidToBeExpired() {
        TlsSecret secret = valid(-9, -1);

        for (Optional<ServerCertificate> last :
                List.of(Optional.<ServerCertificate>empty(), Optional.of(pair(secret)))) {
            ClassCertificate judged = judged(secret, last);

            assertThat(judged.used()).contains(pair(secret));
            assertThat(judged.reason()).isEqualTo(Reason.CertificateExpired);
            assertThat(judged.message())
                    .isEqualTo("the certificate of Secret \"berth-system/web\" expired at 2029-12-31T00:00:00Z; it is"
                            + " still used: replace it");
            assertThat(judged.changes()).isEmpty();
        }
    }

    /** It is what clients see, whatever is wrong with the Secret. */
    @Test
    void theLastGoodOne_isSaidToHaveExpired_whenItHas() {
        for (TlsSecret bad : List.of(TlsSecret.missing(NAME), valid(-9, -1))) {
            assertThat(judged(bad, good()).changes()).contains(days(30).plusSeconds(1));

            ClassCertificate later = ClassCertificate.of(NAME, bad, good(), days(31));
            assertThat(later.used()).isEqualTo(good());
            assertThat(later.message()).endsWith(" is used on, though it expired at 2030-01-31T00:00:00Z: replace it");
            assertThat(later.changes()).isEmpty();
        }
    }

    @Test
    void oneThatIsNotValidYet_isUsedOnceItIs() {
        TlsSecret secret = valid(1, 9);
        ClassCertificate judged = judged(secret, good());

        assertThat(judged.reason()).isEqualTo(Reason.CertificateNotYetValid);
        assertThat(judged.changes()).contains(days(1));
        assertThat(ClassCertificate.of(NAME, secret, good(), days(1)).used()).contains(pair(secret));
    }
}
