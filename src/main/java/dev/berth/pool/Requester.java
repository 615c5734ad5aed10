package dev.berth.pool;

import java.util.List;
import java.util.Map;

/**
 * What pools tell Services apart by.
 *
 * @param classPools the pools that its class names; empty: every one with autoAssign
 * @param namespaceLabels of the Service's namespace
 * @param labels of the Service
 */
public record Requester(List<String> classPools, Map<String, String> namespaceLabels, Map<String, String> labels) {
    public Requester {
        classPools = List.copyOf(classPools);
    }
}
