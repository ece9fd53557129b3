/** Playing of note events: into a MIDI file, into a WAV file without a sound card, or live. */
@NullMarked
package io.retroscope.sonify.play;

import org.jspecify.annotations.NullMarked;
