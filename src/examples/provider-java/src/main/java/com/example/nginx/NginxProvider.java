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
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes one file for each load balancer into a folder that nginx includes. The files are all that there is: a
 * provider that is made anew reads them.
 */
final class NginxProvider implements LoadBalancerProvider {
    private final Path directory;
    private final Capabilities capabilities;

    /** Writes into {@code directory} what sends packets to node ports, or to the pods themselves. */
    NginxProvider(Path directory, Targets targets) {
        this.directory = directory;
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
        refuseDeposed(read(request), request);
        StreamFile file = file(request);
        write(request, file);
        return new EnsureOutcome.Ready(file.status());
    }

    /** All that is known is written anew: the request is whole, and only its targets differ. */
    @Override
    public void updateLoadBalancer(LoadBalancerRequest request) {
        Optional<StreamFile> before = read(request);
        if (before.isEmpty()) {
            throw new ProviderException("there is no " + path(request) + " to update");
        }
        refuseDeposed(before, request);
        write(request, file(request));
    }

    private StreamFile file(LoadBalancerRequest request) {
        return StreamFile.of(getLoadBalancerName(request.service()), request, capabilities.targets());
    }

    @Override
    public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {
        refuseDeposed(read(request), request);
        try {
            Files.deleteIfExists(path(request));
        } catch (IOException failure) {
            throw new ProviderException("deleting " + path(request) + ": " + failure, null, failure);
        }
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
            throw new ProviderException("listing " + directory + ": " + failure, null, failure);
        }
    }

    /** The token is in the file, for the deposed leader is another process. */
    private static void refuseDeposed(Optional<StreamFile> before, LoadBalancerRequest request) {
        before.filter(file -> file.fencingToken() > request.fencingToken()).ifPresent(file -> {
            throw new ProviderException("a later leader (" + file.fencingToken() + ") has written the load balancer of "
                    + request.service() + "; this one is " + request.fencingToken());
        });
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
            throw new ProviderException("reading " + file + ": " + failure, null, failure);
        }
    }

    /** Whole or not at all: nginx may read it at any time. */
    private void write(LoadBalancerRequest request, StreamFile file) {
        Path target = path(request);
        Path half = directory.resolve(target.getFileName() + ".new");
        try {
            Files.writeString(half, file.text());
            Files.move(half, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new ProviderException("writing " + target + ": " + failure, null, failure);
        }
    }

    private void requireDirectory() {
        if (!Files.isDirectory(directory)) {
            throw new ProviderException("there is no folder " + directory + "; mount it, or correct nginx.properties");
        }
    }
}
