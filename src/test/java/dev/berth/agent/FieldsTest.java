package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FieldsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode read(Fields fields, String text) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            JsonNode read = fields.read(parser);
            assertThat(parser.nextToken()).as("after it").isNull();
            return read;
        }
    }

    @Test
    void whatIsNotNamed_isNotRead_howeverDeepItIs() throws IOException {
        Fields fields = Fields.of("kind").with("metadata", Fields.of("name"));
        assertThat(read(fields, """
                {"status": {"a": [{"b": {}}], "kind": 1}, "kind": "Node", "x": null,
                 "metadata": {"annotations": {"name": "y", "z": ["w"]}, "name": "a"}}
                """)).isEqualTo(JSON.readTree("""
                {"kind": "Node", "metadata": {"name": "a"}}
                """));
    }

    @Test
    void ofEachElementOfAList_theSameIsRead() throws IOException {
        Fields fields = Fields.of().with("taints", Fields.of("key"));
        assertThat(read(fields, """
                {"taints": [{"key": "a", "effect": "NoSchedule"}, null, "odd", {"effect": "x"}]}
                """)).isEqualTo(JSON.readTree("""
                {"taints": [{"key": "a"}, null, "odd", {}]}
                """));
    }

    @Test
    void whatIsNamed_isReadAsItIs_alsoIfItIsNoObject() throws IOException {
        Fields fields = Fields.of("all").with("metadata", Fields.of("name"));
        String text = """
                {"all": {"a": {"b": [1, true, null]}}, "metadata": null}
                """;
        assertThat(read(fields, text)).isEqualTo(JSON.readTree(text));
        assertThat(read(fields, "{\"metadata\": 5}")).isEqualTo(JSON.readTree("{\"metadata\": 5}"));
    }

    @Test
    void whatIsWrongWithAWatch_isRead() throws IOException {
        assertThat(read(WatchedKind.NODES.event(), """
                {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}
                """)).isEqualTo(JSON.readTree("""
                        {"type": "ERROR", "object": {"message": "too old"}}
                        """));
    }
}
