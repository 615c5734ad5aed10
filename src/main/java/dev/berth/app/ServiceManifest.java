package dev.berth.app;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the manifest of one Service. */
final class ServiceManifest {
    static final String STDIN = "-";

    private ServiceManifest() {}

    /**
     * The Service in {@code file}, with all of its fields, those that nobody knows, too.
     *
     * @param file YAML or JSON; {@link #STDIN}: standard input
     * @throws CannotLook if it cannot be read, or is not the manifest of one Service with a name
     */
    static Service read(KubernetesClient client, String file) throws CannotLook {
        List<HasMetadata> objects;
        try (InputStream in = file.equals(STDIN) ? System.in : Files.newInputStream(Path.of(file))) {
            objects = client.load(in).items();
        } catch (NoSuchFileException missing) {
            throw unfit(file, "there is no such file");
        } catch (AccessDeniedException denied) {
            throw unfit(file, "it is not yours to read");
        } catch (IOException | RuntimeException unreadable) {
            throw unfit(file, YamlFault.of(unreadable));
        }
        if (objects.size() != 1) {
            throw unfit(
                    file,
                    "it has to be the manifest of one Service, and has " + objects.size() + " objects"
                            + (objects.isEmpty()
                                    ? ""
                                    : objects.stream()
                                            .map(HasMetadata::getKind)
                                            .collect(Collectors.joining(", ", " (", ")"))));
        }
        if (objects.getFirst() instanceof Service service
                && service.getSpec() != null
                && service.getMetadata() != null
                && service.getMetadata().getName() != null) {
            return service;
        }
        throw unfit(file, "it has to be the manifest of one Service with a name");
    }

    private static CannotLook unfit(String file, String why) {
        return new CannotLook("reading " + file + ": " + why);
    }
}
