// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/** The origin of a row or a reading, which decides whether it sounds. */
public enum Origin {
  /** As it happened: it sounds. */
  LIVE,
  /** From before the stream began or was resumed: it sets states and is silent. */
  HISTORY,
  /** Far behind the progress of the stream: it changes levels and alarms, and makes no mark. */
  LATE,
  /** A correction of an earlier reading: it starts and ends alarms, and makes no mark. */
  CORRECTION
}
