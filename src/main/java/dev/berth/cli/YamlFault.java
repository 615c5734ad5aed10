package dev.berth.cli;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/** What is wrong with a YAML file, in one line for its author. */
final class YamlFault {
    private YamlFault() {}

    /** Where it is no YAML: {@code line 4, column 7: ...}; absent: it is YAML. */
    static Optional<String> syntax(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .filter(MarkedYamlEngineException.class::isInstance)
                .map(MarkedYamlEngineException.class::cast)
                .findFirst()
                .map(YamlFault::marked);
    }

    private static String marked(MarkedYamlEngineException fault) {
        String where = fault.getProblemMark()
                .map(mark -> "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ": ")
                .orElse("");
        return where + fault.getProblem();
    }
}
