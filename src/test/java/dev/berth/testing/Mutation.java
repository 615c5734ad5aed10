package dev.berth.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Changes a few values of an object, within its types, as only a hostile or an odd writer would. */
public final class Mutation {
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "x",
            "tcp",
            "QUIC",
            "True",
            "null",
            "-1",
            "99999999999999999999",
            "999999d999999d999999d",
            "0000-00-00T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "2026-02-30T00:00:00Z",
            "010.001.000.001",
            "::ffff:192.0.2.1",
            "fe80::1%eth0",
            "1.2.3.4/33",
            "0.0.0.0/0",
            "::/0",
            "192.0.2.9-192.0.2.1",
            "192.0.2.1-2001:db8::1",
            "1.2.3",
            "*",
            "1.2.3.4,5.6.7.8",
            "\u0000\u001b[31m\n",
            "٣.٣.٣.٣",
            "a".repeat(5_000));

    private final RandomGenerator random;
    private final List<Long> numbers;
    private final boolean typed;

    /**
     * One that draws from {@code random}.
     *
     * @param typed whether a value keeps its type, and a number 32 bits, as in the kinds that Kubernetes decodes itself
     */
    public Mutation(RandomGenerator random, boolean typed) {
        this.random = random;
        this.typed = typed;
        numbers = typed
                ? List.of(0L, -1L, 65_536L, (long) Integer.MAX_VALUE, (long) Integer.MIN_VALUE)
                : List.of(0L, -1L, -5L, 65_536L, 5_000_000_000L, Long.MAX_VALUE, Long.MIN_VALUE);
    }

    /** A copy with up to five changes of {@code parts}, such as {@code metadata/labels}, or below them. */
    public JsonNode of(JsonNode object, String... parts) {
        JsonNode copy = object.deepCopy();
        int changes = 1 + random.nextInt(5);
        for (int i = 0; i < changes; i++) {
            List<Runnable> possible = new ArrayList<>();
            for (String part : parts) {
                int slash = part.lastIndexOf('/');
                JsonNode parent = copy.at(slash < 0 ? "" : "/" + part.substring(0, slash));
                String name = part.substring(slash + 1);
                if (parent instanceof ObjectNode holder && holder.has(name)) {
                    possible.add(() -> change(holder, name, holder.get(name)));
                    collect(holder.get(name), possible);
                }
            }
            if (!possible.isEmpty()) {
                possible.get(random.nextInt(possible.size())).run();
            }
        }
        return copy;
    }

    private void collect(JsonNode node, List<Runnable> possible) {
        switch (node) {
            case ObjectNode object ->
                object.properties().forEach(entry -> {
                    String name = entry.getKey();
                    possible.add(() -> change(object, name, entry.getValue()));
                    collect(entry.getValue(), possible);
                });
            case ArrayNode array -> {
                for (int i = 0; i < array.size(); i++) {
                    int index = i;
                    JsonNode value = array.get(i);
                    if (value.isValueNode()) {
                        possible.add(() -> {
                            if (index < array.size()) {
                                array.set(index, other(value));
                            }
                        });
                    } else {
                        possible.add(() -> array.add(value.deepCopy()));
                    }
                    collect(value, possible);
                }
            }
            default -> {}
        }
    }

    private void change(ObjectNode object, String name, JsonNode value) {
        switch (random.nextInt(4)) {
            case 0 -> object.remove(name);
            case 1 -> object.putNull(name);
            default -> object.set(name, other(value));
        }
    }

    private JsonNode other(JsonNode value) {
        JsonNodeFactory make = JsonNodeFactory.instance;
        if (!typed && random.nextInt(4) == 0) {
            return List.<JsonNode>of(
                            make.textNode("x"),
                            make.numberNode(1e300),
                            make.booleanNode(true),
                            make.nullNode(),
                            make.arrayNode().addNull().add(1),
                            make.objectNode().put("x", 1))
                    .get(random.nextInt(6));
        }
        return switch (value.getNodeType()) {
            case STRING -> make.textNode(TEXTS.get(random.nextInt(TEXTS.size())));
            case NUMBER -> make.numberNode(numbers.get(random.nextInt(numbers.size())));
            case BOOLEAN -> make.booleanNode(random.nextBoolean());
            case ARRAY -> make.arrayNode();
            case OBJECT -> make.objectNode();
            default -> make.nullNode();
        };
    }
}
