// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The values that THEN or AFTER adds to a row.
 *
 * @param triggers the number of triggers that the row covers
 * @param gap whether events in the window are lost
 * @param borderline TRUE, FALSE or NULL
 */
record ResponseCells(
    ResponsePattern.Trigger trigger, long triggers, boolean gap, Value borderline) {
  List<Value> ofInterval() {
    return List.of(
        new TimestampValue(trigger.hlc()),
        Value.of(triggers),
        Value.of(trigger.atStart()),
        Value.of(gap),
        borderline);
  }

  /** The values of an edge. */
  List<Value> ofEdge(boolean repeat) {
    List<Value> values = new ArrayList<>(ofInterval());
    values.add(Value.of(repeat));
    return values;
  }

  /**
   * Whether the uncertainty of a duration could reverse a comparison.
   *
   * @param distanceMicros the distance of the compared duration to its bound
   */
  static Value borderline(OptionalLong uncertainty, long distanceMicros) {
    return uncertainty.isEmpty()
        ? NullValue.NULL
        : Value.of(Math.abs(distanceMicros) < uncertainty.getAsLong());
  }
}
