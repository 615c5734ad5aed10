/**
 * The contract between Berth and what makes an address carry traffic: a cloud provider's own five
 * calls. Imports the JDK and JSpecify only. Its rules, by number, are in docs/SPEC.md; the kit that tests them
 * is {@code dev.berth.provider.tck}.
 *
 * @see <a href="https://pkg.go.dev/k8s.io/cloud-provider#LoadBalancer">the interface of Kubernetes' cloud providers</a>
 */
@NullMarked
package dev.berth.provider;

import org.jspecify.annotations.NullMarked;
