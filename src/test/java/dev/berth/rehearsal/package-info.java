/** The load under which the operator's AOT cache is recorded. */
@NullMarked
package dev.berth.rehearsal;

import org.jspecify.annotations.NullMarked;
