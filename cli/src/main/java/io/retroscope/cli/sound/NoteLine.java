package io.retroscope.cli.sound;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.Locale;
import java.util.Optional;

/** The text of a note, for listeners without sound. */
final class NoteLine {
  private NoteLine() {}

  /** Returns one line; empty for changes of a sound that has its line, and for rows. */
  static Optional<String> of(NoteEvent note) {
    String what =
        switch (note.kind()) {
          case STRIKE -> "level " + number(note.level());
          case REPEAT -> "still at level " + number(note.level());
          case RECOVERY -> "recovered";
          case ROLL -> number(note.level()) + " rows/s";
          case BACKGROUND -> "background begins";
          case HEARTBEAT -> "heartbeat";
          case CAUGHT_UP -> number(note.level()) + " rows of history not sounded";
          case ALARM -> "alarm";
          case LOST -> "lost";
          case BACK -> "back";
          case FOLLOW, MARK -> "";
        };
    return what.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "hlc'%s' %s%s: %s"
                .formatted(
                    HlcTimestamp.text(note.hlc()),
                    note.rule(),
                    note.node().isEmpty() ? "" : " " + note.node(),
                    what));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
