@NullMarked
package dev.berth.announce;

import org.jspecify.annotations.NullMarked;
