@NullMarked
package dev.berth.agent;

import org.jspecify.annotations.NullMarked;
