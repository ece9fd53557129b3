// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.ArrayDeque;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * The state machine that sounds the level of one node for one rule: one strike for each step
 * reached, each higher and louder than the previous one. Not thread-safe.
 */
final class Staircase implements Voice {
  /*
   * A stretch begins when the level reaches the first step, and ends when it has been below for
   * RETURN_MICROS. Strikes and recovery notes queue, because a jump makes several at one instant;
   * repeats are made when the queue is empty. All times are those of readings or derived from
   * them, so that the notes do not depend on how often advance() is called.
   */

  /** Strikes this close can still be counted. */
  static final long STRIKE_GAP_MICROS = 90_000;

  /** A level that returns within this time has not left. */
  static final long RETURN_MICROS = 150_000;

  /** The largest number of waiting notes; more would be so late that they mislead. */
  static final int MAX_WAITING = 12;

  private static final int DEGREES_PER_STEP = 2;
  private static final int FIRST_VELOCITY = 80;
  private static final int VELOCITY_PER_STEP = 10;
  private static final int RECOVERY_VELOCITY = 58;
  private static final int FOURTH = 5;

  /** Minus 6 dB, velocity being a square law. */
  private static final double REPEAT_VELOCITY = Math.pow(10, -6 / 40.0);

  private final LevelRule rule;
  private final String node;
  private final Place place;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private RuleReading latest;
  private int reached;
  private long belowSince = NEVER;
  private long lastNote = Long.MIN_VALUE / 2;
  private long repeatFrom;
  private long droppedCount;

  /** A note that waits for its turn; step 0 is the recovery. */
  private record Waiting(RuleReading cause, int step, long micros) {}

  Staircase(LevelRule rule, String node, Place place) {
    this.rule = rule;
    this.node = node;
    this.place = place;
    this.latest =
        new RuleReading(0, 0, rule.name(), node, false, OptionalDouble.empty(), Origin.HISTORY);
  }

  /** Notes left out because too many waited. */
  long droppedCount() {
    return droppedCount;
  }

  /** Takes a reading; all that is due before it must have been emitted. */
  void read(RuleReading reading) {
    int steps =
        reading.truth() && reading.value().isPresent()
            ? rule.stepsAt(reading.value().getAsDouble())
            : 0;
    latest = reading;
    if (steps > 0) {
      if (belowSince != NEVER) {
        belowSince = NEVER;
        repeatFrom = reading.micros();
      }
      rise(reading, steps);
    } else if (reached > 0 && belowSince == NEVER) {
      belowSince = reading.micros();
    }
  }

  /** Silence from now on, because no value is known any more. */
  void lose(long micros) {
    waiting.clear();
    read(
        new RuleReading(
            latest.hlc(),
            micros,
            rule.name(),
            node,
            false,
            OptionalDouble.empty(),
            Origin.HISTORY));
  }

  private void rise(RuleReading reading, int steps) {
    boolean sounds = reading.origin() == Origin.LIVE;
    for (int step = reached + 1; sounds && step <= steps; step++) {
      queue(new Waiting(reading, step, reading.micros()));
    }
    if (!sounds && steps > reached) {
      lastNote = Math.max(lastNote, reading.micros());
    }
    reached = Math.max(reached, steps);
  }

  private void queue(Waiting note) {
    if (waiting.size() == MAX_WAITING) {
      droppedCount++;
    } else {
      waiting.add(note);
    }
  }

  @Override
  public long nextMicros() {
    return Math.min(Math.min(strikeMicros(), endMicros()), repeatMicros());
  }

  private long strikeMicros() {
    Waiting next = waiting.peek();
    return next == null ? NEVER : Math.max(next.micros, lastNote + STRIKE_GAP_MICROS);
  }

  private long endMicros() {
    return belowSince == NEVER ? NEVER : belowSince + RETURN_MICROS;
  }

  private long repeatMicros() {
    boolean lasts = reached > 0 && belowSince == NEVER && waiting.isEmpty();
    return lasts ? Math.max(lastNote + rule.everyMicros(), repeatFrom) : NEVER;
  }

  @Override
  public void advance(long micros, Consumer<NoteEvent> out) {
    for (long next = nextMicros(); next <= micros; next = nextMicros()) {
      if (next == endMicros()) {
        end(next);
      } else if (next == strikeMicros()) {
        sound(waiting.remove(), next, out);
      } else {
        lastNote = next;
        NoteKind kind = NoteKind.REPEAT;
        out.accept(note(latest, kind, reached, next, velocity(reached) * REPEAT_VELOCITY));
      }
    }
  }

  /** A node without a value becomes silent, which is not a recovery. */
  private void end(long micros) {
    boolean recovers = latest.value().isPresent() && latest.origin() == Origin.LIVE;
    belowSince = NEVER;
    reached = 0;
    if (recovers) {
      queue(new Waiting(latest, 0, micros));
    }
  }

  private void sound(Waiting next, long micros, Consumer<NoteEvent> out) {
    lastNote = micros;
    NoteKind kind = next.step == 0 ? NoteKind.RECOVERY : NoteKind.STRIKE;
    double velocity = next.step == 0 ? RECOVERY_VELOCITY : velocity(next.step);
    out.accept(note(next.cause, kind, next.step, micros, velocity));
  }

  private static int velocity(int step) {
    return FIRST_VELOCITY + VELOCITY_PER_STEP * (step - 1);
  }

  private NoteEvent note(RuleReading cause, NoteKind kind, int step, long micros, double velocity) {
    int root = rule.root() + place.semitones();
    int key = step == 0 ? root - FOURTH : rule.scale().above(root, DEGREES_PER_STEP * (step - 1));
    return new NoteEvent(
        cause.hlc(),
        micros,
        rule.name(),
        Layer.MARK,
        kind,
        node,
        cause.value().orElse(0),
        rule.patch(),
        key,
        (int) Math.round(velocity),
        rule.lengthMicros(),
        place.pan());
  }
}
