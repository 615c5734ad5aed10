package dev.berth.announce;

/**
 * How an agent hears from the API server. An outage is noticed by each agent at a moment of its own, and so is its end;
 * between the first and the last of them nobody is RELIABLE.
 */
public enum ApiContact {
    /** It has answered each time for a while. */
    RELIABLE,
    /** It does not answer just now, or answers again since lately. */
    UNSURE,
    /** It has not answered for long: what the agent knows may be old. */
    LOST
}
