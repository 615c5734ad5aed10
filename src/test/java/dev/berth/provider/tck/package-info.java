/**
 * The compatibility kit for providers: one test for each rule of docs/SPEC.md. Imports the JDK, JUnit Jupiter,
 * JSpecify and the SPI only.
 */
@NullMarked
package dev.berth.provider.tck;

import org.jspecify.annotations.NullMarked;
