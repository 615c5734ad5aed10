package dev.berth.api.v1alpha1;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An object of one of our kinds. Any content of it can be read: a CustomResourceDefinition of another version, or an
 * edited one, may have let in what the class has no place for, and that must not keep a whole list from being read.
 */
public abstract class OwnResource<S, T> extends CustomResource<S, T> {
    private static final long serialVersionUID = 1;

    private transient List<String> adjusted = List.of();
    private transient List<String> unreadable = List.of();

    /** Which numbers of the spec are out of range, and what they count as, a sentence each. */
    public List<String> adjusted() {
        return adjusted;
    }

    /** What of the spec could not be read and is left out, a sentence each. */
    public List<String> unreadable() {
        return unreadable;
    }

    /** Reads one field by field. Fields that the class does not know are passed over, as Kubernetes does. */
    abstract static class Reader<R extends OwnResource<S, T>, S, T> extends JsonDeserializer<R> {
        private static final int SHOWN = 80;

        /** Of faults in one object: who has more gets none of it read. */
        private static final int FAULTS = 1_000;

        private final Supplier<R> make;
        private final Class<S> spec;
        private final Class<T> status;

        Reader(Supplier<R> make, Class<S> spec, Class<T> status) {
            this.make = make;
            this.spec = spec;
            this.status = status;
        }

        @Override
        public R deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            ObjectNode tree = read(parser, context);
            R object = make.get();
            object.setMetadata(Optional.ofNullable(read(
                            context,
                            "metadata",
                            tree.get("metadata"),
                            ObjectMeta.class,
                            new ArrayList<>(),
                            new ArrayList<>()))
                    .orElseGet(ObjectMeta::new));
            List<String> adjusted = new ArrayList<>();
            List<String> unreadable = new ArrayList<>();
            object.setSpec(read(context, "spec", tree.get("spec"), spec, adjusted, unreadable));
            // What is not understood of a status is written again.
            object.setStatus(read(context, "status", tree.get("status"), status, new ArrayList<>(), new ArrayList<>()));
            OwnResource<S, T> read = object;
            read.adjusted = List.copyOf(adjusted);
            read.unreadable = List.copyOf(unreadable);
            return object;
        }

        /** As a tree, without {@code managedFields}: they are half of an object, and nothing reads them. */
        private static ObjectNode read(JsonParser parser, DeserializationContext context) throws IOException {
            ObjectNode object = context.getNodeFactory().objectNode();
            for (String part = first(parser); part != null; part = parser.nextFieldName()) {
                if (parser.nextToken() != JsonToken.START_OBJECT || !part.equals("metadata")) {
                    object.set(part, context.readTree(parser));
                    continue;
                }
                ObjectNode metadata = object.putObject(part);
                for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                    parser.nextToken();
                    if (field.equals("managedFields")) {
                        parser.skipChildren();
                    } else {
                        metadata.set(field, context.readTree(parser));
                    }
                }
            }
            return object;
        }

        /** The name of the first field; null: there is none. */
        private static @Nullable String first(JsonParser parser) throws IOException {
            if (parser.hasToken(JsonToken.FIELD_NAME)) {
                return parser.currentName();
            }
            if (parser.isExpectedStartObjectToken()) {
                return parser.nextFieldName();
            }
            parser.skipChildren();
            return null;
        }

        private static <V> @Nullable V read(
                DeserializationContext context,
                String part,
                @Nullable JsonNode given,
                Class<V> type,
                List<String> adjusted,
                List<String> unreadable) {
            if (given == null || given.isNull()) {
                return null;
            }
            ObjectNode holder = context.getNodeFactory().objectNode();
            holder.set(part, given);
            for (int fault = 0; fault < FAULTS; fault++) {
                try {
                    return context.readTreeAsValue(holder.get(part), type);
                } catch (UnrecognizedPropertyException ofAnotherVersion) {
                    if (!drop(holder, part, ofAnotherVersion.getPath())) {
                        break;
                    }
                } catch (JsonMappingException odd) {
                    if (!clampOrRemove(holder, part, odd.getPath(), adjusted, unreadable)) {
                        break;
                    }
                } catch (IOException | RuntimeException odd) {
                    break;
                }
            }
            unreadable.add(part + " cannot be read");
            return null;
        }

        /** Takes one field out. */
        private static boolean drop(ObjectNode holder, String part, List<Reference> path) {
            JsonNode parent = holder.get(part);
            for (Reference step : path.subList(0, path.size() - 1)) {
                parent = child(parent, step);
            }
            return parent instanceof ObjectNode object
                    && object.remove(path.getLast().getFieldName()) != null;
        }

        /** Puts a number into its range, or takes one value out; false: it cannot be told which. */
        private static boolean clampOrRemove(
                ObjectNode holder, String part, List<Reference> path, List<String> adjusted, List<String> unreadable) {
            StringBuilder where = new StringBuilder(part);
            JsonNode parent = holder;
            JsonNode value = holder.get(part);
            Reference last = null;
            for (Reference step : path) {
                parent = value;
                value = child(value, step);
                last = step;
                where.append(step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName());
            }
            if (last == null || value == null || value.isNull()) {
                return false;
            }
            boolean number = value.isIntegralNumber() && !value.canConvertToInt();
            JsonNode instead = number
                    ? IntNode.valueOf(value.bigIntegerValue().signum() < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE)
                    : NullNode.getInstance();
            (number ? adjusted : unreadable)
                    .add(where + " is " + shown(value)
                            + (number
                                    ? ", which is out of range, and counts as " + instead
                                    : ", which cannot be read"));
            if (parent instanceof ObjectNode object) {
                return object.replace(last.getFieldName(), instead) != null;
            }
            return parent instanceof ArrayNode array && array.set(last.getIndex(), instead) != null;
        }

        private static @Nullable JsonNode child(@Nullable JsonNode node, Reference step) {
            if (node == null) {
                return null;
            }
            return step.getFieldName() == null ? node.get(step.getIndex()) : node.get(step.getFieldName());
        }

        /** As JSON, in which control characters are written out. */
        private static String shown(JsonNode value) {
            String text = value.toString();
            return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
        }
    }
}
