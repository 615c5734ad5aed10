@NullMarked
package dev.berth.controller.bgppeer;

import org.jspecify.annotations.NullMarked;
