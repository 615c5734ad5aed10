package com.example.nginx;

import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The highest fencing token of each cluster, a file each: the deposed leader is another process, and a load balancer that
 * is deleted has no place for it any more.
 */
final class Tokens {
    private final Path directory;

    Tokens(Path directory) {
        this.directory = directory;
    }

    /** @throws ProviderException if a later leader was here */
    synchronized void refuseDeposed(LoadBalancerRequest request) {
        Path file = directory.resolve("token-" + URLEncoder.encode(request.clusterName(), StandardCharsets.UTF_8));
        long seen = read(file);
        if (seen > request.fencingToken()) {
            throw new ProviderException("a later leader (" + seen + ") of cluster \"" + request.clusterName()
                    + "\" was here; this one is " + request.fencingToken());
        }
        if (seen < request.fencingToken()) {
            NginxProvider.write(file, Long.toString(request.fencingToken()));
        }
    }

    private static long read(Path file) {
        try {
            return Long.parseLong(Files.readString(file));
        } catch (NoSuchFileException none) {
            return 0;
        } catch (IOException | NumberFormatException failure) {
            throw new ProviderException("reading " + file + ": " + failure, failure);
        }
    }
}
