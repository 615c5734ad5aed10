package dev.berth.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.plugin.grpc.v1.ProviderProto;
import dev.berth.testing.Build;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plug-ins that were compiled against a release work with each later one of the same major version. {@code src/api} has what they
 * may use now, so that each change of it is seen in review, and {@code src/api/<version>} what they could in that release.
 */
class ReleasedContractTest {
    private static final Path FORMS = Path.of("src/api");
    private static final Pattern VERSION =
            Pattern.compile("<artifactId>berth</artifactId>\\s*<version>([^<]+)</version>");

    /** Compares what was released with what there is. */
    private interface Rule {
        List<String> broken(List<String> released, List<String> now);
    }

    private record Part(String file, List<String> now, Rule rule) {}

    private static List<Part> parts() {
        return List.of(
                new Part(
                        "spi.api",
                        JavaForm.of("dev.berth.provider", Build.file("classes/dev/berth/provider")),
                        JavaForm::broken),
                new Part(
                        "tck.api",
                        JavaForm.of("dev.berth.provider.tck", Build.file("test-classes/dev/berth/provider/tck")),
                        JavaForm::broken),
                new Part("wire.api", WireForm.of(ProviderProto.getDescriptor()), WireForm::broken));
    }

    @Test
    void whatPluginsMayUse_isWrittenDown() throws IOException {
        for (Part part : parts()) {
            Path file = FORMS.resolve(part.file());
            if (Boolean.getBoolean("api.write")) {
                Files.write(file, part.now());
            }
            assertThat(Files.readAllLines(file))
                    .as("%s; if the change is meant, write it with -Dapi.write=true", file)
                    .isEqualTo(part.now());
        }
    }

    @Test
    void whatWasReleased_isThereStill() throws IOException {
        assertThat(brokenIn(FORMS, parts())).isEmpty();
    }

    @Test
    void aRelease_leavesWhatItsPluginsMayUse() throws IOException {
        String version = VERSION.matcher(Files.readString(Path.of("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
        assertThat(missingOf(version, FORMS, parts()))
                .as("a release begins with: mkdir src/api/%s && cp src/api/*.api src/api/%s/", version, version)
                .isEmpty();
    }

    /** What no longer works of what any release in the folder had. */
    private static List<String> brokenIn(Path forms, List<Part> parts) throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path release : releases(forms)) {
            for (Part part : parts) {
                part.rule()
                        .broken(Files.readAllLines(release.resolve(part.file())), part.now())
                        .forEach(what -> broken.add(release.getFileName() + ": " + what));
            }
        }
        return broken;
    }

    private static List<Path> releases(Path forms) throws IOException {
        try (Stream<Path> all = Files.list(forms)) {
            return all.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static List<Path> missingOf(String version, Path forms, List<Part> parts) {
        return version.endsWith("-SNAPSHOT")
                ? List.of()
                : parts.stream()
                        .map(part -> forms.resolve(version).resolve(part.file()))
                        .filter(file -> !Files.exists(file))
                        .toList();
    }

    // ---- that it would notice

    @Test
    void beforeTheFirstRelease_nothingIsCompared_andARelease_mayNotForget(@TempDir Path forms) throws IOException {
        assertThat(brokenIn(forms, parts())).isEmpty();
        assertThat(missingOf("0.1.0-SNAPSHOT", forms, parts())).isEmpty();
        assertThat(missingOf("0.1.0", forms, parts())).hasSize(3);
    }

    @Test
    void whatAReleaseHad_andIsGone_isNoticed_byItsVersion(@TempDir Path forms) throws IOException {
        Path release = Files.createDirectory(forms.resolve("0.1.0"));
        for (Part part : parts()) {
            Files.write(release.resolve(part.file()), part.now());
        }
        assertThat(brokenIn(forms, parts())).isEmpty();

        Files.writeString(release.resolve("spi.api"), "dev.berth.provider.Gone is interface\n");

        assertThat(brokenIn(forms, parts())).contains("0.1.0: is gone: dev.berth.provider.Gone is interface");
    }

    @Test
    void inJava_whatIsGone_andWhatMustBeImplementedNow_areNoticed_andADefaultIsNot() {
        List<String> before = List.of("p.T is interface", "p.T has public abstract void p.T.name()");
        List<String> grown = Stream.concat(
                        before.stream(),
                        Stream.of(
                                "p.New has public abstract void p.New.any()",
                                "p.New is interface",
                                "p.T has public abstract void p.T.zone()",
                                "p.T has public default void p.T.region()"))
                .toList();

        assertThat(JavaForm.broken(before, before)).isEmpty();
        assertThat(JavaForm.broken(before, grown))
                .containsExactly("is not implemented by what exists; give it a default: "
                        + "p.T has public abstract void p.T.zone()");
        assertThat(JavaForm.broken(grown, before)).hasSize(4).allMatch(what -> what.startsWith("is gone: "));
    }

    @Test
    void onTheWire_whatIsGone_isNoticed_unlessItsNumberIsReserved() {
        List<String> before = List.of("m.Node 1 name: one string", "m.Node 2 zone: one string");

        assertThat(WireForm.broken(before, before)).isEmpty();
        assertThat(WireForm.broken(
                        before,
                        Stream.concat(before.stream(), Stream.of("m.Node 3 rack: one string"))
                                .toList()))
                .isEmpty();
        assertThat(WireForm.broken(before, List.of("m.Node 1 name: one string", "m.Node 2 reserved")))
                .isEmpty();
        assertThat(WireForm.broken(before, List.of("m.Node 1 name: one string")))
                .containsExactly("is gone or changed, and its number not reserved: m.Node 2 zone: one string");
        assertThat(WireForm.broken(before, List.of("m.Node 1 name: one bytes", "m.Node 2 zone: one string")))
                .containsExactly("is gone or changed, and its number not reserved: m.Node 1 name: one string");
    }

    @Test
    void whatPluginAuthorsMake_hasNoConstructorThatWouldHaveToGrow() {
        assertThat(JavaForm.of("dev.berth.provider", Build.file("classes/dev/berth/provider")))
                .noneMatch(
                        line -> line.matches(
                                ".* has (public|protected) "
                                        + "(Ingress|Capabilities|EnsureOutcome.*|LoadBalancerRequest|LoadBalancerRequest\\$Node|LoadBalancerStatus)\\(.*"));
    }
}
