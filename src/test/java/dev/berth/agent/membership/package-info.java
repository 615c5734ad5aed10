@NullMarked
package dev.berth.agent.membership;

import org.jspecify.annotations.NullMarked;
