// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.NoteEvent;

/** An output of notes as they are due: a sound card or a MIDI device. Thread-safe. */
public interface LiveOutput extends AutoCloseable {
  /** Sounds a note now, whatever its time. */
  void now(NoteEvent note);

  /** Ends the notes whose time has passed; to be called every few milliseconds. */
  void advance();

  @Override
  void close();
}
