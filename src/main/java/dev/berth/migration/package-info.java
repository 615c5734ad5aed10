/** What other controllers left on Services, and how it reads. Pure. */
@NullMarked
package dev.berth.migration;

import org.jspecify.annotations.NullMarked;
