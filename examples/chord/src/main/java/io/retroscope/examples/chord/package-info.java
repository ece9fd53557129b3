/** A Chord ring that nodes join and leave: is it whole? */
@NullMarked
package io.retroscope.examples.chord;

import org.jspecify.annotations.NullMarked;
