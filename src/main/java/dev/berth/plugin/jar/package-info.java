/** Providers in jars: each plug-in has a class loader of its own, and sees nothing of Berth but the SPI. */
@NullMarked
package dev.berth.plugin.jar;

import org.jspecify.annotations.NullMarked;
