// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.Value;
import java.util.Optional;

/**
 * A value on which a predicate rests at a cut.
 *
 * @param value NULL if the variable is unset there
 * @param since packed, the stamp of the event that gave it the value; the lowest one if no event is
 *     known
 * @param momentary whether it has the value at exactly this stamp
 * @param event the event that gave it the value, if it is known
 */
record Witness(
    String node,
    String log,
    String variable,
    Value value,
    long since,
    boolean momentary,
    Optional<Event> event) {
  String path() {
    return log + "." + variable;
  }
}
