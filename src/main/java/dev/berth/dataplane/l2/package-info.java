/** The provider {@code l2}: the agents on the nodes announce the address by ARP and NDP. */
@NullMarked
package dev.berth.dataplane.l2;

import org.jspecify.annotations.NullMarked;
