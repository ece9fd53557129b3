/** The door through which a service records what it does, and the ring and drainer behind it. */
@NullMarked
package io.retroscope.recorder;

import org.jspecify.annotations.NullMarked;
