/** Real Kubernetes and the packaged operator as child processes: for tests, the demo, the lab and the bench. */
@org.jspecify.annotations.NullMarked
package dev.berth.testing;
