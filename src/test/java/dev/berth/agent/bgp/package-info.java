@NullMarked
package dev.berth.agent.bgp;

import org.jspecify.annotations.NullMarked;
