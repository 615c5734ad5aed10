/** Tests of what providers that are plug-ins have in common. */
@NullMarked
package dev.berth.plugin;

import org.jspecify.annotations.NullMarked;
