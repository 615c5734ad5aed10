/** The cluster as Berth sees it and writes to it: caches, writes, and the way between objects and the domain. */
@NullMarked
package dev.berth.kube;

import org.jspecify.annotations.NullMarked;
