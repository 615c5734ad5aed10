package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What src/examples/provider-java has written into a folder for nginx. */
public record NginxFiles(Path directory) {
    private static final String SERVICE = "# berth service ";

    /**
     * Puts the plug-in into a plug-in folder.
     *
     * @param build a folder that does not exist yet
     * @param settings further lines of its settings
     */
    public void pluginInto(Path plugins, Path build, String settings) throws IOException {
        Files.createDirectories(directory);
        Files.copy(SampleProvider.compiledInto(build).jar(), plugins.resolve("berth-nginx-1.jar"));
        Files.writeString(plugins.resolve("nginx.properties"), "directory = " + directory + "\n" + settings);
    }

    /** What nginx reads: a file that is half written has another name. */
    public List<Path> all() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".conf"))
                    .sorted()
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All files as one. */
    public String text() {
        return all().stream().map(NginxFiles::read).collect(Collectors.joining("\n"));
    }

    /** The names of the Services that nginx serves, in order. */
    public List<String> services() {
        return text().lines()
                .filter(line -> line.startsWith(SERVICE))
                .map(line -> line.substring(SERVICE.length()))
                .sorted()
                .toList();
    }

    /** Empty where the file was deleted since it was listed. */
    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException deleted) {
            return "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
