package dev.berth.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SharingTest {
    private static final String LONG =
            "ipMode VIP, externalTrafficPolicy Local, selector {app=" + "x".repeat(5000) + "}";

    private static Sharing of(String terms) {
        return new Sharing("key", terms, List.of());
    }

    @Test
    void termsOfAnyLength_areKeptInFewCharacters_thatBeginLikeThem() {
        assertThat(of(LONG).terms())
                .hasSizeLessThan(512)
                .startsWith("ipMode VIP, externalTrafficPolicy Local, selector {app=xxx");
    }

    @Test
    void longTerms_areTheSame_onlyIfTheyWereTheSameInFull() {
        assertThat(of(LONG).admits(of(LONG))).isTrue();
        assertThat(of(LONG).admits(of(LONG + " "))).isFalse();
    }

    @Test
    void termsThatWereKeptWholeOnce_areThoseThatAreShortenedNow() {
        String keptWhole = LONG.substring(0, 4096);

        assertThat(of(keptWhole)).isEqualTo(of(of(keptWhole).terms()));
    }

    @Test
    void shortTerms_stayAsTheyAre() {
        assertThat(of("ipMode VIP, externalTrafficPolicy Cluster").terms())
                .isEqualTo("ipMode VIP, externalTrafficPolicy Cluster");
    }
}
