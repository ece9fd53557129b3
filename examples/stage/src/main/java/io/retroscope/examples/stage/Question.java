// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

/**
 * A question that runs live and is repeated over the past. Immutable.
 *
 * @param title a few words for the screen, such as {@code owned twice}
 * @param shown the variable whose values are shown with each row
 * @param rql the statement for the past: {@code SELECT ... EMIT EDGES;}
 */
public record Question(String title, String shown, String rql) {
  /** The statement for live rows. */
  public String live() {
    return rql.replaceFirst("SELECT ", "SELECT STREAM ");
  }

  /** The statement for the stretches over which the condition held, instead of their edges. */
  public String intervals() {
    return rql.replace("EMIT EDGES", "EMIT INTERVALS");
  }
}
