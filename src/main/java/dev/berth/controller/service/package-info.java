/** The control loop of Services. */
@NullMarked
package dev.berth.controller.service;

import org.jspecify.annotations.NullMarked;
