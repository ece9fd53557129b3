/** Runs of the case: with two writers, with one as control, and with a broken hook. */
@NullMarked
package io.retroscope.examples.geode;

import org.jspecify.annotations.NullMarked;
