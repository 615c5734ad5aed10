/** What all control loops share. */
@NullMarked
package dev.berth.controller;

import org.jspecify.annotations.NullMarked;
