package com.example.nginx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call returns once nginx serves what the files say. */
class NginxReloadTest {
    private static final LoadBalancerRequest WEB = LoadBalancerRequest.builder(
                    "here", new ServiceIdentity("n", "web", "1"), IpMode.PROXY)
            .addresses(List.of("198.51.100.1"))
            .build();

    @TempDir
    private Path temporary;

    private LoadBalancerProvider provider;

    @BeforeEach
    void begin() throws IOException {
        Path directory = Files.createDirectory(temporary.resolve("conf.d"));
        reloadBy("rm -rf served; cp -r conf.d served");
        provider = new NginxProviderFactory()
                .create(Map.of("directory", directory.toString(), "reload", "sh " + temporary.resolve("reload")));
    }

    /** In the place of nginx: what it has copied is what is served. */
    private void reloadBy(String commands) throws IOException {
        Files.writeString(temporary.resolve("reload"), "cd " + temporary + "; " + commands);
    }

    private List<String> served() throws IOException {
        try (Stream<Path> files = Files.list(temporary.resolve("served"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".conf"))
                    .toList();
        }
    }

    @Test
    void whenACallReturns_nginxServesWhatItAskedFor() throws IOException {
        provider.ensureLoadBalancer(WEB);
        assertEquals(List.of("berth-1.conf"), served());
        provider.ensureLoadBalancerDeleted(WEB);
        assertEquals(List.of(), served());
    }

    @Test
    void aReloadThatFails_failsTheDelete_andTheSecondDeleteReloads() throws IOException {
        provider.ensureLoadBalancer(WEB);
        reloadBy("echo no such socket; exit 1");

        ProviderException failure =
                assertThrows(ProviderException.class, () -> provider.ensureLoadBalancerDeleted(WEB));
        assertTrue(failure.getMessage().endsWith("ends with code 1: no such socket"), failure::getMessage);
        assertEquals(List.of("berth-1.conf"), served());

        reloadBy("rm -rf served; cp -r conf.d served");
        provider.ensureLoadBalancerDeleted(WEB);
        assertEquals(List.of(), served());
    }
}
