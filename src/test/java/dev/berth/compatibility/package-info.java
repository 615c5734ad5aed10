/** What has been released of the contract stays as it is: the SPI and its kit in Java, and the form on the wire. */
@NullMarked
package dev.berth.compatibility;

import org.jspecify.annotations.NullMarked;
