package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketsTest {
    /** No kernel has so many families. */
    private static final int NO_FAMILY = 200;

    @Test
    void socketOfAFamilyThatIsOff_isAbsent() throws IOException {
        assertThat(Sockets.openIfThere(NO_FAMILY, Sockets.SOCK_RAW, 0)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"amd64, 20", "aarch64, 20", "s390x, 20", "riscv64, 20", "ppc64le, 18"})
    void optionOfTheTimeLimit_isThatOfTheArchitecture(String architecture, int option) {
        assertThat(Sockets.receiveTimeout(architecture)).isEqualTo(option);
    }
}
