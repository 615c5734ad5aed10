package dev.berth.migration;

import dev.berth.loadbalancer.ForeignAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The controllers that Berth takes Services over from.
 *
 * @param sources how Services speak to them
 */
public record MigrationSources(List<ForeignAnnotations> sources) {
    /** By default: what others allocated is theirs. */
    public static final MigrationSources NONE = new MigrationSources(List.of());

    public MigrationSources {
        sources = List.copyOf(sources);
    }

    /**
     * The controllers that {@code text} names, with commas between them.
     *
     * @throws IllegalArgumentException if it names one that is not known; the message lists those that are
     */
    public static MigrationSources parse(String text) {
        List<ForeignAnnotations> named = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            if (!name.isBlank()) {
                ForeignAnnotations source = named(name.trim())
                        .orElseThrow(
                                () -> new IllegalArgumentException("\"" + name.trim() + "\" is not known; known are "
                                        + ForeignAnnotations.KNOWN.stream()
                                                .map(ForeignAnnotations::controller)
                                                .collect(Collectors.joining(", "))));
                if (!named.contains(source)) {
                    named.add(source);
                }
            }
        }
        return new MigrationSources(named);
    }

    private static Optional<ForeignAnnotations> named(String name) {
        return ForeignAnnotations.KNOWN.stream()
                .filter(source -> source.controller().equals(name))
                .findFirst();
    }
}
