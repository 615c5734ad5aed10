/** A small but real cluster network on one machine: network namespaces, kube-proxies, and the traffic of tests. */
@NullMarked
package dev.berth.lab;

import org.jspecify.annotations.NullMarked;
