package dev.berth.agent;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Fields of an object that are read. All others are skipped: an object may have megabytes of what nobody needs. Of a list,
 * those of each element.
 */
final class Fields {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** All that there are, with all that is below them. */
    static final Fields ALL = new Fields(new LinkedHashMap<>());

    private final Map<String, Fields> below;

    private Fields(SequencedMap<String, Fields> below) {
        this.below = below;
    }

    /** These, whole. */
    static Fields of(String... names) {
        SequencedMap<String, Fields> all = new LinkedHashMap<>();
        for (String name : names) {
            all.put(name, ALL);
        }
        return new Fields(all);
    }

    /** With one more, and of that one these. */
    Fields with(String name, Fields itsOwn) {
        SequencedMap<String, Fields> all = new LinkedHashMap<>(below);
        all.put(name, itsOwn);
        return new Fields(all);
    }

    /** The value that the parser is at, and leaves. */
    JsonNode read(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return NODES.nullNode();
        }
        if (below.isEmpty() || !token.isStructStart()) {
            return parser.readValueAsTree();
        }
        return token == JsonToken.START_ARRAY ? elements(parser) : object(parser);
    }

    private ArrayNode elements(JsonParser parser) throws IOException {
        ArrayNode all = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            all.add(read(parser));
        }
        return all;
    }

    private ObjectNode object(JsonParser parser) throws IOException {
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            Fields field = below.get(name);
            parser.nextToken();
            if (field == null) {
                parser.skipChildren();
            } else {
                object.set(name, field.read(parser));
            }
        }
        return object;
    }
}
