package dev.berth.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.Set;

/**
 * One request that the API server has answered, from its audit log.
 *
 * <p>What a request does not have is the empty string: the namespace of a cluster-scoped object, the name in a list
 * or in a create, the subresource, the resource of a path like {@code /version}.
 *
 * @param stage ResponseComplete, or Panic
 * @param code the HTTP status; 0 where the server noted none
 * @param dryRun whether the request asked for {@code dryRun=All}: nothing was stored
 */
public record AuditEvent(
        Instant received,
        String user,
        String userAgent,
        String verb,
        String resource,
        String subresource,
        String namespace,
        String name,
        int code,
        String stage,
        boolean dryRun) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete", "deletecollection");

    /** Whether this request could have changed what is stored, also when it was refused. */
    public boolean isWrite() {
        return WRITES.contains(verb) && !dryRun;
    }

    /** Whether the server answered with a 2xx status. */
    public boolean succeeded() {
        return code >= 200 && code < 300;
    }

    /** @throws IllegalArgumentException if {@code line} is not a JSON object */
    static AuditEvent parse(String line) {
        JsonNode event;
        try {
            event = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an audit event: " + line, e);
        }
        JsonNode object = event.path("objectRef");
        return new AuditEvent(
                Instant.parse(event.path("requestReceivedTimestamp").asText()),
                event.path("user").path("username").asText(),
                event.path("userAgent").asText(),
                event.path("verb").asText(),
                object.path("resource").asText(),
                object.path("subresource").asText(),
                object.path("namespace").asText(),
                object.path("name").asText(),
                event.path("responseStatus").path("code").asInt(),
                event.path("stage").asText(),
                event.path("requestURI").asText().matches(".*[?&]dryRun=.*"));
    }
}
