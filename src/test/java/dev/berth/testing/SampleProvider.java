package dev.berth.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A provider of its own, such as src/examples/provider-java, built as its users build it: of the published jars, JSpecify and JUnit alone. */
public final class SampleProvider {
    private static final Path PROJECT = Path.of("src/examples/provider-java");
    private static final Pattern JUNIT = Pattern.compile("(junit-(jupiter|platform)|opentest4j|apiguardian)-.*");
    private static final Pattern JSPECIFY = Pattern.compile("jspecify-.*");

    private final Path project;
    private final Path into;

    private SampleProvider(Path project, Path into) {
        this.project = project;
        this.into = into;
    }

    /** Compiles src/examples/provider-java into this folder. */
    public static SampleProvider compiledInto(Path folder) {
        return compiledInto(PROJECT, folder);
    }

    /** Compiles a project with Maven's folders into {@code folder}. */
    public static SampleProvider compiledInto(Path project, Path folder) {
        SampleProvider sample = new SampleProvider(project, folder);
        run("javac", sample.compilation("main", List.of(published("spi"), onClassPath(JSPECIFY))));
        return sample;
    }

    /**
     * A jar that Maven has packaged.
     *
     * @throws IllegalStateException if it has not
     */
    public static Path published(String classifier) {
        try (Stream<Path> jars = Files.list(Build.file(""))) {
            return jars.filter(jar -> jar.getFileName().toString().matches("berth-[0-9].*-" + classifier + "\\.jar"))
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalStateException("the jar " + classifier + " is missing; run mvn package"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The plug-in. */
    public Path jar() {
        Path jar = into.resolve("berth-nginx-1.jar");
        run(
                "jar",
                List.of(
                        "--create",
                        "--file=" + jar,
                        "-C",
                        classes("main").toString(),
                        ".",
                        "-C",
                        project.resolve("src/main/resources").toString(),
                        "."));
        return jar;
    }

    /** Runs its tests in their own JVM; returns what JUnit said, and at its end the JVM's exit code. */
    public String test() {
        String needed = Stream.of(published("spi").toString(), published("tck").toString(), onClassPath(JSPECIFY))
                .map(String::valueOf)
                .collect(Collectors.joining(":"));
        run("javac", compilation("test", List.of(classes("main"), needed, onClassPath(JUNIT))));
        Path log = into.resolve("junit.log");
        try {
            int exitCode = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            classes("main") + ":" + classes("test") + ":" + needed + ":" + onClassPath(JUNIT),
                            "org.junit.platform.console.ConsoleLauncher",
                            "execute",
                            "--scan-classpath=" + classes("test"),
                            "--details=testfeed",
                            "--disable-banner",
                            "--disable-ansi-colors")
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start()
                    .waitFor();
            return Files.readString(log) + "exit code " + exitCode;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }

    private Path classes(String tree) {
        return into.resolve(tree + "-classes");
    }

    private List<String> compilation(String tree, List<?> classPath) {
        List<String> arguments = new ArrayList<>(List.of(
                "-parameters",
                "-Xlint:all,-classfile",
                "-Werror",
                "-d",
                classes(tree).toString(),
                "-cp",
                classPath.stream().map(String::valueOf).collect(Collectors.joining(":"))));
        try (Stream<Path> sources = Files.walk(project.resolve("src/" + tree + "/java"))) {
            sources.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return arguments;
    }

    private static String onClassPath(Pattern names) {
        return Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(jar -> names.matcher(String.valueOf(Path.of(jar).getFileName()))
                        .matches())
                .collect(Collectors.joining(":"));
    }

    /** Runs a tool of the JDK. */
    public static void run(String tool, List<String> arguments) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        int exitCode = ToolProvider.findFirst(tool).orElseThrow().run(out, out, arguments.toArray(new String[0]));
        if (exitCode != 0) {
            throw new IllegalStateException(
                    tool + " ended with " + exitCode + ": " + said.toString(StandardCharsets.UTF_8));
        }
    }
}
