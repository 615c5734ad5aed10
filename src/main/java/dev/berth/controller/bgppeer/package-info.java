/** The control loop of BGPPeers: it makes one status of what the agents of all nodes say. */
@NullMarked
package dev.berth.controller.bgppeer;

import org.jspecify.annotations.NullMarked;
