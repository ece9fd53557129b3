/** Stress tests of the ring and the repairs. */
@NullMarked
package io.retroscope.recorder;

import org.jspecify.annotations.NullMarked;
