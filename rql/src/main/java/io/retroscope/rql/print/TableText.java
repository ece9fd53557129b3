// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.clock.HlcTimestamp;

/** The lines of tables and records for people that are not rows. */
final class TableText {
  private TableText() {}

  /** A row of a STREAM was taken back. */
  static String retraction(long hlc) {
    return "(retracted: the row at hlc'" + HlcTimestamp.text(hlc) + "')";
  }

  /** The number of rows, and how many of them were taken back. */
  static String rowCount(long rows, long retracted) {
    return (rows == 1 ? "1 row" : rows + " rows")
        + (retracted == 0 ? "" : ", " + retracted + " retracted");
  }
}
