package dev.berth.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What Helm makes of Berth's chart. */
public final class HelmChart {
    private static final String CHART = "src/main/helm/berth";

    private HelmChart() {}

    /**
     * The objects that a release in {@code berth-system} has.
     *
     * @param values as YAML
     * @throws IllegalStateException with what Helm said, if it refuses them
     */
    public static RenderedManifests render(String values) {
        Answer answer = template(values);
        if (answer.code() != 0) {
            throw new IllegalStateException("helm template: " + answer.errors());
        }
        return RenderedManifests.of(answer.output());
    }

    /**
     * What Helm says against these values.
     *
     * @param arguments further ones of {@code helm template}
     * @throws IllegalStateException if it has nothing against them
     */
    public static String refusal(String values, String... arguments) {
        Answer answer = template(values, arguments);
        if (answer.code() == 0) {
            throw new IllegalStateException("helm template takes these values: " + values);
        }
        return answer.errors();
    }

    /**
     * What Helm says against installing the chart, with its own values, on a cluster.
     *
     * @param arguments further ones of {@code helm install}
     * @throws IllegalStateException if it has nothing against it
     */
    public static String installRefusal(Path kubeconfig, String release, String... arguments) {
        List<String> command = new ArrayList<>(List.of("install", release, CHART, "--kubeconfig=" + kubeconfig));
        command.addAll(List.of(arguments));
        Answer answer = helm(command, "");
        if (answer.code() == 0) {
            throw new IllegalStateException("helm install installs " + release);
        }
        return answer.errors();
    }

    private record Answer(int code, String output, String errors) {}

    private static Answer template(String values, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of("template", "berth", CHART, "--namespace=berth-system", "--values=-"));
        command.addAll(List.of(arguments));
        return helm(command, values);
    }

    private static Answer helm(List<String> arguments, String standardInput) {
        try {
            Path errors = Files.createTempFile("helm", ".err");
            try {
                ProcessBuilder command =
                        new ProcessBuilder(KubeBinaries.ofThisMachine().helm().toString());
                command.command().addAll(arguments);
                Process helm = command.redirectError(errors.toFile()).start();
                try (OutputStream input = helm.getOutputStream()) {
                    input.write(standardInput.getBytes(UTF_8));
                }
                String output;
                try (InputStream rendered = helm.getInputStream()) {
                    output = new String(rendered.readAllBytes(), UTF_8);
                }
                return new Answer(helm.onExit().join().exitValue(), output, Files.readString(errors));
            } finally {
                Files.delete(errors);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
