// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/** The layers of a soundscape, from the softest to the one that nothing silences. */
public enum Layer {
  /** A continuous sound that follows a value. */
  BACKGROUND,
  /** A click that shows that everything works. */
  HEARTBEAT,
  /** Rows and levels. */
  MARK,
  /** Bursts until they are acknowledged. */
  ALARM,
  /** Loss and return of the server. */
  SERVER
}
