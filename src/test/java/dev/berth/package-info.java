/** What holds for the whole of Berth. */
@org.jspecify.annotations.NullMarked
package dev.berth;
