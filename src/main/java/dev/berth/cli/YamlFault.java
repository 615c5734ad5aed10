package dev.berth.cli;

import com.fasterxml.jackson.databind.JsonMappingException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/** What is wrong with a YAML file, in one line for its author. */
final class YamlFault {
    private YamlFault() {}

    /** Where it is no YAML: {@code line 4, column 7: ...}; absent: it is YAML. */
    static Optional<String> syntax(Throwable failure) {
        return cause(failure, MarkedYamlEngineException.class).map(YamlFault::marked);
    }

    /** The same, else which field cannot be what it is: {@code spec.ports: ...}, else what is at the root of it. */
    static String of(Throwable failure) {
        return syntax(failure)
                .or(() -> cause(failure, JsonMappingException.class).map(YamlFault::field))
                .orElseGet(() -> Preflight.innermost(failure));
    }

    private static String marked(MarkedYamlEngineException fault) {
        String where = fault.getProblemMark()
                .map(mark -> "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ": ")
                .orElse("");
        return where + fault.getProblem();
    }

    private static String field(JsonMappingException fault) {
        String path = fault.getPath().stream()
                .map(step -> step.getFieldName() == null ? Integer.toString(step.getIndex()) : step.getFieldName())
                .collect(Collectors.joining("."));
        String message = Objects.requireNonNullElse(fault.getOriginalMessage(), "")
                .lines()
                .findFirst()
                .orElse("");
        return path.isEmpty() ? message : path + ": " + message;
    }

    private static <T extends Throwable> Optional<T> cause(Throwable failure, Class<T> kind) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst();
    }
}
