package dev.berth.announce;

import java.util.List;

/**
 * An agent that lives, as it says of itself.
 *
 * @param willing whether it takes addresses; not before it knows who else lives, and not when it is about to end
 * @param current whether it hears from the API server; one that does not leaves addresses to those that do
 * @param steady whether it has lived for a while; addresses stay where they are until it has
 * @param links the interfaces of its node
 */
public record Agent(boolean willing, boolean current, boolean steady, List<Link> links) {
    public Agent {
        links = List.copyOf(links);
    }
}
