/** A replicated region of Geode with two writers, and ways to give messages their versions. */
@NullMarked
package io.retroscope.examples.geode;

import org.jspecify.annotations.NullMarked;
