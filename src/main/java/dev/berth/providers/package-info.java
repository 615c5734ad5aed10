/** What providers that are plug-ins have in common. */
@NullMarked
package dev.berth.providers;

import org.jspecify.annotations.NullMarked;
