/** What an agent does by BGP: it drives a speaker, GoBGP's daemon, which runs beside it in a process of its own. */
@NullMarked
package dev.berth.agent.bgp;

import org.jspecify.annotations.NullMarked;
