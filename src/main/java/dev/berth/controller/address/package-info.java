/** The control loop of Address objects: what they say goes into the ledger, and orphans are released. */
@NullMarked
package dev.berth.controller.address;

import org.jspecify.annotations.NullMarked;
