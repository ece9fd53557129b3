package io.retroscope.sonify.soundscape;

/** How a row or a reading came, which decides whether it sounds. */
public enum Origin {
  /** As it happened: it sounds. */
  LIVE,
  /** From before the stream began or was resumed: it sets states and is silent. */
  HISTORY,
  /** Far behind the stream's progress: it moves levels and alarms; no mark. */
  LATE,
  /** Corrects what was said before: it starts and ends alarms; no mark. */
  CORRECTION
}
