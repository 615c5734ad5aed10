package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketsTest {
    @ParameterizedTest
    @CsvSource({"amd64, 20", "aarch64, 20", "s390x, 20", "riscv64, 20", "ppc64le, 18"})
    void optionOfTheTimeLimit_isThatOfTheArchitecture(String architecture, int option) {
        assertThat(Sockets.receiveTimeout(architecture)).isEqualTo(option);
    }
}
