package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kernel answers when it is asked for all addresses. */
class MarkedAddressesTest {
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;

    private static ByteBuffer code(int code) {
        return ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(0, code);
    }

    @ParameterizedTest
    @ValueSource(ints = {NLMSG_ERROR, NLMSG_DONE})
    void listThatEndsInAnError_isNone(int type) {
        assertThatThrownBy(() -> MarkedAddresses.collect(type, code(-16), new ArrayList<>()))
                .isInstanceOf(IOException.class)
                .hasMessage("reading addresses: error 16 of the kernel");
    }

    @Test
    void listThatEndsWell_isOver() throws IOException {
        assertThat(MarkedAddresses.collect(NLMSG_DONE, code(0), new ArrayList<>()))
                .isFalse();
    }
}
