/**
 * Soundscapes: note events as a pure function of readings of cuts, and the limiter of notes. No
 * sound is made here, and no clock is read.
 */
@NullMarked
package io.retroscope.sonify.soundscape;

import org.jspecify.annotations.NullMarked;
