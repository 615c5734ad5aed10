/** The provider {@code bgp}: the agents on the nodes announce the address by BGP. */
@NullMarked
package dev.berth.dataplane.bgp;

import org.jspecify.annotations.NullMarked;
