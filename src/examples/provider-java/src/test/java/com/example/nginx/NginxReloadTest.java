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
import org.junit.jupiter.api.Timeout;
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

    /** A file that a killed process has left half written. */
    @Test
    void halfAFile_isServedByNobody_andKeepsNoCallFromItsWork() throws IOException {
        Path directory = temporary.resolve("conf.d");
        for (String name : List.of("berth-1.conf.new", "berth-2.conf.new", "token-here.new")) {
            Files.writeString(directory.resolve(name), "# ber");
        }

        assertTrue(provider.getLoadBalancer(WEB).isEmpty());
        assertEquals(List.of(), provider.listLoadBalancers("here"));
        provider.ensureLoadBalancer(WEB);
        assertEquals(List.of("berth-1.conf"), served());
        provider.ensureLoadBalancerDeleted(WEB);
        assertEquals(List.of(), served());
    }

    /**
     * With a process in the place of nginx' worker that ends, as they do, some time after nginx has been told to reload.
     */
    @Test
    @Timeout(60)
    void theScript_endsOnceTheWorkersOfBefore_takeNoConnections() throws Exception {
        Path nginx = Files.createDirectory(temporary.resolve("bin")).resolve("nginx");
        Files.writeString(
                nginx, "#!/bin/sh\n[ \"$1\" = -t ] || { echo \"$@\" > reloaded; (sleep 0.5; kill $(cat worker)) & }\n");
        assertTrue(nginx.toFile().setExecutable(true));
        Process master =
                started("mkfifo lasting; (exec -a 'nginx: worker process' cat <>lasting) & echo $! > worker.new;"
                        + " mv worker.new worker; wait; exec sleep 60");
        try {
            Path worker = temporary.resolve("worker");
            while (!Files.exists(worker) || commandOf(worker).isEmpty()) {
                Thread.onSpinWait();
            }
            Files.writeString(temporary.resolve("pid"), master.pid() + "\n");

            Process script = started("PATH=" + nginx.getParent() + ":$PATH NGINX_PID=pid sh " + script());

            assertEquals(0, script.waitFor());
            assertEquals("-s reload\n", Files.readString(temporary.resolve("reloaded")));
            assertEquals("", commandOf(worker));
        } finally {
            master.descendants().forEach(ProcessHandle::destroyForcibly);
            master.destroyForcibly();
        }
    }

    /** Wherever the tests are run from. */
    private static Path script() {
        return Stream.of("", "src/examples/provider-java")
                .map(folder -> Path.of(folder, "reload-nginx").toAbsolutePath())
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
    }

    /** The command line, once it is that of a worker; empty: it is not yet, or no more. */
    private static String commandOf(Path pid) throws IOException {
        Path commandLine = Path.of("/proc", Files.readString(pid).strip(), "cmdline");
        String text = Files.exists(commandLine) ? Files.readString(commandLine) : "";
        return text.startsWith("nginx: ") ? text : "";
    }

    private Process started(String commands) throws IOException {
        return new ProcessBuilder("bash", "-c", commands)
                .directory(temporary.toFile())
                .inheritIO()
                .start();
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
