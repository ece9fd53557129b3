// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.List;

/**
 * A soundscape of the past, ready to be written. Immutable.
 *
 * @param notes in order of time
 * @param lengthMicros of the whole; what sounds later is cut
 */
public record Performance(List<NoteEvent> notes, long lengthMicros) {
  /** Copies the notes. */
  public Performance {
    notes = List.copyOf(notes);
    if (lengthMicros < 0) {
      throw new IllegalArgumentException("negative length: " + lengthMicros);
    }
  }
}
