// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.OptionalDouble;

/**
 * A cut as one voice of one rule sees it. Immutable.
 *
 * @param hlc stamp of the cut
 * @param micros played time of the cut, in microseconds since the soundscape began
 * @param rule name of the rule
 * @param node the node the reading is about; empty if the rule has no EACH
 * @param truth whether the rule's predicate holds
 * @param value of LEVEL or FOLLOW; empty for NULL, and for an alarm, which has none
 * @param origin how it came
 */
public record RuleReading(
    long hlc,
    long micros,
    String rule,
    String node,
    boolean truth,
    OptionalDouble value,
    Origin origin) {
  /** The same reading at another played time and of another origin. */
  public RuleReading with(long otherMicros, Origin otherOrigin) {
    return new RuleReading(hlc, otherMicros, rule, node, truth, value, otherOrigin);
  }
}
