/**
 * Who lives, among the agents of a cluster. {@link dev.berth.agent.membership.Membership} decides by what it hears, {@link
 * dev.berth.agent.membership.Datagrams} carries what they say, and {@link dev.berth.agent.membership.SharedKey} keeps
 * everybody else out.
 */
@NullMarked
package dev.berth.agent.membership;

import org.jspecify.annotations.NullMarked;
