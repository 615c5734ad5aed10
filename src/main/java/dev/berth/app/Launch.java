package dev.berth.app;

import dev.berth.provider.LoadBalancerProvider;
import java.util.SequencedMap;

/**
 * What an operator is started with.
 *
 * @param plugins the providers of plug-ins, by name
 */
record Launch(OperatorOptions options, SequencedMap<String, LoadBalancerProvider> plugins) {}
