package dev.berth.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the version of the project that was built. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        try (InputStream text = Objects.requireNonNull(Version.class.getResourceAsStream("version"))) {
            return new String[] {"berth " + new String(text.readAllBytes(), StandardCharsets.UTF_8).strip()};
        }
    }
}
