package com.example.nginx;

import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ProviderFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What Berth finds in the jar. */
public final class NginxProviderFactory implements ProviderFactory {
    @Override
    public String name() {
        return "nginx";
    }

    @Override
    public LoadBalancerProvider create(Map<String, String> settings) {
        String directory = settings.get("directory");
        if (directory == null) {
            throw new ProviderException("nginx.properties has no \"directory\"; name the folder that nginx includes");
        }
        return new NginxProvider(
                Path.of(directory),
                new Reload(words(settings.getOrDefault("reload", ""))),
                targets(settings.getOrDefault("targets", "nodes")));
    }

    private static List<String> words(String line) {
        return Stream.of(line.split(" ")).filter(word -> !word.isEmpty()).toList();
    }

    private static Targets targets(String named) {
        return switch (named) {
            case "nodes" -> Targets.NODE_PORTS;
            case "endpoints" -> Targets.ENDPOINTS;
            default ->
                throw new ProviderException(
                        "\"targets\" in nginx.properties is \"" + named + "\"; it is nodes or endpoints");
        };
    }
}
