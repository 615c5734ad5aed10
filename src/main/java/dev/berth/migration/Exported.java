package dev.berth.migration;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What becomes of one object of another controller.
 *
 * @param origin like {@code BGPPeer "tor"}
 * @param objects of Berth's kinds; empty: it has no counterpart, and a note says so
 * @param notes what does not carry over, and what is left to do: sentences without an end
 */
public record Exported(String origin, List<JsonNode> objects, List<String> notes) {
    public Exported {
        objects = List.copyOf(objects);
        notes = List.copyOf(notes);
    }

    /** As a comment of YAML: what the objects after it are from, and the notes. */
    public String comment() {
        StringBuilder comment = new StringBuilder("# " + origin + "\n");
        notes.forEach(note -> comment.append("# - ").append(note).append('\n'));
        return comment.toString();
    }
}
