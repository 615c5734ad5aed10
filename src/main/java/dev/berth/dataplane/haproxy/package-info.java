/**
 * The provider {@code haproxy}: a HAProxy on this host carries the TCP ports of Services ({@code ipMode: Proxy}).
 *
 * <p>{@link dev.berth.dataplane.haproxy.LoadBalancer} is what one Service asks for, {@link
 * dev.berth.dataplane.haproxy.Configuration} writes them all as HAProxy's configuration, {@link
 * dev.berth.dataplane.haproxy.Haproxy} runs the process and talks to it, {@link
 * dev.berth.dataplane.haproxy.Rollout} has it do what is wanted by now, {@link
 * dev.berth.dataplane.haproxy.HaproxyProvider} puts them together.
 */
@NullMarked
package dev.berth.dataplane.haproxy;

import org.jspecify.annotations.NullMarked;
