package dev.berth.kube;

import com.fasterxml.jackson.core.JsonFactory;

/**
 * Names of fields that are of any length. An API server writes the uid of an owner into the name of a managed field, and
 * bounds neither; what cannot be read of one object would fail the list of all.
 */
public final class FieldNames {
    private FieldNames() {}

    /** Has {@code factory} read them; the same. */
    public static JsonFactory readInFull(JsonFactory factory) {
        return factory.setStreamReadConstraints(factory.streamReadConstraints()
                .rebuild()
                .maxNameLength(Integer.MAX_VALUE)
                .build());
    }
}
