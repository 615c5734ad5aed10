package dev.berth.dataplane.haproxy;

import dev.berth.lab.LabOnly;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.tck.LoadBalancerProviderTck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract, kept with a real HAProxy behind it. */
@LabOnly
class HaproxyProviderIT extends LoadBalancerProviderTck {
    @TempDir
    Path directory;

    private final List<HaproxyProvider> providers = new ArrayList<>();

    @Override
    protected LoadBalancerProvider provider() {
        HaproxyProvider made = new HaproxyProvider(Map.of("directory", directory.toString()));
        providers.add(made);
        return made;
    }

    @AfterEach
    void endHaproxy() throws IOException {
        providers.forEach(HaproxyProvider::close);
        Path pid = directory.resolve("haproxy.pid");
        if (Files.exists(pid)) {
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
