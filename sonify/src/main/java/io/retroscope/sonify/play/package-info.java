/** Plays a score: into a MIDI file, into a WAV file without any sound card, or live. */
@NullMarked
package io.retroscope.sonify.play;

import org.jspecify.annotations.NullMarked;
