@NullMarked
package dev.berth.host;

import org.jspecify.annotations.NullMarked;
