package dev.berth.announce;

import java.util.List;

/**
 * An agent that lives, as it says of itself.
 *
 * @param willing whether it takes addresses; not before it knows who else lives, and not when it is about to end
 * @param current whether it hears from the API server; one that does not leaves addresses to those that do
 * @param links the interfaces of its node
 */
public record Agent(boolean willing, boolean current, List<Link> links) {
    public Agent {
        links = List.copyOf(links);
    }
}
