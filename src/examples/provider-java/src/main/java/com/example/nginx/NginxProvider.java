package com.example.nginx;

import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes one file for each load balancer into a folder that nginx includes. The files are all that there is: a
 * provider that is created later reads them.
 */
final class NginxProvider implements LoadBalancerProvider {
    private final Path directory;
    private final Tokens tokens;
    private final Reload reload;
    private final Capabilities capabilities;

    /** Writes into {@code directory} what sends packets to node ports, or to the pods themselves. */
    NginxProvider(Path directory, Reload reload, Targets targets) {
        this.directory = directory;
        this.tokens = new Tokens(directory);
        this.reload = reload;
        capabilities = Capabilities.fromPools(IpMode.PROXY)
                .withTargets(targets)
                .withFeatures(Feature.MIXED_PROTOCOLS, Feature.SOURCE_RANGES, Feature.LISTING);
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String getLoadBalancerName(ServiceIdentity service) {
        return "berth-" + service.uid();
    }

    @Override
    public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
        return read(request).map(StreamFile::status);
    }

    @Override
    public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
        requireDirectory();
        tokens.refuseDeposed(request);
        StreamFile file = file(request);
        write(path(request), file.text());
        reload.run();
        return EnsureOutcome.ready(file.status());
    }

    /** All that is known is written again: the request is whole, and only its targets differ. */
    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        if (read(request).isEmpty()) {
            throw new ProviderException("there is no " + path(request) + " to update");
        }
        tokens.refuseDeposed(request);
        write(path(request), file(request).text());
        reload.run();
    }

    private StreamFile file(LoadBalancerRequest request) {
        return StreamFile.of(getLoadBalancerName(request.service()), request, capabilities.targets());
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        requireDirectory();
        tokens.refuseDeposed(request);
        try {
            Files.deleteIfExists(path(request));
        } catch (IOException failure) {
            throw new ProviderException("deleting " + path(request) + ": " + failure, failure);
        }
        // Also where there was none: the process may have ended between the two.
        reload.run();
    }

    @Override
    public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        requireDirectory();
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".conf"))
                    .sorted()
                    .flatMap(file -> read(file).stream())
                    .filter(file -> file.clusterName().equals(clusterName))
                    .map(file -> new ListedLoadBalancer(getLoadBalancerName(file.service()), file.service()))
                    .toList();
        } catch (IOException failure) {
            throw new ProviderException("listing " + directory + ": " + failure, failure);
        }
    }

    private Path path(LoadBalancerRequest request) {
        return directory.resolve(getLoadBalancerName(request.service()) + ".conf");
    }

    private Optional<StreamFile> read(LoadBalancerRequest request) {
        requireDirectory();
        return read(path(request));
    }

    private static Optional<StreamFile> read(Path file) {
        try {
            return Optional.of(StreamFile.parse(Files.readString(file)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException failure) {
            throw new ProviderException("reading " + file + ": " + failure, failure);
        }
    }

    /** Whole or not at all, also if the host loses its power: nginx may read it at any time. */
    static void write(Path target, String text) {
        Path half = target.resolveSibling(target.getFileName() + ".new");
        try {
            Files.writeString(half, text);
            try (FileChannel written = FileChannel.open(half, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(half, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new ProviderException("writing " + target + ": " + failure, failure);
        }
    }

    private void requireDirectory() {
        if (!Files.isDirectory(directory)) {
            throw new ProviderException("there is no folder " + directory + "; mount it, or correct nginx.properties");
        }
    }
}
