package dev.berth.agent.membership;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedKeyTest {
    private static final String OLD = "0123456789abcdef";
    private static final String NEW = "fedcba9876543210";
    private static final byte[] MESSAGE = "here I am".getBytes(UTF_8);

    @TempDir
    private Path folder;

    private SharedKey of(String text) throws IOException {
        return SharedKey.read(Files.writeString(folder.resolve("key"), text));
    }

    @Test
    void fileThatIsMissing_isNamed() {
        Path missing = folder.resolve("key");
        assertThatThrownBy(() -> SharedKey.read(missing))
                .isInstanceOf(IOException.class)
                .hasMessage("there is no file " + missing + "; it must have the key that the agents share");
    }

    @Test
    void fileWithoutAKey_isRefused() {
        assertThatThrownBy(() -> of("\n  \n"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("there is no key in ");
    }

    @Test
    void keyOfLessThan16Characters_isRefused_alsoTheSecond() {
        assertThatThrownBy(() -> of(OLD + "\n" + NEW.substring(1)))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith(" is shorter than 16 characters; take 32 at random");
    }

    @Test
    void messageIsSealedByTheFirstKey_andOpenedByEither() throws IOException {
        SharedKey before = of(OLD);
        SharedKey both = of(OLD + "\n" + NEW + "\n");
        SharedKey swapped = of(NEW + "\n" + OLD + "\n");

        assertThat(before.opened(both.sealed(MESSAGE))).hasValue(MESSAGE);
        assertThat(both.opened(swapped.sealed(MESSAGE))).hasValue(MESSAGE);
        assertThat(before.opened(swapped.sealed(MESSAGE))).isEmpty();
    }

    @Test
    void messageThatIsChanged_orTooShort_isNotOpened() throws IOException {
        SharedKey key = of(OLD);
        byte[] sealed = key.sealed(MESSAGE);
        sealed[sealed.length - 1] ^= 1;
        assertThat(key.opened(sealed)).isEmpty();
        assertThat(key.opened(new byte[12])).isEmpty();
    }
}
