// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.event.Value;
import io.retroscope.rql.alert.AlertDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The alerts that a server evaluates. Thread-safe. */
public interface AlertRegister {
  /** The columns of {@link #states}. */
  List<String> COLUMNS =
      List.of(
          "alert",
          "item",
          "state",
          "since",
          "severity",
          "health",
          "acknowledgedBy",
          "mutedUntil",
          "episode",
          "cut");

  /**
   * The state of each alert, and of each item of FOR EACH that is not inactive: the values of the
   * {@link #COLUMNS}.
   *
   * @throws AlertRefusedException if no server evaluates them now
   */
  List<List<Value>> states();

  /**
   * The properties of an alert.
   *
   * @throws AlertRefusedException if there is no such alert
   */
  Map<String, Value> describe(String alert);

  /**
   * Adds an alert, or replaces the one of the same name.
   *
   * @param text the statement CREATE ALERT
   * @param replaces whether there may be one of the same name
   * @param by the name of the sender
   * @throws AlertRefusedException if it is not possible
   */
  void create(AlertDefinition alert, String text, boolean replaces, String by);

  /**
   * Removes an alert.
   *
   * @throws AlertRefusedException if there is no such alert, or a file defines it
   */
  void drop(String alert, String by);

  /**
   * Acknowledges the episodes of an alert that hold.
   *
   * @param item those of this item of FOR EACH; all if empty
   * @return the acknowledged episodes
   * @throws AlertRefusedException if there is no such alert
   */
  List<String> acknowledge(String alert, Optional<String> item, String by);

  /**
   * Sends nothing of an alert for some time.
   *
   * @param micros 0 to end this
   * @return until when, in microseconds since 1970 on the server's clock
   * @throws AlertRefusedException if there is no such alert
   */
  long mute(String alert, long micros, String by);
}
