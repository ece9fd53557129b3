// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The text of sounds, for listeners without sound. Used by one thread at a time. */
final class NoteLines {
  /** A pause longer than those within a pattern of several notes, which has one line. */
  private static final long PATTERN_MICROS = 2_000_000;

  private final boolean alarmsHaveRows;
  private final Map<String, Long> lastMicros = new HashMap<>();
  private final Map<String, Long> lastStrike = new HashMap<>();
  private final Map<String, Alarm> alarms = new HashMap<>();

  /** The begin of an alarm: the stamp of its cut, and when it first sounded. */
  private record Alarm(long hlc, long micros) {}

  /**
   * Lines without a note so far.
   *
   * @param alarmsHaveRows whether an {@link AlarmSink} prints the begin of alarms
   */
  NoteLines(boolean alarmsHaveRows) {
    this.alarmsHaveRows = alarmsHaveRows;
  }

  /**
   * Returns the line of the next note; empty for changes of a sound that has its line, for rows,
   * and for the later notes of a pattern.
   */
  Optional<String> of(NoteEvent note) {
    String what =
        switch (note.kind()) {
          case STRIKE -> isNewLevel(note) ? "level " + number(note.level()) : "";
          case REPEAT -> "still at level " + number(note.level());
          case RECOVERY -> "recovered";
          case ROLL -> number(note.level()) + " rows/s";
          case BACKGROUND -> begins(note) ? "background begins" : "";
          case HEARTBEAT -> "heartbeat";
          case CAUGHT_UP -> number(note.level()) + " rows of history not sounded";
          case ALARM -> begins(note) ? alarm(note) : "";
          case LOST -> begins(note) ? "lost" : "";
          case BACK -> begins(note) ? "back" : "";
          case FOLLOW, MARK -> "";
        };
    return what.isEmpty() ? Optional.empty() : Optional.of(stamp(note) + source(note) + what);
  }

  /** Whether the strike is the first that its cut caused: a jump makes several. */
  private boolean isNewLevel(NoteEvent note) {
    Long last = lastStrike.put(note.rule() + " " + note.node(), note.hlc());
    return last == null || last != note.hlc();
  }

  private boolean begins(NoteEvent note) {
    Long last = lastMicros.put(note.kind() + " " + note.rule(), note.micros());
    return last == null || note.micros() - last > PATTERN_MICROS;
  }

  /** Returns the begin of an alarm, unless its row has a line, and later how long it lasts. */
  private String alarm(NoteEvent note) {
    Alarm before = alarms.get(note.rule());
    if (before == null || before.hlc() != note.hlc()) {
      alarms.put(note.rule(), new Alarm(note.hlc(), note.micros()));
      return alarmsHaveRows ? "" : "alarm";
    }
    return "alarm lasts for %d s"
        .formatted(TimeUnit.MICROSECONDS.toSeconds(note.micros() - before.micros()));
  }

  /** The loss of the server may come before the first cut. */
  private static String stamp(NoteEvent note) {
    return note.hlc() == HlcTimestamp.MIN_PACKED
        ? ""
        : "hlc'" + HlcTimestamp.text(note.hlc()) + "' ";
  }

  private static String source(NoteEvent note) {
    return note.node().isEmpty() ? note.rule() + ": " : note.rule() + " " + note.node() + ": ";
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
