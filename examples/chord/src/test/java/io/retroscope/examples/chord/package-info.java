/** Runs of the case: with and without changes, and with a broken hook. */
@NullMarked
package io.retroscope.examples.chord;

import org.jspecify.annotations.NullMarked;
