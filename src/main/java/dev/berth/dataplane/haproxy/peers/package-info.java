/**
 * Several hosts, each with a HAProxy, among which every address is bound on one.
 *
 * <p>{@link dev.berth.dataplane.haproxy.peers.Election} decides by what was heard from the others, {@link
 * dev.berth.dataplane.haproxy.peers.Peers} carries what they tell each other, {@link
 * dev.berth.host.Neighbours} tells the network where an address is now.
 */
@NullMarked
package dev.berth.dataplane.haproxy.peers;

import org.jspecify.annotations.NullMarked;
