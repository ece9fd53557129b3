// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import io.retroscope.rql.ast.Scale;
import java.util.List;

/**
 * A rule with LEVEL: one staircase per node. Immutable.
 *
 * @param name of the rule
 * @param patch struck patch of the bank
 * @param steps levels at which a strike is added, one to four, rising
 * @param root key of the first strike of a node in the middle register
 * @param scale of the strikes
 * @param lengthMicros length of a strike, more than 0
 * @param everyMicros how often the last strike is repeated while a stretch lasts, more than 0
 * @param placed whether each node has a side and a register of its own
 */
public record LevelRule(
    String name,
    String patch,
    List<Double> steps,
    int root,
    Scale scale,
    long lengthMicros,
    long everyMicros,
    boolean placed) {
  /** A listener can count three strikes and notice that there are more. */
  public static final int MAX_STEPS = 4;

  /** Steps unless the rule has STEPS. */
  public static final List<Double> DEFAULT_STEPS = List.of(2.0, 3.0, 4.0, 8.0);

  /** Root unless the rule has another register. */
  public static final int DEFAULT_ROOT = 60;

  /** Length unless the rule has LENGTH. */
  public static final long DEFAULT_LENGTH_MICROS = 80_000;

  /** Time between repeats unless the rule has EVERY. */
  public static final long DEFAULT_EVERY_MICROS = 2_000_000;

  /** Checks the steps and copies them. */
  public LevelRule {
    if (steps.isEmpty() || steps.size() > MAX_STEPS) {
      throw new IllegalArgumentException("STEPS takes one to four levels: " + steps);
    }
    for (int i = 1; i < steps.size(); i++) {
      if (!(steps.get(i - 1) < steps.get(i))) {
        throw new IllegalArgumentException("STEPS must rise: " + steps);
      }
    }
    if (lengthMicros <= 0 || everyMicros <= 0) {
      throw new IllegalArgumentException("LENGTH and EVERY must be more than 0");
    }
    steps = List.copyOf(steps);
  }

  /** A rule with all defaults, whose nodes have places. */
  public static LevelRule of(String name, String patch) {
    return new LevelRule(
        name,
        patch,
        DEFAULT_STEPS,
        DEFAULT_ROOT,
        Scale.PENTATONIC,
        DEFAULT_LENGTH_MICROS,
        DEFAULT_EVERY_MICROS,
        true);
  }

  /** How many steps a level has reached. */
  int stepsAt(double level) {
    int reached = 0;
    while (reached < steps.size() && level >= steps.get(reached)) {
      reached++;
    }
    return reached;
  }
}
