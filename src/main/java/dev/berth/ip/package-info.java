/**
 * IP addresses, ranges and sets of them. Pure.
 */
@NullMarked
package dev.berth.ip;

import org.jspecify.annotations.NullMarked;
