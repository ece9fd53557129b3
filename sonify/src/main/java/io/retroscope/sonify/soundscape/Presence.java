// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.function.Consumer;

/**
 * The sound of a lost server and of its return, and the heartbeat that distinguishes a quiet system
 * from a lost one. Not thread-safe.
 */
final class Presence implements Voice {
  /** Name under which these notes appear, in place of a rule's. */
  static final String RULE = "server";

  /** Time between heartbeats. */
  static final long HEARTBEAT_MICROS = 30_000_000;

  private static final long OFTEN_MICROS = 15_000_000;
  private static final long OFTEN_FOR_MICROS = 120_000_000;
  private static final long SELDOM_MICROS = 120_000_000;

  private static final String PATCH = "reed";
  private static final int HIGH = 67;
  private static final int LOW = 60;
  private static final long NOTE_MICROS = 300_000;
  private static final int VELOCITY = 96;
  private static final String HEARTBEAT_PATCH = "click";
  private static final int HEARTBEAT_KEY = 84;
  private static final long HEARTBEAT_LENGTH_MICROS = 30_000;

  private long lostAt = NEVER;
  private long nextFall = NEVER;
  private long second = NEVER;
  private long nextBeat;
  private long hlc;

  Presence(boolean heartbeat) {
    nextBeat = heartbeat ? HEARTBEAT_MICROS : NEVER;
  }

  boolean isLost() {
    return lostAt != NEVER;
  }

  /** The server, or the last node, is gone. */
  void lose(long stamp, long micros) {
    hlc = stamp;
    lostAt = micros;
    nextFall = micros + Background.FADE_MICROS;
  }

  /** The server is back: one rising fifth, immediately. */
  void regain(long stamp, long micros, Consumer<NoteEvent> out) {
    hlc = stamp;
    lostAt = NEVER;
    nextFall = NEVER;
    second = micros + NOTE_MICROS;
    out.accept(note(NoteKind.BACK, micros, LOW));
  }

  @Override
  public long nextMicros() {
    return Math.min(Math.min(second, nextFall), nextBeat);
  }

  @Override
  public void advance(long micros, Consumer<NoteEvent> out) {
    for (long next = nextMicros(); next <= micros; next = nextMicros()) {
      if (next == second) {
        second = NEVER;
        boolean lost = isLost();
        out.accept(note(lost ? NoteKind.LOST : NoteKind.BACK, next, lost ? LOW : HIGH));
      } else if (next == nextFall) {
        boolean often = next - lostAt < OFTEN_FOR_MICROS;
        nextFall = next + (often ? OFTEN_MICROS : SELDOM_MICROS);
        second = next + NOTE_MICROS;
        out.accept(note(NoteKind.LOST, next, HIGH));
      } else {
        beat(next, out);
      }
    }
  }

  private void beat(long micros, Consumer<NoteEvent> out) {
    nextBeat = micros + HEARTBEAT_MICROS;
    if (!isLost()) {
      out.accept(
          new NoteEvent(
              hlc,
              micros,
              RULE,
              Layer.HEARTBEAT,
              NoteKind.HEARTBEAT,
              "",
              0,
              HEARTBEAT_PATCH,
              HEARTBEAT_KEY,
              VELOCITY,
              HEARTBEAT_LENGTH_MICROS,
              0));
    }
  }

  private NoteEvent note(NoteKind kind, long micros, int key) {
    return new NoteEvent(
        hlc, micros, RULE, Layer.SERVER, kind, "", 0, PATCH, key, VELOCITY, NOTE_MICROS, 0);
  }
}
