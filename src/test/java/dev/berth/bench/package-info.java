/** {@code make bench}: how fast Berth is, beside Kubernetes' own service controller. */
@NullMarked
package dev.berth.bench;

import org.jspecify.annotations.NullMarked;
