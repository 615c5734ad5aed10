/** The control loop of AddressPools: checks them, and shows how full they are. */
@NullMarked
package dev.berth.controller.pool;

import org.jspecify.annotations.NullMarked;
