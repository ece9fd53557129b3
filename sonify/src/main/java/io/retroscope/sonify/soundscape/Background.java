// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.function.Consumer;

/**
 * A continuous sound that follows a value: rises within {@link #ATTACK_MICROS}, falls within {@link
 * #RELEASE_MICROS}. Not thread-safe.
 */
final class Background implements Voice {
  /*
   * The followed value moves exponentially and is sampled on a grid of GRID_MICROS. It is brought
   * forward at readings and at points of the grid only, never in between: then its digits do not
   * depend on how often advance() is called. A value that has arrived leaves the grid.
   */

  /** Time constant of a rise. */
  static final long ATTACK_MICROS = 150_000;

  /** Time constant of a fall. */
  static final long RELEASE_MICROS = 1_200_000;

  /** Updates per second: ten. */
  static final long GRID_MICROS = 100_000;

  /** How long the last value is held if there is no value. */
  static final long HOLD_MICROS = 10_000_000;

  /** How long the sound takes to fade when there is no value, or no server. */
  static final long FADE_MICROS = 2_000_000;

  /** Values are emitted in steps of a 64th: finer ones cannot be heard. */
  private static final double STEPS = 64;

  private static final double ARRIVED = 0.002;
  private static final int FULL = 127;

  private final BackgroundRule rule;
  private RuleReading latest;
  private double position;
  private double target;
  private long positionAt;
  private boolean moving;
  private long fadeFrom = NEVER;
  private boolean started;
  private boolean silent;
  private long emitted = -1;

  Background(BackgroundRule rule, RuleReading first) {
    this.rule = rule;
    this.latest = first;
    this.positionAt = first.micros();
  }

  /** Applies a reading; everything due before it must have been emitted. */
  void read(RuleReading reading) {
    follow(reading.micros());
    latest = reading;
    if (reading.value().isEmpty()) {
      fadeFrom = Math.min(fadeFrom, reading.micros() + HOLD_MICROS);
      return;
    }
    target = rule.position(reading.value().getAsDouble());
    fadeFrom = NEVER;
    silent = false;
    moving = true;
  }

  /** Fades from now on, because no value is known any more. */
  void lose(long micros) {
    follow(micros);
    fadeFrom = Math.min(fadeFrom, micros);
  }

  @Override
  public long nextMicros() {
    if (!started) {
      return latest.value().isPresent() ? latest.micros() : NEVER;
    }
    if (moving) {
      return nextGrid(positionAt);
    }
    return fadeFrom == NEVER || silent ? NEVER : nextGrid(Math.max(positionAt, fadeFrom));
  }

  private static long nextGrid(long micros) {
    return (micros / GRID_MICROS + 1) * GRID_MICROS;
  }

  @Override
  public void advance(long micros, Consumer<NoteEvent> out) {
    for (long next = nextMicros(); next <= micros; next = nextMicros()) {
      if (started) {
        follow(next);
        settle(next);
      } else {
        start(next, out);
      }
      emit(next, out);
    }
  }

  /** Starts at the first reading, instead of moving to it. */
  private void start(long micros, Consumer<NoteEvent> out) {
    started = true;
    position = target;
    for (int key : rule.keys()) {
      out.accept(note(NoteKind.BACKGROUND, micros, key, NoteEvent.UNTIL_THE_END, FULL));
    }
  }

  private void follow(long micros) {
    double constant = target > position ? ATTACK_MICROS : RELEASE_MICROS;
    double left = Math.exp(-(micros - positionAt) / constant);
    position = target + (position - target) * left;
    positionAt = micros;
  }

  private void settle(long micros) {
    boolean arrived = Math.abs(position - target) < ARRIVED;
    if (arrived) {
      position = target;
    }
    silent = fadeFrom != NEVER && micros >= fadeFrom + FADE_MICROS;
    moving = !silent && (!arrived || micros >= fadeFrom);
  }

  private double loudness(long micros) {
    if (fadeFrom == NEVER || micros <= fadeFrom) {
      return 1;
    }
    return Math.max(0, 1 - (double) (micros - fadeFrom) / FADE_MICROS);
  }

  private void emit(long micros, Consumer<NoteEvent> out) {
    int volume = (int) Math.round(FULL * loudness(micros));
    long state = Math.round(position * STEPS) * (FULL + 1) + volume;
    if (state != emitted) {
      emitted = state;
      out.accept(note(NoteKind.FOLLOW, micros, rule.keys().get(0), GRID_MICROS, volume));
    }
  }

  private NoteEvent note(NoteKind kind, long micros, int key, long length, int velocity) {
    return new NoteEvent(
        latest.hlc(),
        micros,
        rule.name(),
        Layer.BACKGROUND,
        kind,
        "",
        Math.round(position * STEPS) / STEPS,
        rule.patch(),
        key,
        velocity,
        length,
        0);
  }
}
