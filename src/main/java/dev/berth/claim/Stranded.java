package dev.berth.claim;

import java.util.List;

/**
 * The addresses of Services that came from a pool and are no longer in any pool.
 *
 * @param first the lowest of them, as many as were asked for
 */
public record Stranded(int total, List<Holding> first) {
    public static final Stranded NONE = new Stranded(0, List.of());

    public Stranded {
        first = List.copyOf(first);
    }
}
