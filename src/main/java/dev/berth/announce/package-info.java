/**
 * Which node announces which address, and why. Pure: every node comes to the same answer from the same input, so that
 * none has to ask the others.
 */
@NullMarked
package dev.berth.announce;

import org.jspecify.annotations.NullMarked;
