// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.function.Consumer;

/** A part of a soundscape that also sounds by itself, as time passes. */
interface Voice {
  /** Next due time of a voice that waits for nothing. */
  long NEVER = Long.MAX_VALUE;

  /** When this voice next sounds by itself, in microseconds of played time. */
  long nextMicros();

  /** Emits all that is due up to and at this time, in order of time. */
  void advance(long micros, Consumer<NoteEvent> out);
}
