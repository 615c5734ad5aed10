/** What other controllers left on Services, and how it reads; what announced them, as objects of Berth's kinds. Pure. */
@NullMarked
package dev.berth.migration;

import org.jspecify.annotations.NullMarked;
