@NullMarked
package dev.berth.controller.announcement;

import org.jspecify.annotations.NullMarked;
